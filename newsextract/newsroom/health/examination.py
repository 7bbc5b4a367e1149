"""Store what runs saw of each site, and judge each site's newest run.

The result is also told as plain values: for `scrapy health --json`, and for the message to a webhook.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.health.run_windows import MIN_RUNS, PastRun
from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.newsroom.health.site_judging import judge
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.ledger.site_runs import looks, put_site_runs, recent_runs, seen_sites

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.newsroom.health.trouble import Trouble
    from newsextract.storage.ledger.site_runs import SiteRun

RUNS = 30
"""Runs that say what is usual: a month of daily runs, or about a day of half-hourly runs that read pages."""

GIVEN_UP = timedelta(days=30)
"""A site that no run has asked for so long is no longer watched: otherwise it would stay ill, or well, for ever."""

VERSION = 1
"""Version of the message's form; it grows when a field is removed or changes its meaning."""


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """The health of a site, judged by its newest run."""

    site: str
    runs: Sequence[SiteRun]
    """The last runs including the newest, oldest first."""
    troubles: tuple[Trouble, ...]
    last_find: datetime | None
    """The end of the last run that found a new article."""

    @property
    def newest(self) -> SiteRun:
        """The newest run."""
        return self.runs[-1]

    @property
    def figures(self) -> Sequence[SiteFigures]:
        """What the last runs saw, oldest first."""
        return [SiteFigures.from_json(run.figures) for run in self.runs]

    @property
    def state(self) -> str:
        """`ill`, `well`, or `new` where too few runs are known to tell."""
        if self.troubles:
            return "ill"
        return "well" if len(self.runs) > MIN_RUNS else "new"


def store_runs(connection: Connection, batch: Sequence[SiteRun]) -> list[SiteHealth]:
    """Store what runs saw of sites, and return the sites' health; repeating it changes nothing."""
    put_site_runs(connection, batch)
    found = [examine(connection, run.site) for run in batch]
    judged = [
        replace(run, troubles=tuple(trouble.kind for trouble in health.troubles))
        for run, health in zip(batch, found, strict=True)
        if health is not None
    ]
    put_site_runs(connection, judged)
    return [health for health in found if health is not None]


def examine(connection: Connection, site: str, most: int = RUNS) -> SiteHealth | None:
    """Return the health of a site, by up to `most` runs before the newest; `None` if no run has seen it."""
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
    """Return the health of each site that a run has seen lately, the ill ones first."""
    found = [examine(connection, site, most) for site in seen_sites(connection, now - GIVEN_UP)]
    return sorted(filter(None, found), key=lambda health: (health.state != "ill", health.site))


def _since(trouble: Trouble, runs: Sequence[SiteRun]) -> datetime:
    """Return the end of the first of the consecutive runs that met a trouble."""
    since = runs[-1].date
    for run in reversed(runs[:-1]):
        if trouble.kind not in run.troubles:
            break
        since = run.date
    return since


def statement_of(health: SiteHealth) -> dict[str, Any]:
    """Return all that is known about a site's health, as plain values."""
    return {
        "site": health.site,
        "state": health.state,
        "troubles": [_trouble(each) for each in health.troubles],
        "last_find": _stamp(health.last_find),
        "runs": [_run(each) for each in health.runs],
    }


def message_of(ill: Sequence[SiteHealth], run_id: str, date: datetime) -> dict[str, Any]:
    """Return the webhook's message about the ill sites of a run."""
    sites = [
        {"site": health.site, "troubles": [_trouble(each) for each in health.troubles], "run": _run(health.newest)}
        for health in ill
    ]
    text = "\n".join(line for health in ill for line in lines_of(health))
    return {
        "event": "site.health",
        "version": VERSION,
        "run_id": run_id,
        "date": stamp(date),
        "text": text,
        "sites": sites,
    }


def lines_of(health: SiteHealth) -> list[str]:
    """Return a line for people for each thing that is wrong."""
    return [f"site {health.site}: {trouble}{_how_long(trouble, health)}" for trouble in health.troubles]


def _how_long(trouble: Trouble, health: SiteHealth) -> str:
    if trouble.since is None or trouble.since == health.newest.date:
        return ""
    return f" (since {trouble.since:%Y-%m-%d %H:%M} UTC)"


def _trouble(trouble: Trouble) -> dict[str, Any]:
    return {"kind": trouble.kind.value, "reason": trouble.reason, "since": _stamp(trouble.since)}


def _run(run: SiteRun) -> dict[str, Any]:
    plain = {"run_id": run.run_id, "date": stamp(run.date), "articles": run.articles}
    return plain | {"figures": dict(run.figures), "troubles": list(run.troubles)}


def _stamp(date: datetime | None) -> str | None:
    return None if date is None else stamp(date)
