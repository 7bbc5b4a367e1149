"""Rates a source of articles: how many it lists, how fresh they are, how many a day, and which no other source has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING

from newsextract.page.urls.clean_urls import url_key
from newsextract.page.urls.page_links import ARTICLE_THRESHOLD, article_likeness
from newsextract.sites.candidate import rank

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from newsextract.sites.candidate import Candidate
    from newsextract.sites.site_list.site import Site
    from newsextract.tools.probing.fetched_site import FoundSource

RATE_WINDOW = timedelta(days=14)
"""The period over which articles a day are counted."""

LEAST_SPAN = timedelta(hours=1)
"""A shorter period says little about a day."""

MOST_AHEAD = timedelta(days=1)
"""Dates further in the future are mistakes, or those of events."""

LEAST_DATED = 0.5
"""Share of the entries that must have a date for the dates to be used."""

MOST_ALIKE, LEAST_ALIKE = 0.5, 10
"""Share of entries with one and the same minute, and the least number of them: a file that was written in one go has
the time of that in all its entries."""

_SEPARATE_FROM = 2
"""The number of sources from which an article is not exclusive to one."""


@dataclass(frozen=True, slots=True)
class SourceVerdict:
    """A source and its figures."""

    source: FoundSource
    dates: tuple[datetime, ...]
    """The dates of its entries, newest first; empty if they are not usable."""
    newest: timedelta | None
    """Age of the newest entry."""
    median_age: timedelta | None
    per_day: float | None
    """Articles a day."""
    article_share: float | None
    """Share of the entries whose URL looks like an article's."""
    only_here: int
    """Article-like entries that no other source has."""

    @property
    def span(self) -> timedelta | None:
        """How far back the source reaches."""
        return self.dates[0] - self.dates[-1] if self.dates else None

    def shared_with(self, other: SourceVerdict) -> int:
        """Return the number of articles that both list."""
        return len(article_keys(self.source.entries) & article_keys(other.source.entries))


def judge_sources(sources: Sequence[FoundSource], now: datetime) -> list[SourceVerdict]:
    """Return the rating of each source, compared with the others."""
    keys = [article_keys(source.entries) for source in sources]
    counts = Counter(key for found in keys for key in found)
    return [
        _judge(source, sum(counts[key] < _SEPARATE_FROM for key in found), now)
        for source, found in zip(sources, keys, strict=True)
    ]


def article_keys(entries: Iterable[Candidate]) -> set[str]:
    """Return the keys of the entries that look like articles."""
    return {url_key(entry.url) for entry in entries if entry.is_article_like}


def recent_articles(verdicts: Iterable[SourceVerdict], since: datetime) -> set[str]:
    """Return the keys of the articles that any source dates after this time."""
    return {
        url_key(entry.url)
        for verdict in verdicts
        if verdict.dates
        for entry in verdict.source.entries
        if entry.date is not None and since <= entry.date <= verdict.dates[0] and entry.is_article_like
    }


def newest_articles(sources: Iterable[FoundSource], site: Site, number: int) -> list[Candidate]:
    """Return the newest articles that the sources list on the site, each once; undated ones come last."""
    found: dict[str, Candidate] = {}
    for source in sources:
        for entry in source.entries:
            key = url_key(entry.url)
            known = found.get(key)
            if site.holds(entry.url) and entry.is_article_like and (known is None or rank(entry) < rank(known)):
                found[key] = entry
    for start in site.start:
        found.pop(url_key(start), None)
    return sorted(found.values(), key=rank)[:number]


def _judge(source: FoundSource, only_here: int, now: datetime) -> SourceVerdict:
    dates = _dates(source, now)
    ages = [max(now - date, timedelta(0)) for date in dates]
    likes = [article_likeness(entry.url, entry.title or "") >= ARTICLE_THRESHOLD for entry in source.entries]
    return SourceVerdict(
        source,
        dates,
        ages[0] if ages else None,
        timedelta(seconds=median(age.total_seconds() for age in ages)) if ages else None,
        _rate(dates, now),
        sum(likes) / len(likes) if likes else None,
        only_here,
    )


def _dates(source: FoundSource, now: datetime) -> tuple[datetime, ...]:
    dates = [entry.date for entry in source.entries if entry.date is not None and entry.date <= now + MOST_AHEAD]
    if len(dates) < LEAST_DATED * max(len(source.entries), 1):
        return ()
    ((_, alike),) = Counter(date.replace(second=0, microsecond=0) for date in dates).most_common(1)
    if source.kind == "sitemap" and alike >= LEAST_ALIKE and alike > MOST_ALIKE * len(dates):
        return ()
    return tuple(sorted(dates, reverse=True))


def _rate(dates: Sequence[datetime], now: datetime) -> float | None:
    """Return the articles a day over the last two weeks, or over the shorter time that the source covers."""
    if not dates:
        return None
    recent = [date for date in dates if now - date <= RATE_WINDOW]
    window = RATE_WINDOW if len(recent) < len(dates) else max(now - dates[-1], LEAST_SPAN)
    return len(recent) / (window / timedelta(days=1))
