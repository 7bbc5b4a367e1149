"""The figures of one site in one run: counts rather than shares, so that several runs can be added up.

`SiteCount` makes them, page by page, while the run goes on.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import select

from newsextract.reading.notices import NoticeCode, PageState, noticed
from newsextract.sites.site_files import parse_date
from newsextract.storage.rows import moment, stamp, write_rows
from newsextract.storage.schema import site_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.article import Article


BACKLOG_DAYS = 3
"""An article older than this when first seen comes from the archive, and tells nothing about our delay."""

_MOST_REASONS = 5
_TROUBLED = (PageState.ERROR, PageState.BLOCKED, PageState.EMPTY, PageState.DROPPED)
_BARREN = (PageState.EMPTY, PageState.LISTING, PageState.OTHER)
_UNMET = (NoticeCode.RULE_MISSED, NoticeCode.RULE_NOT_WHOLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteFigures:
    """What a run saw of a site."""

    is_whole: bool = True
    """Whether the run came to its end; a stopped run may have missed something."""
    states: Mapping[str, int] = field(default_factory=dict)
    """Pages by state."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """The commonest reasons of pages that failed or were refused."""
    articles: int = 0
    """Articles read, both new and changed."""
    new: int = 0
    barren: int = 0
    """Pages fetched as articles that are not: empty, a listing, or something else."""
    interstitials: int = 0
    """Pages that have the text of others under another headline."""
    undated: int = 0
    """Articles without a date of publication."""
    unsigned: int = 0
    """Articles without an author."""
    untitled: int = 0
    rule_misses: Mapping[str, int] = field(default_factory=dict)
    """Articles on which a rule of the site was not followed, by rule."""
    median_words: int | None = None
    median_delay: int | None = None
    """Median seconds from publication to visit, of new articles that state a time of day and are not backlog."""
    delays: int = 0
    """How many articles the median is taken over."""
    sources_read: int = 0
    """Feeds and sitemaps that were read."""
    sources_failed: int = 0
    front_links: int | None = None
    """Links to articles on the front page; `None` if it was not read or has not changed."""
    subscription: str = ""
    """What is wrong with the reader's own subscription."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Return the figures from what `asdict` made of them, in this version or another."""
        return cls(**{each.name: values[each.name] for each in fields(cls) if each.name in values})

    @property
    def pages(self) -> int:
        """How many pages ended."""
        return sum(self.states.values())

    @property
    def read(self) -> int:
        """How many pages were read as articles, whether or not they were."""
        return self.articles + self.barren

    @property
    def blocked(self) -> int:
        """How many pages the site refused."""
        return self.states.get("blocked", 0)

    @property
    def asked(self) -> int:
        """How many pages, feeds and sitemaps were asked for."""
        return self.pages + self.sources_read + self.sources_failed

    @property
    def failed(self) -> int:
        """How many of these could not be fetched or read."""
        return self.states.get("error", 0) + self.blocked + self.sources_failed

    def share(self, count: int, of: int | None = None) -> float | None:
        """Return a share of the articles, or of the given total; `None` if the total is 0."""
        whole = self.articles if of is None else of
        return count / whole if whole else None

    @property
    def empty_rate(self) -> float | None:
        """The share of the pages read that have no article text."""
        return self.share(self.states.get("empty", 0), self.read)


