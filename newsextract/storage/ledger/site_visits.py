"""Whether the last visit of a site was completed: if not, its sources are fetched again, as entries may be lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.value_fitting import moment, stamp
from newsextract.storage.schema.crawl_tables import sites

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class SiteVisit:
    """A run's visit of a site that begins or ends now."""

    site: str
    home: str | None
    run_id: str
    now: datetime


@dataclass(frozen=True, slots=True)
class LastVisit:
    """The previous visit of a site."""

    was_complete: bool
    """False also if there was none, or another run is still visiting."""
    completed: datetime | None
    started: datetime | None = None


def last_visits(connection: Connection, names: Sequence[str]) -> list[LastVisit]:
    """Return the last visits of sites, in order."""
    found: dict[str, LastVisit] = {}
    for some in chunks(sorted(set(names))):
        query = select(sites.c.site, sites.c.date_completed, sites.c.date_started).where(sites.c.site.in_(some))
        for site, completed, started in connection.execute(query):
            found[site] = LastVisit(bool(completed), completed and moment(completed), started and moment(started))
    return [found.get(name, LastVisit(was_complete=False, completed=None)) for name in names]


def start_site(connection: Connection, visits: Sequence[SiteVisit]) -> list[LastVisit]:
    """Record that visits begin, and return the previous ones; if repeated, those count as incomplete, which is safe."""
    new = {
        visit.site: {"site": visit.site, "home": visit.home, "date_first_seen": stamp(visit.now)} for visit in visits
    }
    insert_missing(connection, sites, [new[site] for site in sorted(new)])
    return [_start(connection, visit) for visit in visits]


def complete_site(connection: Connection, visits: Sequence[SiteVisit]) -> list[bool]:
    """Record that visits were completed; return False for a site that another run has begun to visit since.

    Such a site is complete when that run completes it.
    """
    return [
        connection.execute(
            update(sites)
            .where(sites.c.site == visit.site, sites.c.run_id == visit.run_id)
            .values(date_completed=stamp(visit.now))
        ).rowcount
        == 1
        for visit in visits
    ]


def _start(connection: Connection, visit: SiteVisit) -> LastVisit:
    is_site = sites.c.site == visit.site
    completed = connection.execute(select(sites.c.date_completed).where(is_site).with_for_update()).scalar_one()
    begun = {"date_started": stamp(visit.now), "date_completed": None, "run_id": visit.run_id}
    home = {"home": visit.home} if visit.home else {}
    connection.execute(update(sites).where(is_site).values(begun | home))
    return LastVisit(completed is not None, moment(completed) if completed else None)
