"""Remove what a site adds to its titles: its name or section, before or after a dash or a bar.

A part of a title is removed only on evidence: it is the site's name by the page or by the domain, or other titles of
the site have it too, or the rest is word for word a headline elsewhere on the page. A title that is a whole heading
loses only the site's exact name at its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from newsextract.page.text_forms import letters_of
from newsextract.page.urls.url_parts import split_url
from newsextract.page.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_SIGNS = r"[|¦‖·•>/~—–−☆★⋆♥-]{1,5}|::|//"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PLAIN = (
    rf"\s(?:{_SIGNS})\s|\s?[|｜]\s?|(?<=\S)\s?[-–—:]\s(?=\S)|(?<=\S)\s[-–—:](?=\S)|："
    rf"|(?<=[{_CJK}\uff00-\uffef])(?<![-_—–])[-_—–]{{1,3}}|(?<![-_—–])[-_—–]{{1,3}}(?=[{_CJK}])"
)
_SEPARATOR = re.compile(_PLAIN)
_WITH_ARROWS = re.compile(rf"\s[«»‹›]\s|{_PLAIN}")
_MAX_PARTS = 12
"""Titles with at least this many separators are lists of keywords."""

_SITE_NAMES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "twitter:site", "publisher")
_COMMON_LABELS = frozenset("www m mobile amp web blog blogs news edition en de fr es archive com co org net".split())
_MIN_CHARS = 4
"""Shorter names must equal a part: many words contain any three letters."""
_MIN_SHARE = 0.5
"""A name must be a larger share of a part than this if the part has more words: `La Stampa online`."""
_MAX_NAME_WORDS = 8
"""Longer parts are not a site's name, whatever they mention."""


@dataclass(frozen=True, slots=True)
class TitleParts:
    """The parts of a title; part i is `title[starts[i]:stops[i]]`."""

    title: str
    starts: tuple[int, ...]
    stops: tuple[int, ...]
    behind_colon: tuple[bool, ...]
    """Whether each part comes after a colon."""

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, number: int) -> str:
        return self.title[self.starts[number] : self.stops[number]]

    def span(self, first: int, last: int) -> str:
        """Return the title from part `first` up to part `last`, which is not included."""
        return self.title[self.starts[first] : self.stops[last - 1]]

    @property
    def keys(self) -> list[str]:
        """The parts as `letters_of`, to compare with names."""
        return [letters_of(self[number]) for number in range(len(self))]


def split_title(title: str) -> TitleParts:
    """Return the parts of a title; arrows separate them unless they are quotation marks.

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


def site_keys(names: Iterable[str], url: str | None) -> frozenset[str]:
    """Return the names of a site as `letters_of`, to compare with parts of titles.

    >>> sorted(site_keys(["La Stampa", "@lastampa"], "https://www.lastampa.it/a"))
    ['lastampa', 'lastampait']
    """
    keys = {letters_of(name) for name in names if len(name.split()) <= _MAX_NAME_WORDS}
    return frozenset(filter(None, keys | _host_keys(url or "")))


def site_names(meta: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the site's names from meta tags."""
    return tuple(name for tag in _SITE_NAMES for name in meta.get(tag, ()))


@lru_cache(maxsize=512)
def _host_keys(url: str) -> frozenset[str]:
    labels = (split_url(url).hostname or "").split(".")
    own = [label for label in labels[:-1] if label not in _COMMON_LABELS]
    whole = ".".join(labels).removeprefix("www.")
    return frozenset(letters_of(text) for text in (*own, whole) if len(text) > 1)


def without_affixes(title: str, keys: Collection[str], confirmed: Collection[tuple[str, ...]] = ()) -> str:
    """Return the headline in a title; `confirmed` has the words of headlines elsewhere on the page.

    >>> without_affixes("Polar storm - Rome shivers - La Stampa", {"lastampa"})
    'Polar storm - Rome shivers'
    >>> without_affixes("Rain: what to do | News", (), {("rain", "what", "to", "do")})
    'Rain: what to do'
    >>> without_affixes("Time - a short history", {"time"}, {("time", "a", "short", "history")})
    'Time - a short history'
    """
    parts = split_title(title)
    if len(parts) == 1:
        return title
    if words_of(title) in confirmed:  # it is a whole heading: only a site's exact name is removed from its end
        is_named = parts.keys[-1] in keys and not parts.behind_colon[-1]
        return parts.span(0, len(parts) - 1) if is_named else title
    for begin, end in _spans(len(parts)):
        if words_of(parts.span(begin, end)) in confirmed:
            return parts.span(begin, end)
    return parts.span(*_without_site(parts, keys))


def begins_with(title: str, heading: str) -> bool:
    """Tell whether a heading is the first of two parts of a title, so that the other is the site's name.

    >>> begins_with("Rain | Plain", "Rain"), begins_with("Rain: what to do", "Rain"), begins_with("Why | Rain", "Rain")
    (True, False, False)
    """
    parts = split_title(title)
    return len(parts) == 2 and not parts.behind_colon[1] and words_of(parts[0]) == words_of(heading)


def _without_site(parts: TitleParts, keys: Collection[str]) -> tuple[int, int]:
    """Return the range of parts without the site's names: after the leading ones, up to the first one after these.

    Before the headline only the exact name counts, and before a colon only one of several words: "Time: a history".
    """
    names = parts.keys
    first = 0
    while first < len(parts) - 1 and names[first] in keys:
        if parts.behind_colon[first + 1] and " " not in parts[first].strip():
            break
        first += 1
    for number in range(first + 1, len(parts)):
        if not parts.behind_colon[number] and _is_site(parts[number], keys):
            return first, number
    return first, len(parts)


def _spans(count: int) -> Iterable[tuple[int, int]]:
    """Yield the ranges of parts that include the first or the last part, the longest first."""
    for size in range(count - 1, 0, -1):
        yield 0, size
        yield count - size, count


def _is_site(part: str, keys: Collection[str]) -> bool:
    key = letters_of(part)
    if not key or len(part.split()) > _MAX_NAME_WORDS:
        return False
    if key in keys or _initials(part) in keys:
        return True
    return any(_contains(key, name) or _contains(name, key) for name in keys)


def _contains(outer: str, inner: str) -> bool:
    return len(inner) >= _MIN_CHARS and inner in outer and len(inner) > _MIN_SHARE * len(outer)


def _initials(part: str) -> str:
    parts = part.split()
    return "".join(word[0] for word in parts).casefold() if len(parts) > 1 else ""


@lru_cache(maxsize=512)
def words_of(title: str) -> tuple[str, ...]:
    """Return the words of a title, lower-cased, to compare titles."""
    return tuple(words(title.casefold()))
