"""The sources of a site: how good each is, which a crawl should read, and how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
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


RECENT = timedelta(days=3)
"""Recent articles by which sources are compared."""

ENOUGH = 0.9
"""Share of the recent articles at which a source, or several together, is enough."""

STALE = timedelta(days=14)
"""A source with nothing newer than this is stale, if another is fresher."""

MOST_FEEDS = 5

SCHEDULES = (
    (96, timedelta(minutes=15)),
    (48, timedelta(minutes=30)),
    (20, timedelta(hours=1)),
    (8, timedelta(hours=3)),
    (3, timedelta(hours=6)),
    (1, timedelta(hours=12)),
    (0, timedelta(days=1)),
)
"""Schedules, by the least number of articles a day."""

UNKNOWN = timedelta(hours=1)
"""The schedule of a site without dates."""

_UNITS = (("d", timedelta(days=1)), ("h", timedelta(hours=1)), ("m", timedelta(minutes=1)))


@dataclass(frozen=True, slots=True)
class Advice:
    """What to write into `sites.yml`."""

    discover: tuple[str, ...]
    feeds: tuple[str, ...]
    sitemaps: tuple[str, ...]
    schedule: timedelta
    reasons: tuple[str, ...]
    """Explanations, as sentences."""

    @property
    def schedule_text(self) -> str:
        """The schedule as written in `sites.yml`.

        >>> Advice((), (), (), timedelta(minutes=90), ()).schedule_text
        '90m'
        """
        unit, length = next((unit, length) for unit, length in _UNITS if not self.schedule % length)
        return f"{self.schedule // length}{unit}"


BY_BROWSER = Advice(
    ("links",),
    (),
    (),
    UNKNOWN,
    ("nothing lists articles without JavaScript; a browser shows the home page's links",),
)
"""For a site that shows nothing without a browser."""


def advise(verdicts: Sequence[SourceVerdict], *, follows_links: bool = True) -> Advice | None:
    """Return the advice; `None` if no source has an article. Without `follows_links`, links are not recommended."""
    usable = [one for one in verdicts if one.keys and (follows_links or not _is_links(one))]
    if not usable:
        return None
    fresh = [one for one in usable if one.newest is not None and one.newest <= STALE]
    recent = recent_articles(fresh, _since(fresh)) if fresh else set()
    chosen, why = _chosen(fresh, recent) if recent else _undated(usable)
    schedule, how_often = _schedule(chosen)
    kinds = {"feed": "feeds", "links": "links"}
    discover = tuple(dict.fromkeys(kinds.get(one.source.kind, "sitemaps") for one in chosen))
    feeds = tuple(one.source.url for one in chosen if one.source.kind == "feed")
    return Advice(discover, feeds, _pinned(chosen, verdicts), schedule, (why, how_often))


def _since(fresh: Sequence[SourceVerdict]) -> datetime:
    """Return the time from which articles count: as far back as the feeds reach, so that none is at a disadvantage."""
    window = max(one.dates[0] for one in fresh) - RECENT
    ends = [one.dates[-1] for one in fresh if one.source.kind == "feed"]
    return max(window, min(ends, default=window))


def _chosen(fresh: Sequence[SourceVerdict], recent: set[str]) -> tuple[list[SourceVerdict], str]:
    """Return the fewest sources that list enough of the recent articles: feeds, then sitemaps, then both."""
    feeds = [one for one in fresh if one.source.kind == "feed"]
    sitemaps = [one for one in fresh if one.source.kind != "feed"]
    for group, name in ((feeds, "the feeds"), (sitemaps, "the sitemaps"), (fresh, "feeds and sitemaps together")):
        chosen = _fewest(group, recent)
        known = _known(chosen, recent)
        if known >= ENOUGH * len(recent) or group is fresh:
            named = "the feed" if chosen == feeds[:1] else name
            return chosen, f"{named} list{'s' * named.endswith('feed')} {known} of {len(recent)} recent articles"
    raise AssertionError("unreachable: the last group is all of them")


def _fewest(group: Sequence[SourceVerdict], recent: set[str]) -> list[SourceVerdict]:
    """Return sources of a group, each adding the most to those before it."""
    chosen: list[SourceVerdict] = []
    left = set(recent)
    while group and len(chosen) < MOST_FEEDS and left:
        best = max(group, key=lambda one: (len(left & one.keys), one.source.kind == "feed"))
        added = left & best.keys
        if not added:
            break
        chosen.append(best)
        left -= added
        if len(left) <= (1 - ENOUGH) / 2 * len(recent):
            break
    return chosen


def _known(chosen: Collection[SourceVerdict], recent: set[str]) -> int:
    return len(recent & set().union(*(one.keys for one in chosen)))


def _undated(usable: Sequence[SourceVerdict]) -> tuple[list[SourceVerdict], str]:
    """Return the advice if nothing recent is dated: the links of the home page, which show what is new."""
    links = [one for one in usable if _is_links(one)]
    feeds = [one for one in usable if one.source.kind == "feed" and (one.newest is None or one.newest <= STALE)]
    if feeds or links:
        return [*feeds[:MOST_FEEDS], *links], "no source dates a recent article; the home page shows what is new"
    return list(usable), "no source dates a recent article, so all sources with articles are read"


def _schedule(chosen: Sequence[SourceVerdict]) -> tuple[timedelta, str]:
    rates = [one.per_day for one in chosen if one.per_day is not None]
    if not rates:
        return UNKNOWN, "the number of articles a day is unknown"
    rate = max(rates)
    wanted = next(interval for least, interval in SCHEDULES if rate >= least)
    spans = [one.span for one in chosen if one.source.kind == "feed" and one.span]
    # An article must still be there at the next visit, and at the one after it should that fail.
    safe = min(spans, default=wanted * 2) / 2
    steps = [interval for _, interval in SCHEDULES if interval <= min(wanted, safe)]
    schedule = max(steps, default=SCHEDULES[0][1])
    told = f"about {rate:.{int(rate < 10)}f} articles a day" if rate >= 1 else "less than an article a day"
    return schedule, told + ("; a feed forgets them soon" if schedule < wanted else "")


def _pinned(chosen: Sequence[SourceVerdict], verdicts: Sequence[SourceVerdict]) -> tuple[str, ...]:
    """Return the news sitemaps to read, if others need not be read; parts of an index change their names."""
    sitemaps = [one.source for one in chosen if one.source.kind in ("news_sitemap", "sitemap")]
    others = [one.source for one in verdicts if one.source.kind == "sitemap" and one.source not in sitemaps]
    is_news_only = bool(sitemaps) and all(one.kind == "news_sitemap" for one in sitemaps)
    return tuple(dict.fromkeys(one.root or one.url for one in sitemaps)) if is_news_only and others else ()


def _is_links(verdict: SourceVerdict) -> bool:
    return verdict.source.kind == "links"
