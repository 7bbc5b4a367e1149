"""The sources of a site: how good each is, which a crawl should read, and how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.page.links import article_likeness, is_section_like
from newsextract.page.urls import is_binary_url, url_key
from newsextract.sites.article_address import rank

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from newsextract.sites.article_address import Candidate, Rank
    from newsextract.sites.site import Site

SourceKind: TypeAlias = Literal["feed", "news_sitemap", "sitemap", "links"]


@dataclass(frozen=True, slots=True)
class FoundSource:
    """A feed, a sitemap, or the links of a page, with what it lists."""

    kind: SourceKind
    url: str
    entries: tuple[Candidate, ...] = ()
    error: str | None = None
    """Why it could not be read, or not to its end; `None` if it was."""
    root: str | None = None
    """The sitemap index that lists it."""


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


@dataclass(frozen=True, slots=True)
class SourceVerdict:
    """A source and its figures."""

    source: FoundSource
    dates: tuple[datetime, ...]
    """The dates of its entries, newest first; empty if they are not usable."""
    newest: timedelta | None
    """Age of the newest entry."""
    per_day: float | None
    """Articles a day."""
    fetched: int
    """Pages of it that were fetched as samples."""
    articles: int
    """Those of them that were read as articles."""
    keys: frozenset[str]
    """The keys of the entries that are taken for articles, see `article_keys`."""


def judge_sources(
    sources: Sequence[FoundSource], now: datetime, samples: Mapping[str, bool] = MappingProxyType({})
) -> list[SourceVerdict]:
    """Return the rating of each source; `samples` has the key of each page fetched, and whether it is an article."""
    articles = {key for key, is_read in samples.items() if is_read}
    verdicts = []
    for source in sources:
        dates = _dates(source, now)
        fetched = [samples[key] for key in {url_key(entry.url) for entry in source.entries} if key in samples]
        newest = max(now - dates[0], timedelta(0)) if dates else None
        keys = article_keys(source, articles)
        verdicts.append(SourceVerdict(source, dates, newest, _rate(dates, now), len(fetched), sum(fetched), keys))
    return verdicts


def article_keys(source: FoundSource, articles: Collection[str] = ()) -> frozenset[str]:
    """Return the keys of the entries that are taken for articles; `articles` are those that were read as such.

    Many sites give their articles addresses like a section's, `/ferry-closes.html`. What a sitemap lists is believed
    once one of its pages was read as an article; of links, which lead everywhere, each page for itself.
    """
    listed = {url_key(entry.url): entry for entry in source.entries}
    likely = frozenset(key for key, entry in listed.items() if entry.is_article_like)
    found = likely.union(key for key in articles if key in listed)
    return frozenset(listed) if source.kind != "links" and found - likely else found


def best_samples(sources: Iterable[FoundSource], site: Site) -> list[Candidate]:
    """Return what a crawl would fetch of the sources, each once: likely articles first, of these the newest.

    Of pages whose address does not tell, the likeliest comes first. Links to what is no section either are left out.
    """
    found: dict[str, Candidate] = {}
    for entry in (entry for source in sources for entry in source.entries):
        known = found.get(url_key(entry.url))
        if site.holds(entry.url) and _is_fetched(entry) and (known is None or rank(entry) < rank(known)):
            found[url_key(entry.url)] = entry
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


RECENT = timedelta(days=3)
"""Recent articles by which sources are compared."""

ENOUGH = 0.9
"""Share of the recent articles at which a source, or several together, is enough."""

STALE = timedelta(days=14)
"""A source with nothing newer than this is stale, if another is fresher."""

MOST_FEEDS = 5

SCHEDULES = {
    "15m": (96, timedelta(minutes=15)),
    "30m": (48, timedelta(minutes=30)),
    "1h": (20, timedelta(hours=1)),
    "3h": (8, timedelta(hours=3)),
    "6h": (3, timedelta(hours=6)),
    "12h": (1, timedelta(hours=12)),
    "1d": (0, timedelta(days=1)),
}
"""Schedules as `sites.yml` has them, each with the least number of articles a day, and its length."""

UNKNOWN = "1h"
"""The schedule of a site without dates."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What to write into `sites.yml`, and why."""

    discover: tuple[str, ...]
    feeds: tuple[str, ...]
    sitemaps: tuple[str, ...]
    schedule: str
    reason: str


BY_BROWSER = Advice(("links",), (), (), UNKNOWN, "nothing lists articles without JavaScript")
"""For a site that shows nothing without a browser."""


