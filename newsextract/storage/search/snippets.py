"""What stands about the first place of an article that a query speaks of, in one line of whole words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.page.words import UNSEGMENTED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.storage.search.query_matching import Matcher, Spot
    from newsextract.storage.search.searched_article import Document

_BEFORE_CHARS, _SNIPPET_CHARS = 60, 180
_FIELDS = ("body", "description")
_BREAK = re.compile(rf"\s|(?<=[{UNSEGMENTED}])|(?=[{UNSEGMENTED}])")
"""Where a text may be cut: at spaces, and in scripts without them at every character."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a snippet; all of them make up its text."""

    text: str
    is_found: bool = False
    """Whether the query speaks of it."""


def snippet(document: Document, matcher: Matcher) -> list[Part]:
    """Return what stands about the first place that the query speaks of; else the beginning.

    >>> from newsextract.storage.search.query_matching import Matcher
    >>> from newsextract.storage.search.query_parser import parse_query
    >>> matcher = Matcher(parse_query("THREE"))
    >>> [part.text for part in snippet(matcher.read({"article_body": "One two three."}), matcher)]
    ['One two ', 'three', '.']
    """
    spots: dict[str, list[Spot]] = {}
    for spot in sorted({spot for part in matcher.test.spots(document) for spot in part}):
        spots.setdefault(document.field_at(spot[0]), []).append(spot)
    shown = next((field for field in _FIELDS if field in spots), None)
    field = shown or next((field for field in _FIELDS if field in document.texts), None)
    return _about(document, field, spots.get(field, [])) if field else []


def _about(document: Document, field: str, spots: Sequence[Spot]) -> list[Part]:
    whole = document.texts[field]
    start, end = _bounds(whole, document.located(spots[0])[1] if spots else 0)
    parts = [Part("… ")] if start else []
    at = start
    for first, stop in _places(document, spots, end):
        if first >= at:  # else it is in the one before
            parts += [Part(whole[at:first]), Part(whole[first:stop], is_found=True)]
            at = stop
    parts += [Part(whole[at:end].rstrip()), Part(" …" if end < len(whole) else "")]
    return [Part(_SPACE.sub(" ", part.text), part.is_found) for part in parts if part.text]


def _places(document: Document, spots: Sequence[Spot], end: int) -> Iterator[tuple[int, int]]:
    """Yield where the words found start and stop, as far as they are before the end."""
    for spot in spots:
        _, first, stop = document.located(spot)
        if first >= end:
            return
        yield first, min(stop, end)


def _bounds(whole: str, at: int) -> tuple[int, int]:
    """Return start and end of some words about a place, none of them cut."""
    start = 0
    if at > _BEFORE_CHARS:
        found = _BREAK.search(whole, at - _BEFORE_CHARS - 1, at)
        start = _before_marks(whole, found.end()) if found else at
    most = start + _SNIPPET_CHARS
    if most >= len(whole.rstrip()):
        return start, len(whole)
    ends = [found.start() for found in _BREAK.finditer(whole, at + 1, most + 1)]
    return start, _before_marks(whole, ends[-1] if ends else most)


def _before_marks(whole: str, at: int) -> int:
    """Return where the letter begins whose accents and vowel signs are at a place."""
    while 0 < at < len(whole) and unicodedata.category(whole[at])[0] == "M":
        at -= 1
    return at