@dataclass
class SiteCount:
    """The counts of one site while a run goes on."""

    site: str
    states: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    """The fields of `SiteFigures` that are plain numbers, by name."""
    rule_misses: Counter[str] = field(default_factory=Counter)
    words: list[int] = field(default_factory=list)
    delays: list[float] = field(default_factory=list)
    front_links: int | None = None
    subscription: str = ""

    def note_interstitial(self) -> None:
        """Count a page that has the text of others under another headline."""
        self.counts["interstitials"] += 1

    def note_page(self, state: PageState, reason: str, *, was_for_article: bool) -> None:
        """Count a page that ended; `was_for_article` if it was fetched as an article."""
        self.states[state.value] += 1
        if reason and state in _TROUBLED:
            self.reasons[f"{state.value}: {reason}"] += 1
        if was_for_article and state in _BARREN:
            self.counts["barren"] += 1

    def note_article(self, article: Article, seen: datetime, *, is_new: bool) -> None:
        """Count what an article has and lacks."""
        report = article.extraction
        self.counts.update(
            articles=1,
            new=is_new,
            undated=not article.datePublished,
            unsigned=not article.authors,
            untitled=not article.headline,
        )
        self.words.append(article.wordCount or 0)
        warnings = report.noticed if report else ()
        unmet = [notice for code in _UNMET for notice in noticed(code, warnings)]
        self.rule_misses.update({str(notice.values["rule"]) for notice in unmet})
        self._note_date(article.datePublished, seen, is_new=is_new)

    def note_source(self, reason: str) -> None:
        """Count a feed or sitemap; `reason` says why it could not be read."""
        self.counts["sources_failed" if reason else "sources_read"] += 1

    def note_front(self, links: int) -> None:
        """Add the number of links to articles on a front page."""
        self.front_links = (self.front_links or 0) + links

    def figures(self, *, is_whole: bool) -> SiteFigures:
        """Return the figures so far."""
        return SiteFigures(
            is_whole=is_whole,
            states=dict(self.states),
            reasons=dict(self.reasons.most_common(_MOST_REASONS)),
            rule_misses=dict(self.rule_misses),
            median_words=round(statistics.median(self.words)) if self.words else None,
            median_delay=round(statistics.median(self.delays)) if self.delays else None,
            delays=len(self.delays),
            front_links=self.front_links,
            subscription=self.subscription,
            **self.counts,
        )

    def _note_date(self, stated: str | None, seen: datetime, *, is_new: bool) -> None:
        published = parse_date(stated)
        delay = (seen - published).total_seconds() if published else -1.0
        if is_new and _has_time(stated or "") and 0 <= delay <= BACKLOG_DAYS * 86_400:
            self.delays.append(delay)


def _has_time(stated: str) -> bool:
    """Tell whether an ISO date has a time of day, and an offset: without one it may be wrong by half a day."""
    time = stated.partition("T")[2]
    return ":" in time and (time.endswith("Z") or "+" in time or "-" in time)


# The figures of each site in each run, one row each; later runs are compared with them.

MOST_LOOKS = 1500
"""Earlier runs that are examined for new articles: a month of half hours."""


@dataclass(frozen=True, slots=True)
class SiteRun:
    """One run's figures of one site."""

    run_id: str
    site: str
    date: datetime
    """When the run ended."""
    figures: SiteFigures
    problems: tuple[str, ...] = ()
    """The problems of the site at that time: names of `newsextract.newsroom.health.judging.ProblemKind`."""


@dataclass(frozen=True, slots=True)
class Look:
    """A run that looked for new articles, and the number it found."""

    date: datetime
    articles: int


def put_site_runs(connection: Connection, batch: Sequence[SiteRun]) -> None:
    """Write rows, replacing those of the same run and site."""
    rows = {
        (each.site, each.run_id): {
            "run_id": each.run_id,
            "site": each.site,
            "date": stamp(each.date),
            "articles": each.figures.new,
            "pages": each.figures.read,
            "figures": asdict(each.figures),
            "problems": ",".join(each.problems),
        }
        for each in batch
    }
    # All writers use the same order, so that two never wait for each other.
    write_rows(connection, site_runs, [rows[key] for key in sorted(rows)], kept=("run_id", "site"))


def recent_runs(connection: Connection, site: str, most: int) -> list[SiteRun]:
    """Return the last `most` runs of a site and the last `most` that read pages, together, the oldest first."""
    found: dict[str, SiteRun] = {}
    query = select(site_runs).where(site_runs.c.site == site).limit(most)
    query = query.order_by(site_runs.c.date.desc(), site_runs.c.run_id.desc())
    for wanted in (query, query.where(site_runs.c.pages > 0)):
        for row in connection.execute(wanted).mappings():
            figures, problems = SiteFigures.from_json(row["figures"]), tuple(filter(None, row["problems"].split(",")))
            found[row["run_id"]] = SiteRun(row["run_id"], site, moment(row["date"]), figures, problems)
    return sorted(found.values(), key=lambda each: (each.date, each.run_id))


def looks(connection: Connection, site: str) -> list[Look]:
    """Return the last runs that looked for new articles of a site, the oldest first."""
    query = (
        select(site_runs.c.date, site_runs.c.articles)
        .where(site_runs.c.site == site)
        .order_by(site_runs.c.date.desc())
        .limit(MOST_LOOKS)
    )
    return [Look(moment(date), articles) for date, articles in reversed(connection.execute(query).all())]


def seen_sites(connection: Connection, since: datetime) -> list[str]:
    """Return the sites visited since a time, sorted."""
    query = select(site_runs.c.site).where(site_runs.c.date >= stamp(since))
    return list(connection.execute(query.distinct().order_by(site_runs.c.site)).scalars())
