"""How crawls went: sites with their health, one site's runs, and the runs of the spider."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlalchemy import func, select

from newsextract.newsroom.health.report import examine
from newsextract.storage.schema import articles, ledger, runs, site_runs, sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from newsextract.newsroom.desk.listing import Row
    from newsextract.newsroom.health.report import SiteHealth

PAGE_SITES = 100
MOST_RUNS = 100
MOST_SITES = 5
"""Sites of a run that are named."""
_STATE = "newsextract/state/"


@dataclass
class Site:
    """A site in the list of sites."""

    name: str
    articles: int
    newest: str | None
    """The newest date of publication, in UTC."""
    last_day: int
    """Articles seen in the twenty-four hours up to the last one of any site."""
    completed: str | None
    """When the last visit ended."""
    problems: list[str]
    """What was wrong with it at the end of its last run."""
    states: Sequence[tuple[str, int]]
    """Known pages by the state in which the last visit of each ended."""


@dataclass(frozen=True)
class SitePage:
    """A page of the list of sites, those with the most articles first."""

    sites: list[Site]
    page: int
    total: int
    """Sites on all pages."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return max(1, -(-self.total // PAGE_SITES))

    def link(self, page: int) -> str:
        """Return the URL of a page."""
        return f"/sites?page={page}"


def site_page(connection: Connection, page: int = 1) -> SitePage:
    """Return what is known about each site of a page of the list."""
    newest = func.max(func.coalesce(articles.c.date_published_utc, articles.c.date_first_seen))
    counted = select(articles.c.site, func.count(), newest).group_by(articles.c.site)
    counts = {name: (count, moment) for name, count, moment in connection.execute(counted)}
    visits = dict(connection.execute(select(sites.c.site, sites.c.date_completed)).all())
    counts |= {name: (0, None) for name in visits if name not in counts}
    ordered = sorted(counts, key=lambda name: (-counts[name][0], name))
    names = ordered[(page - 1) * PAGE_SITES : page * PAGE_SITES]
    new, problems, states = _new_articles(connection), _problems(connection, names), page_states(connection, names)
    found = [
        Site(name, *counts[name], new[name], visits.get(name), problems.get(name, []), states[name]) for name in names
    ]
    return SitePage(found, page, len(counts))


def _new_articles(connection: Connection) -> Counter[str]:
    """Return the articles of each site that were seen in the last day with any."""
    last = connection.execute(select(func.max(articles.c.date_first_seen))).scalar()
    if last is None:
        return Counter()
    start = (datetime.fromisoformat(last) - timedelta(days=1)).isoformat(timespec="seconds")
    recent = select(articles.c.site).where(articles.c.date_first_seen > start)
    return Counter(connection.execute(recent).scalars())


def _problems(connection: Connection, names: Sequence[str]) -> dict[str, list[str]]:
    """Return what was wrong with sites at the end of their last runs."""
    is_among = site_runs.c.site.in_(names)
    last = select(site_runs.c.site, func.max(site_runs.c.date).label("date")).where(is_among).group_by(site_runs.c.site)
    newest = last.subquery()
    is_last = (newest.c.site == site_runs.c.site) & (newest.c.date == site_runs.c.date)
    found = connection.execute(select(site_runs.c.site, site_runs.c.problems).join(newest, is_last))
    return {name: stated.split(",") for name, stated in found if stated}


def page_states(connection: Connection, names: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
    """Return how the last visits of the known pages of sites ended, the commonest state first."""
    columns = ledger.c.site, ledger.c.state
    counted = select(*columns, func.count()).where(ledger.c.role == "candidate", ledger.c.site.in_(names))
    found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, state, count in connection.execute(counted.group_by(*columns).order_by(func.count().desc(), *columns)):
        found[name].append((state or "", count))
    return found


@dataclass(frozen=True)
class SiteDetail:
    """What the page of a site shows."""

    name: str
    articles: int
    states: Sequence[tuple[str, int]]
    health: SiteHealth | None
    """`None` if no run has recorded what it saw of the site."""


def site_detail(connection: Connection, name: str) -> SiteDetail | None:
    """Return what is known about a site; `None` if nothing is."""
    count = connection.execute(select(func.count()).where(articles.c.site == name)).scalar_one()
    states, health = page_states(connection, [name])[name], examine(connection, name)
    return SiteDetail(name, count, states, health) if count or states or health else None


@dataclass(frozen=True)
class Run:
    """A run in the list of runs."""

    row: Row
    sites: list[str]
    """The first `MOST_SITES` of its sites."""
    more_sites: int
    pages: int
    states: Sequence[tuple[str, int]]
    """Pages by how they ended; empty while the run is in progress."""


def newest_runs(connection: Connection) -> list[Run]:
    """Return the last runs, newest first."""
    names = ("arguments", "date_started", "date_heartbeat", "date_ended", "reason", "stats")
    wanted = select(*(runs.c[name] for name in names)).order_by(runs.c.date_started.desc()).limit(MOST_RUNS)
    return [_run(row) for row in connection.execute(wanted).mappings()]


def _run(row: Row) -> Run:
    stats: dict[str, Any] = row["stats"] or {}
    states = Counter({key.removeprefix(_STATE): count for key, count in stats.items() if key.startswith(_STATE)})
    stated = str((row["arguments"] or {}).get("sites") or "").split(",")
    named = [urlsplit(site.strip()).netloc or site.strip() for site in stated if site.strip()]
    pages = stats.get("newsextract/pages") or 0
    return Run(row, named[:MOST_SITES], len(named) - MOST_SITES, pages, states.most_common())
