"""Recommends which sources to read, and how often: the fewest that list what is new; as lines for `sites.yml`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from textwrap import indent
from typing import TYPE_CHECKING, Any

from newsextract.sites.languages import is_language
from newsextract.tools.probing.source_quality import recent_articles
from newsextract.yaml_files import yaml_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from newsextract.tools.probing.source_quality import SourceVerdict

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


def site_block(start: str, advice: Advice, language: str | None = None, *, needs_script: bool = False) -> str:
    """Return a `sites.yml` with this one site; the lines below `sites:` can be pasted into a longer list."""
    entry: dict[str, Any] = {"start": start}
    if "feeds" in advice.discover and advice.feeds:
        entry["feeds"] = list(advice.feeds)
    if advice.sitemaps:
        entry["sitemaps"] = list(advice.sitemaps)
    entry["discover"] = list(advice.discover)
    if language and is_language(language):
        entry["language"] = language
    if needs_script:
        entry["render"] = "auto"
    entry["schedule"] = advice.schedule_text
    written = yaml_text([entry], flow_leaves=True)
    return f"sites:\n{indent(written, '  ')}"
