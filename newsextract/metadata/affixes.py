"""What a site adds to its titles: its name, its section, before or behind a dash or a bar.

A part of a title is cut off only on evidence: it is the site's name as the page states it or as its domain spells it,
or other titles of the site have it too, or what is left is the headline word for word as the page has it elsewhere. A
headline with a dash of its own stays whole.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.words import words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

_SEPARATOR = re.compile(
    r"\s+(?:[|¦‖·•»«›‹>/~—–−:☆★⋆♥-]+|::|//)\s+|\s*[|｜»›]\s*|(?<=\S)\s?[-–—:]\s(?=\S)|(?<=\S)\s[-–—:](?=\S)"
    r"|(?<=[\u3000-\u9fff\uac00-\ud7af\uff00-\uffef])[-_—–]+|[-_—–]+(?=[\u3040-\u9fff\uac00-\ud7af])"
)
"""What stands between a headline and a site's name; scripts without spaces have none around it."""

_SITE_NAMES = ("og:site_name", "application-name", "apple-mobile-web-app-title", "twitter:site", "publisher")
_NO_LETTERS = re.compile(r"[\W_]+")
_COMMON_LABELS = frozenset("www m mobile amp web blog blogs news edition en de fr es archive com co org net".split())
_MIN_CHARS = 4
"""Shorter names are compared whole: three letters are inside many a word."""
_MIN_SHARE = 0.33
"""Share of a part that a name must make up, where the part says more: `La Stampa online`."""
_MAX_PARTS = 12
"""Titles of more parts are lists of keywords."""
_MAX_NAME_WORDS = 8
"""Longer parts are no site's name, whatever they mention."""


def site_keys(names: Iterable[str], url: str | None) -> frozenset[str]:
    """Return the names of a site in the form in which parts of titles are compared with them.

    >>> sorted(site_keys(["La Stampa", "@lastampa"], "https://www.lastampa.it/a"))
    ['lastampa', 'lastampait']
    """
    keys = {_key(name) for name in names if len(name.split()) <= _MAX_NAME_WORDS}
    return frozenset(filter(None, keys | _host_keys(url or "")))


def site_names(meta: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the names of meta tags that name the site."""
    return tuple(name for tag in _SITE_NAMES for name in meta.get(tag, ()))


@lru_cache(maxsize=512)
def _host_keys(url: str) -> frozenset[str]:
    try:
        labels = (urlsplit(url).hostname or "").split(".")
    except ValueError:
        return frozenset()
    own = [label for label in labels[:-1] if label not in _COMMON_LABELS]
    whole = ".".join(labels).removeprefix("www.")
    return frozenset(_key(text) for text in (*own, whole) if len(text) > 1)


def without_affixes(title: str, keys: Collection[str], confirmed: Collection[tuple[str, ...]] = ()) -> str:
    """Return the headline in a title; `confirmed` are the words of headlines that the page has elsewhere.

    >>> without_affixes("Polar storm - Rome shivers - La Stampa", {"lastampa"})
    'Polar storm - Rome shivers'
    >>> without_affixes("Rain: what to do | News", (), {("rain", "what", "to", "do")})
    'Rain: what to do'
    """
    cuts = list(_SEPARATOR.finditer(title))
    if not cuts or len(cuts) >= _MAX_PARTS:
        return title
    starts = [0, *(cut.end() for cut in cuts)]
    stops = [*(cut.start() for cut in cuts), len(title)]
    parts = [title[start:stop] for start, stop in zip(starts, stops, strict=True)]
    is_colon = [":" in cut[0] for cut in cuts]
    first, last = _span(parts, keys, is_colon)
    for begin, end in _spans(len(parts)):
        if (begin, end) != (0, len(parts)) and words_of(title[starts[begin] : stops[end - 1]]) in confirmed:
            first, last = begin, end
            break
    return title[starts[first] : stops[last - 1]]


def part_keys(title: str) -> list[str]:
    """Return the parts between dashes and bars in the form in which they are compared.

    >>> part_keys("Rain in Spain | The Plain")
    ['raininspain', 'theplain']
    """
    stops, starts = [], [0]
    for cut in _SEPARATOR.finditer(title):
        if ":" not in cut[0]:
            stops.append(cut.start())
            starts.append(cut.end())
    return [_key(title[start:stop]) for start, stop in zip(starts, [*stops, len(title)], strict=True)]


def _span(parts: Sequence[str], keys: Collection[str], is_colon: Sequence[bool]) -> tuple[int, int]:
    """Return the parts that are left without the site's names at the beginning, and from the first one on.

    At the beginning, and around a colon, only the very name counts: "Report: …" on Bleacher Report is a headline.
    """
    first = 0
    while first < len(parts) - 1 and _key(parts[first]) in keys:
        first += 1
    last = len(parts)
    for number in range(first + 1, len(parts)):
        if _key(parts[number]) in keys or (not is_colon[number - 1] and _is_site(parts[number], keys)):
            last = number
            break
    return first, last


def _spans(count: int) -> Iterable[tuple[int, int]]:
    """Yield the stretches of parts that reach an end of the title, the longest first."""
    for size in range(count, 0, -1):
        yield 0, size
        if size < count:
            yield count - size, count


def _is_site(part: str, keys: Collection[str]) -> bool:
    key = _key(part)
    if not key or len(part.split()) > _MAX_NAME_WORDS:
        return False
    if key in keys or _initials(part) in keys:
        return True
    return any(_contains(key, name) or _contains(name, key) for name in keys)


def _contains(outer: str, inner: str) -> bool:
    return len(inner) >= _MIN_CHARS and inner in outer and len(inner) >= _MIN_SHARE * len(outer)


def _initials(part: str) -> str:
    parts = part.split()
    return "".join(word[0] for word in parts).casefold() if len(parts) > 1 else ""


def _key(text: str) -> str:
    return _NO_LETTERS.sub("", text).casefold()


@lru_cache(maxsize=512)
def words_of(title: str) -> tuple[str, ...]:
    """Return the words of a title, lower-cased: what two titles that say the same share."""
    return tuple(words(title.casefold()))
