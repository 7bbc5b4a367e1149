"""A title taken apart where a site's name may be set off: at dashes, bars, dots, arrows and colons."""

from __future__ import annotations

import re
from dataclasses import dataclass

from newsextract.page.text_forms import letters_of

_SIGNS = r"[|¦‖·•>/~—–−☆★⋆♥-]{1,5}|::|//"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PLAIN = (
    rf"\s(?:{_SIGNS})\s|\s?[|｜]\s?|(?<=\S)\s?[-–—:]\s(?=\S)|(?<=\S)\s[-–—:](?=\S)|："
    rf"|(?<=[{_CJK}\uff00-\uffef])(?<![-_—–])[-_—–]{{1,3}}|(?<![-_—–])[-_—–]{{1,3}}(?=[{_CJK}])"
)
_SEPARATOR = re.compile(_PLAIN)
_WITH_ARROWS = re.compile(rf"\s[«»‹›]\s|{_PLAIN}")
_MAX_PARTS = 12
"""Titles of more parts are lists of keywords."""


@dataclass(frozen=True, slots=True)
class TitleParts:
    """N parts of a title; part i is `title[starts[i]:stops[i]]`."""

    title: str
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    behind_colon: tuple[bool, ...]
    """Whether a colon stands before each."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        return self.title[self.starts[number] : self.stops[number]]

    def span(self, first: int, last: int) -> str:
        """Return the title from one part up to, and without, another."""
        return self.title[self.starts[first] : self.stops[last - 1]]

    @property
    def keys(self) -> list[str]:
        """The parts in the form in which they are compared with names."""
        return [letters_of(self[number]) for number in range(len(self))]


def split_title(title: str) -> TitleParts:
    """Return the parts of a title; arrows separate them where they are no quotation marks.

    >>> split_title("Rain in Spain | The Plain").keys, len(split_title("Il pleut « partout » - Plaine"))
    (['raininspain', 'theplain'], 2)
    """
    is_quoted = "«" in title and "»" in title
    cuts = [
        cut
        for cut in (_SEPARATOR if is_quoted else _WITH_ARROWS).finditer(title)
        if title[: cut.start()].strip() and title[cut.end() :].strip()
    ]
    if len(cuts) >= _MAX_PARTS:
        cuts = []
    colons = (False, *(cut[0].strip() in (":", "：") for cut in cuts))
    starts = (0, *(cut.end() for cut in cuts))
    return TitleParts(title, starts, (*(cut.start() for cut in cuts), len(title)), colons)