def advise(verdicts: Sequence[SourceVerdict], *, follows_links: bool = True) -> Advice | None:
    """Return the advice; `None` if no source has an article. Without `follows_links`, links are not recommended."""
    usable = [one for one in verdicts if one.keys and (follows_links or one.source.kind != "links")]
    if not usable:
        return None
    fresh = [one for one in usable if one.newest is not None and one.newest <= STALE]
    recent = _recent(fresh) if fresh else set()
    if recent:
        feeds = [one for one in fresh if one.source.kind == "feed"]
        choices = [_fewest(group, recent) for group in (feeds, [one for one in fresh if one not in feeds], fresh)]
        chosen = next((each for each in choices if _known(each, recent) >= ENOUGH * len(recent)), choices[-1])
        reason = f"with {_known(chosen, recent)} of {len(recent)} recent articles"
    else:  # the links of the home page show what is new
        links = [one for one in usable if one.source.kind == "links"]
        feeds = [one for one in usable if one.source.kind == "feed" and (one.newest is None or one.newest <= STALE)]
        chosen = [*feeds[:MOST_FEEDS], *links] or usable
        reason = "no source dates a recent article"
    schedule, how_often = _schedule(chosen)
    kinds = {"feed": "feeds", "links": "links"}
    discover = tuple(dict.fromkeys(kinds.get(one.source.kind, "sitemaps") for one in chosen))
    named = tuple(one.source.url for one in chosen if one.source.kind == "feed")
    return Advice(discover, named, _pinned(chosen, verdicts), schedule, f"{reason}; {how_often}")


def _recent(fresh: Sequence[SourceVerdict]) -> set[str]:
    """Return the keys of the recent articles: as far back as the feeds reach, so that none is at a disadvantage."""
    window = max(one.dates[0] for one in fresh) - RECENT
    since = max(window, min((one.dates[-1] for one in fresh if one.source.kind == "feed"), default=window))
    dated = ((one, entry) for one in fresh for entry in one.source.entries if entry.date is not None)
    found = {url_key(entry.url) for one, entry in dated if entry.date and since <= entry.date <= one.dates[0]}
    return found & set().union(*(one.keys for one in fresh))


def _fewest(group: Sequence[SourceVerdict], recent: set[str]) -> list[SourceVerdict]:
    """Return sources of a group, each adding the most to those before it."""
    chosen: list[SourceVerdict] = []
    left = set(recent)
    while group and len(chosen) < MOST_FEEDS and len(left) > (1 - ENOUGH) / 2 * len(recent):
        best = max(group, key=lambda one: (len(left & one.keys), one.source.kind == "feed"))
        if not left & best.keys:
            break
        chosen.append(best)
        left -= best.keys
    return chosen


def _known(chosen: Iterable[SourceVerdict], recent: set[str]) -> int:
    return len(recent & set().union(*(one.keys for one in chosen)))


def _schedule(chosen: Sequence[SourceVerdict]) -> tuple[str, str]:
    """Return how often to visit, and why."""
    rates = [one.per_day for one in chosen if one.per_day is not None]
    if not rates:
        return UNKNOWN, "the number of articles a day is unknown"
    rate = max(rates)
    wanted = next(length for least, length in SCHEDULES.values() if rate >= least)
    # An article must still be there at the next visit, and at the one after it should that fail.
    spans = [one.dates[0] - one.dates[-1] for one in chosen if one.source.kind == "feed" and len(one.dates) > 1]
    longest = min([wanted, *(span / 2 for span in spans if span)])
    name = next((name for name, (_, length) in reversed(SCHEDULES.items()) if length <= longest), "15m")
    told = f"about {rate:.{int(rate < 10)}f} articles a day" if rate >= 1 else "less than an article a day"
    return name, told + ("; a feed forgets them soon" if longest < wanted else "")


def _pinned(chosen: Sequence[SourceVerdict], verdicts: Sequence[SourceVerdict]) -> tuple[str, ...]:
    """Return the news sitemaps to read, if others need not be read; parts of an index change their names."""
    sitemaps = [one.source for one in chosen if one.source.kind in ("news_sitemap", "sitemap")]
    others = [one.source for one in verdicts if one.source.kind == "sitemap" and one.source not in sitemaps]
    is_news_only = bool(sitemaps) and all(one.kind == "news_sitemap" for one in sitemaps)
    return tuple(dict.fromkeys(one.root or one.url for one in sitemaps)) if is_news_only and others else ()
