"""URLs that look like crawler traps: calendars, filters, paths that repeat themselves.

Skipping an article is worse than visiting a trap, which the limits on listings end as well. So each rule is far
beyond what URLs of articles look like: of 4,050 in five corpora none is skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

MAX_SEGMENTS = 16
"""Folders in a path; the deepest article met has nine, and date and archive URLs add some."""

MAX_QUERY_CHARS = 1024
"""The longest query of an article met has 330, most of it for click tracking."""

MAX_PARAMETERS = 12
"""Distinct names in a query; articles have up to five that matter."""

MAX_SAME_SEGMENT = 3
"""How often one folder may occur in a path, numbers aside: `/news/news/` exists, four times the same is a loop."""

MAX_VALUES = 4
"""Of one parameter: `color=red&color=blue&…` are the boxes ticked in a shop."""

YEARS_BACK, YEARS_AROUND = 400, 2
"""How far from today a page of a day may be: newspapers scan themselves back to their first issue, and announce the
next season. Of what calls itself a calendar or events, the past is over sooner."""

_MONTH = r"(?:0?[1-9]|1[0-2])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR_OF_DAY = re.compile(rf"/(\d{{4}})(?:/{_MONTH}/{_DAY}|-(?:0[1-9]|1[0-2])-\d\d)/?$")
_YEAR_OF_MONTH = re.compile(rf"/(\d{{4}})[/-]{_MONTH}(?:[/-]{_DAY})?/?$")
_YEAR_VALUE = re.compile(r"\d{4}(?:-?(?:0[1-9]|1[0-2])(?:-?\d\d)?)?")
_YEAR_NAMES = frozenset({"year", "date", "tribe-bar-date", "jahr", "datum", "annee", "fecha", "anno"})
_CALENDAR_WORDS = re.compile(
    r"/(?:calendar|kalender|calendrier|calendario|events?|agenda|veranstaltungen|termine)(?=/)", re.IGNORECASE
)
# TYPO3 has words in its brackets, `tx_ttnews[day]=14`, in the addresses of articles.
_FACET = re.compile(r"[\w-]+\[\d*\]|facets?|filters?(?:[._-].*)?|refine(?:ment)?s?|pf_.*", re.IGNORECASE)


def trap_of(url: str, today: date) -> str | None:
    """Return why a URL found through a link is not worth a visit; `None` if it may be.

    >>> from datetime import date
    >>> trap_of("https://example.com/news/world/news/world/news/world/news/world/", date(2026, 5, 14))
    'repeating path'
    >>> trap_of("https://example.com/2026/05/14/floods-close-three-alpine-passes.html", date(2026, 5, 14)) is None
    True
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return "broken address"
    segments = [segment for segment in parts.path.split("/") if segment]
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    return next(
        (reason for reason, holds in _RULES if holds(_Parts(parts.path, parts.query, segments, pairs), today)), None
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    path: str
    query: str
    segments: list[str]
    pairs: list[tuple[str, str]]


def _repeats(parts: _Parts, _today: date) -> bool:
    words = [segment.lower() for segment in parts.segments if not segment.isdigit()]
    counts = Counter(words)
    return max(counts.values(), default=0) > MAX_SAME_SEGMENT or _repeats_run(words)


def _repeats_run(words: list[str]) -> bool:
    # `/a/b/a/b/a/b`: two folders or more, three times in a row.
    for size in range(2, len(words) // 3 + 1):
        for start in range(len(words) - 3 * size + 1):
            run = words[start : start + size]
            if run * 3 == words[start : start + 3 * size]:
                return True
    return False


def _is_faceted(parts: _Parts, _today: date) -> bool:
    facets = sum(bool(_FACET.fullmatch(name)) for name, _ in parts.pairs)
    names = sorted(name for name, _ in parts.pairs)
    return facets >= MAX_VALUES or max((len(list(same)) for _, same in groupby(names)), default=0) >= MAX_VALUES


def _is_calendar(parts: _Parts, today: date) -> bool:
    is_named = bool(_CALENDAR_WORDS.search(parts.path))
    # The page of a day or month ends in it; behind a date, anything else may be a headline or the number of an article.
    years = _YEAR_OF_MONTH.findall(parts.path) if is_named else _YEAR_OF_DAY.findall(parts.path)
    years += [value[:4] for name, value in parts.pairs if name.lower() in _YEAR_NAMES and _YEAR_VALUE.fullmatch(value)]
    first, last = today.year - (YEARS_AROUND if is_named else YEARS_BACK), today.year + YEARS_AROUND
    return any(not first <= int(year) <= last for year in years)


_RULES: tuple[tuple[str, Callable[[_Parts, date], bool]], ...] = (
    ("repeating path", _repeats),
    ("deep path", lambda parts, _: len(parts.segments) > MAX_SEGMENTS),
    ("long query", lambda parts, _: len(parts.query) > MAX_QUERY_CHARS),
    ("faceted search", _is_faceted),
    ("many parameters", lambda parts, _: len({name for name, _ in parts.pairs}) > MAX_PARAMETERS),
    ("calendar", _is_calendar),
)
