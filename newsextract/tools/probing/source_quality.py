"""Rates a source of articles: how many it lists, how fresh they are, how many a day, and which no other source has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

from newsextract.page.links import article_likeness, is_section_like
from newsextract.page.urls import is_binary_url, url_key
from newsextract.sites.article_address import rank

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from newsextract.sites.article_address import Candidate, Rank
    from newsextract.sites.site import Site
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
    fetched: int
    """Pages of it that were fetched as samples."""
    articles: int
    """Those of them that were read as articles."""
    keys: frozenset[str]
    """The keys of the entries that are taken for articles, see `article_keys`."""
    only_here: int
    """Entries taken for articles that no other source has."""

    @property
    def span(self) -> timedelta | None:
        """How far back the source reaches."""
        return self.dates[0] - self.dates[-1] if self.dates else None

    def shared_with(self, other: SourceVerdict) -> int:
        """Return the number of articles that both list."""
        return len(self.keys & other.keys)


def judge_sources(
    sources: Sequence[FoundSource], now: datetime, samples: Mapping[str, bool] = MappingProxyType({})
) -> list[SourceVerdict]:
    """Return the rating of each source, compared with the others.

    `samples` has the key of each page that was fetched, and whether it was read as an article.
    """
    articles = {key for key, is_read in samples.items() if is_read}
    keys = [article_keys(source, articles) for source in sources]
    counts = Counter(key for found in keys for key in found)
    return [_judge(source, found, counts, now, samples) for source, found in zip(sources, keys, strict=True)]


def article_keys(source: FoundSource, articles: Collection[str] = ()) -> frozenset[str]:
    """Return the keys of the entries that are taken for articles; `articles` are those that were read as such.

    Many sites give their articles addresses like a section's, `/ferry-closes.html`. What a sitemap lists is believed
    once one of its pages was read as an article; of links, which lead everywhere, each page for itself.
    """
    listed = {url_key(entry.url): entry for entry in source.entries}
    likely = frozenset(key for key, entry in listed.items() if entry.is_article_like)
    found = likely.union(key for key in articles if key in listed)
    return frozenset(listed) if source.kind != "links" and found - likely else found


def recent_articles(verdicts: Iterable[SourceVerdict], since: datetime) -> set[str]:
    """Return the keys of the articles that any source dates after this time."""
    return {
        key
        for verdict in verdicts
        if verdict.dates
        for entry in verdict.source.entries
        if entry.date is not None
        and since <= entry.date <= verdict.dates[0]
        and (key := url_key(entry.url)) in verdict.keys
    }


def best_samples(sources: Iterable[FoundSource], site: Site) -> list[Candidate]:
    """Return what a crawl would fetch of the sources, each once: likely articles first, of these the newest.

    Of pages whose address does not tell, the likeliest comes first. Links to what is no section either are left out.
    """
    found: dict[str, Candidate] = {}
    for source in sources:
        for entry in source.entries:
            key = url_key(entry.url)
            known = found.get(key)
            if site.holds(entry.url) and _is_fetched(entry) and (known is None or rank(entry) < rank(known)):
                found[key] = entry
    for start in site.start:
        found.pop(url_key(start), None)
    return sorted(found.values(), key=_promise)


def _is_fetched(entry: Candidate) -> bool:
    """Return whether a crawl fetches an entry: all that sitemaps and feeds list, and links that lead on."""
    if is_binary_url(entry.url):
        return False
    return entry.source != "links" or entry.is_article_like or is_section_like(entry.url, entry.title or "")


def _promise(entry: Candidate) -> tuple[Rank, float]:
    likeness = 0.0 if entry.is_article_like else article_likeness(entry.url, entry.title or "")
    return rank(entry), -likeness


def _judge(
    source: FoundSource, keys: frozenset[str], counts: Counter[str], now: datetime, samples: Mapping[str, bool]
) -> SourceVerdict:
    dates = _dates(source, now)
    ages = [max(now - date, timedelta(0)) for date in dates]
    fetched = [samples[key] for key in {url_key(entry.url) for entry in source.entries} if key in samples]
    return SourceVerdict(
        source,
        dates,
        ages[0] if ages else None,
        timedelta(seconds=median(age.total_seconds() for age in ages)) if ages else None,
        _rate(dates, now),
        len(fetched),
        sum(fetched),
        keys,
        sum(counts[key] < _SEPARATE_FROM for key in keys),
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
