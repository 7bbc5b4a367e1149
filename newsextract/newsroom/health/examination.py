"""How the sites do, by the database: what runs saw of them is stored, and the newest run of each is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from newsextract.newsroom.health.run_windows import MIN_RUNS, PastRun
from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.newsroom.health.site_judging import judge
from newsextract.storage.ledger.site_runs import looks, put_site_runs, recent_runs, seen_sites

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.newsroom.health.trouble import Trouble
    from newsextract.storage.ledger.site_runs import SiteRun

RUNS = 30
"""Runs that say what is usual: a month of days, and of the runs of half an hour those of a day that read pages."""

GIVEN_UP = timedelta(days=30)
"""A site that no run has asked for so long is none that somebody watches: it would be ill, or well, for ever."""


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """How a site does, by its newest run."""

    site: str
    runs: Sequence[SiteRun]
    """The last runs, the newest one included, the oldest first."""
    troubles: tuple[Trouble, ...]
    last_find: datetime | None
    """The end of the last run that met a new article."""

    @property
    def newest(self) -> SiteRun:
        """The newest run."""
        return self.runs[-1]

    @property
    def figures(self) -> Sequence[SiteFigures]:
        """What the last runs saw, the oldest first."""
        return [SiteFigures.from_json(run.figures) for run in self.runs]

    @property
    def state(self) -> str:
        """`ill`, `well`, or `new` where too few runs are known to tell."""
        if self.troubles:
            return "ill"
        return "well" if len(self.runs) > MIN_RUNS else "new"


def store_runs(connection: Connection, batch: Sequence[SiteRun]) -> list[SiteHealth]:
    """Store what runs saw of sites, and return how these do; repeating it changes nothing."""
    put_site_runs(connection, batch)
    found = [examine(connection, run.site) for run in batch]
    judged = [
        replace(run, troubles=tuple(trouble.illness for trouble in health.troubles))
        for run, health in zip(batch, found, strict=True)
        if health is not None
    ]
    put_site_runs(connection, judged)
    return [health for health in found if health is not None]


def examine(connection: Connection, site: str, most: int = RUNS) -> SiteHealth | None:
    """Return how a site does, by the `most` runs before the newest; `None` where no run has seen it."""
    runs = recent_runs(connection, site, most + 1)
    if not runs:
        return None
    seen = looks(connection, site)
    past = [PastRun(run.date, SiteFigures.from_json(run.figures), run.troubles) for run in runs]
    troubles = judge(past, seen)
    dated = tuple(replace(trouble, since=_since(trouble, runs)) for trouble in troubles)
    last_find = max((look.date for look in seen if look.articles), default=None)
    return SiteHealth(site, runs, dated, last_find)


def examine_all(connection: Connection, now: datetime, most: int = RUNS) -> list[SiteHealth]:
    """Return how each site does that a run has seen lately, the ill ones first."""
    found = [examine(connection, site, most) for site in seen_sites(connection, now - GIVEN_UP)]
    return sorted(filter(None, found), key=lambda health: (health.state != "ill", health.site))


def _since(trouble: Trouble, runs: Sequence[SiteRun]) -> datetime:
    """Return when the first run in a row ended that met a trouble."""
    since = runs[-1].date
    for run in reversed(runs[:-1]):
        if trouble.illness not in run.troubles:
            break
        since = run.date
    return since
