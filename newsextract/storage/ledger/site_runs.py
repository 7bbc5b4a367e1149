"""The figures of each site in each run, one row each; later runs are compared with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from newsextract.storage.rows import moment, stamp, write_rows
from newsextract.storage.schema import site_runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping

MOST_LOOKS = 1500
"""Earlier runs that are examined for new articles: a month of half hours."""


@dataclass(frozen=True, slots=True)
class SiteRun:
    """One run's figures of one site."""

    run_id: str
    site: str
    date: datetime
    """When the run ended."""
    articles: int
    """New articles."""
    pages: int
    """Pages read as possible articles, whether they were articles or not."""
    figures: Mapping[str, Any]
    """See `newsextract.newsroom.health.figures.SiteFigures`."""
    problems: tuple[str, ...] = ()
    """The problems of the site at that time: names of `newsextract.newsroom.health.judging.ProblemKind`."""


@dataclass(frozen=True, slots=True)
class Look:
    """A run that looked for new articles, and the number it found."""

    date: datetime
    articles: int


def put_site_runs(connection: Connection, batch: Sequence[SiteRun]) -> list[None]:
    """Write rows, replacing those of the same run and site."""
    rows = {(each.site, each.run_id): _row(each) for each in batch}
    # All writers use the same order, so that two never wait for each other.
    write_rows(connection, site_runs, [rows[key] for key in sorted(rows)], kept=("run_id", "site"))
    return [None] * len(batch)


def recent_runs(connection: Connection, site: str, most: int) -> list[SiteRun]:
    """Return the last `most` runs of a site and the last `most` that read pages, together, the oldest first."""
    found: dict[str, SiteRun] = {}
    for conditions in ((), (site_runs.c.pages > 0,)):
        found |= {each.run_id: each for each in _newest(connection, site, most, conditions)}
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


def forget_site_runs(connection: Connection, before: datetime) -> int:
    """Delete the rows of runs that ended before a time; return how many."""
    return connection.execute(delete(site_runs).where(site_runs.c.date < stamp(before))).rowcount


def _newest(connection: Connection, site: str, most: int, conditions: Sequence[ColumnElement[bool]]) -> list[SiteRun]:
    query = (
        select(site_runs)
        .where(site_runs.c.site == site, *conditions)
        .order_by(site_runs.c.date.desc(), site_runs.c.run_id.desc())
        .limit(most)
    )
    return [_site_run(row) for row in connection.execute(query).mappings()]


def _row(each: SiteRun) -> dict[str, Any]:
    plain = {name: getattr(each, name) for name in ("run_id", "site", "articles", "pages")}
    return plain | {"date": stamp(each.date), "figures": dict(each.figures), "problems": ",".join(each.problems)}


def _site_run(row: RowMapping) -> SiteRun:
    problems = tuple(filter(None, row["problems"].split(",")))
    return SiteRun(**{**row, "date": moment(row["date"]), "problems": problems})
