"""URLs that lead into a crawler trap: calendars, filters and pages that link to ever more of their kind."""

from __future__ import annotations

import logging
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

from newsextract.page.urls import url_key

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date


# Skipping an article is worse than visiting a trap, which the limits on listings end as well. So each rule is far
# beyond what URLs of articles look like: of 4,050 in five corpora none is skipped.

MAX_SEGMENTS = 16
"""Folders in a path; the deepest article met has nine, and date and archive URLs add some."""

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
    if _repeats([segment.lower() for segment in segments if not segment.isdigit()]):
        return "repeating path"
    if len(segments) > MAX_SEGMENTS:
        return "deep path"
    if _is_faceted(pairs):
        return "faceted search"
    return "calendar" if _is_calendar(parts.path, pairs, today) else None


def _repeats(words: list[str]) -> bool:
    if max(Counter(words).values(), default=0) > MAX_SAME_SEGMENT:
        return True
    # `/a/b/a/b/a/b`: two folders or more, three times in a row.
    for size in range(2, len(words) // 3 + 1):
        for start in range(len(words) - 3 * size + 1):
            run = words[start : start + size]
            if run * 3 == words[start : start + 3 * size]:
                return True
    return False


def _is_faceted(pairs: list[tuple[str, str]]) -> bool:
    facets = sum(bool(_FACET.fullmatch(name)) for name, _ in pairs)
    names = sorted(name for name, _ in pairs)
    return facets >= MAX_VALUES or max((len(list(same)) for _, same in groupby(names)), default=0) >= MAX_VALUES


def _is_calendar(path: str, pairs: list[tuple[str, str]], today: date) -> bool:
    is_named = bool(_CALENDAR_WORDS.search(path))
    # The page of a day or month ends in it; behind a date, anything else may be a headline or the number of an article.
    years = _YEAR_OF_MONTH.findall(path) if is_named else _YEAR_OF_DAY.findall(path)
    years += [value[:4] for name, value in pairs if name.lower() in _YEAR_NAMES and _YEAR_VALUE.fullmatch(value)]
    first, last = today.year - (YEARS_AROUND if is_named else YEARS_BACK), today.year + YEARS_AROUND
    return any(not first <= int(year) <= last for year in years)


# Keeps crawler traps out of a run: those that a URL gives away, and those that show by how many URLs are alike.
#
# Only pages found through links are judged: a site lists a page in a sitemap or feed on purpose. Sitemaps are read
# until many in a row list no page.

logger = logging.getLogger(__name__)

MAX_OF_SHAPE, VISITS_WITHOUT_ARTICLE = 300, 50
"""URLs of one shape that are admitted, and the visits without an article after which that limit applies."""

MAX_LINKS = 20_000
"""URLs taken from links per site and run: a hundred from each of the listings that are visited."""

MAX_SOURCES = 10_000
"""Sitemaps and feeds read per site and run: one a day for twenty-five years."""

MAX_SOURCES_WITHOUT_FIND = 100
"""Sitemaps in a row that list no page: indexes that lead to nothing but indexes."""

MAX_SHAPES, MAX_NOTED = 10_000, 100_000
"""Shapes and URLs kept per site, to limit memory; shapes met after those are not judged."""


def shape_of(url: str) -> str:
    """Return what the URLs made by one script have in common: the path without its digits, and the query's names.

    >>> shape_of("https://example.com/events/2026-05-14/?view=day&id=7")
    '/events/0-0-0/?id&view'
    """
    parts = urlsplit(url)
    names = "&".join(sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}))
    return re.sub(r"\d+", "0", parts.path) + (f"?{names}" if names else "")


@dataclass(slots=True)
class _Shape:
    admitted: int = 0
    visits: int = 0
    articles: int = 0


@dataclass
class TrapGuard:
    """Keeps a site's traps out of a run; `counts` has the number of skipped URLs by reason."""

    site: str = ""
    today: date = field(default_factory=lambda: datetime.now(UTC).date())
    report: Callable[[str], None] = lambda _reason: None
    """Called with the reason for every URL that is skipped."""

    counts: Counter[str] = field(default_factory=Counter)
    sources_without_find: int = 0
    """Sitemaps and feeds read since one last listed a page."""

    _admitted: int = 0
    _sources: int = 0
    _shapes: dict[str, _Shape] = field(default_factory=dict)
    _noted: set[str] = field(default_factory=set)

    def admit(self, url: str) -> bool:
        """Return whether a URL found through a link may enter the frontier; call it once for each new URL."""
        if url_key(url) in self._noted:
            return False
        reason = trap_of(url, self.today) or self._shape_trap(url)
        if not reason and self._admitted >= MAX_LINKS:
            reason = "link limit"
        if reason:
            self.note(reason, url)
        self._admitted += reason is None
        return reason is None

    def admit_source(self, url: str) -> bool:
        """Return whether a sitemap or feed may be read; call it once for each new one."""
        if self.sources_without_find >= MAX_SOURCES_WITHOUT_FIND or self._sources >= MAX_SOURCES:
            self.note("sitemaps without end", url)
            return False
        self._sources += 1
        return True

    def note(self, reason: str, url: str) -> None:
        """Count a skipped URL the first time it is met, and log the first one of each reason."""
        key = url_key(url)
        if key in self._noted:
            return
        if len(self._noted) < MAX_NOTED:
            self._noted.add(key)
        self.counts[reason] += 1
        self.report(reason)
        if self.counts[reason] == 1:
            logger.info("%s: leaves out addresses, the first of them %s: %s", self.site, url, reason)

    def note_visit(self, url: str, *, is_article: bool) -> None:
        """Record whether a visit gave an article, by which the shape of its URL is judged."""
        if shape := self._shapes.get(shape_of(url)):
            shape.visits += 1
            shape.articles += is_article

    def _shape_trap(self, url: str) -> str | None:
        key = shape_of(url)
        if key not in self._shapes and len(self._shapes) >= MAX_SHAPES:
            return None
        shape = self._shapes.setdefault(key, _Shape())
        is_barren = shape.visits >= VISITS_WITHOUT_ARTICLE and not shape.articles
        if is_barren and shape.admitted >= MAX_OF_SHAPE:
            return "too many alike"
        shape.admitted += 1
        return None
