"""Runs: which are alive, which have died, and a lock against running the same shard of a crawl twice at once."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from sqlalchemy import and_, not_, or_, select, update

from newsextract.storage.database_thread import each
from newsextract.storage.rows import chunks, database_ms, insert_missing, moment, stamp
from newsextract.storage.schema import ledger, runs, sites

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping


# Identifies this process and its host, and checks whether another process is still alive.

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD = 21 - 2
"""Index in `/proc/PID/stat`, counted after the name, of the start time of the process in ticks since boot."""


def boot_of(pid: int) -> str:
    """Return what distinguishes a process from earlier ones with its PID: boot and start time; "" if unknown.

    A restarted container gives its processes the same PIDs.
    """
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
        # The name is in brackets and may hold spaces and brackets itself.
        start = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[_START_FIELD]
    except (OSError, IndexError):
        return ""
    return f"{boot}/{start}"


def is_alive(pid: int, boot: str) -> bool:
    """Return whether the process of this host with this PID and `boot_of` still runs; True if in doubt."""
    if boot and _BOOT_ID.exists():
        return boot_of(pid) == boot
    if os.name != "posix":  # where signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it belongs to another user
    return True


# Runs: which are alive, which have died, and a lock against running the same shard of the same crawl twice at once.
#
# A run sends heartbeats. It is dead if its process is gone, which runs on the same host can see, or if it has sent none
# for `SILENT_SECONDS` by the clock of the database. Claims of dead runs do not count.

SILENT_SECONDS = 120
"""A run that has been silent for so long is dead: twice the restart of a database, a quarter of a cron job's period."""

DIED = "died"
"""The reason of a run that did not say why it ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the spider."""

    id: str
    spider: str
    command: str
    """Hash of spider, sites and shard, at most 32 characters: what must not run twice at once; empty excludes none."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    job: str | None = None
    """scrapyd's job id."""
    host: str = ""
    boot: str = ""
    """See `newsextract.storage.run_lock.boot_of`."""
    pid: int = 0
    started: datetime | None = None
    """When it began; set only for runs read from the database."""

    @classmethod
    def here(cls, spider: str, command: str, arguments: Mapping[str, Any], job: str | None = None) -> Self:
        """Return a new run of this process."""
        return cls(uuid4().hex, spider, command, arguments, job, gethostname(), boot_of(os.getpid()), os.getpid())


@each
def begin_run(connection: Connection, beginning: tuple[Run, datetime]) -> Run | None:
    """Register a run at its start time and return `None`; if one of the same command is alive, return that instead.

    If two begin at the same moment, one gets the other returned: `exclusive` is unique in the table.
    """
    run, now = beginning
    row = _row(run, now) | {"exclusive": run.command or None}
    while True:
        sweep(connection, now)
        insert_missing(connection, runs, [row])
        if connection.execute(select(runs.c.id).where(runs.c.id == run.id)).first() is not None:
            # Before anyone sees it: else a run on a machine whose clock is late would count as silent at first.
            heartbeat(connection, [(run.id, now)])
            return None
        if other := _holder(connection, run.command):
            return other
        # Otherwise it has just ended.


def is_first_of_day(connection: Connection, now: datetime) -> bool:
    """Return whether no other run has begun since midnight UTC."""
    midnight = stamp(now.replace(hour=0, minute=0, second=0, microsecond=0))
    begun = connection.execute(select(runs.c.id).where(runs.c.date_started >= midnight).limit(2)).all()
    return len(begun) < 2


def sweep(connection: Connection, now: datetime) -> list[str]:
    """End dead runs, and release their claims; return their ids."""
    is_open, is_silent = runs.c.date_ended.is_(None), _is_silent(now)
    rows = connection.execute(select(runs, is_silent.label("is_silent")).where(is_open)).mappings().all()
    silent = [row["id"] for row in rows if row["is_silent"]]
    gone = [row["id"] for row in rows if not row["is_silent"] and _is_gone(row)]
    ending = {"date_ended": stamp(now), "reason": DIED, "exclusive": None}
    for ids, is_still_so in ((silent, is_silent), (gone, is_open)):
        for some in chunks(sorted(ids)):
            connection.execute(update(runs).where(runs.c.id.in_(some), is_open, is_still_so).values(ending))
    died = and_(runs.c.id.in_(silent + gone), runs.c.date_ended.is_not(None))
    # One that has sent a heartbeat just now is not among them.
    dead = sorted(connection.execute(select(runs.c.id).where(died)).scalars()) if rows else []
    _release_all(connection, dead)
    return dead


@each
def heartbeat(connection: Connection, beat: tuple[str, datetime]) -> bool:
    """Record that a run, given by id, was alive at a time; return False if it was meanwhile ended as dead."""
    run_id, now = beat
    is_open = (runs.c.id == run_id) & runs.c.date_ended.is_(None)
    alive = {"date_heartbeat": stamp(now), "beat_ms": database_ms()}
    return connection.execute(update(runs).where(is_open).values(alive)).rowcount == 1


@each
def revive(connection: Connection, revival: tuple[Run, datetime]) -> bool:
    """Let a run that was ended as dead go on without its claims; return False if another took its place."""
    run, now = revival
    if run.command and (other := _holder(connection, run.command)):
        return other.id == run.id
    alive = {"date_ended": None, "reason": None, "date_heartbeat": stamp(now), "beat_ms": database_ms()}
    is_it = and_(runs.c.id == run.id, runs.c.reason == DIED)
    connection.execute(update(runs).where(is_it).values(alive | {"exclusive": run.command or None}))
    return True


@each
def end_run(connection: Connection, end: tuple[str, str, Mapping[str, Any], datetime]) -> None:
    """Record the end of a run, given as id, reason, stats and time, and release its claims."""
    run_id, reason, stats, now = end
    plain = json.loads(json.dumps(dict(stats), default=str))
    values = {"date_ended": stamp(now), "reason": reason[:120], "stats": plain, "exclusive": None}
    connection.execute(update(runs).where(runs.c.id == run_id).values(values))
    _release_all(connection, [run_id])


def living_runs(connection: Connection, now: datetime) -> set[str]:
    """Return the ids of the runs whose claims count."""
    return set(
        connection.execute(select(runs.c.id).where(runs.c.date_ended.is_(None), not_(_is_silent(now)))).scalars()
    )


def _is_silent(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a run was silent for too long; before its first heartbeat, there is only its clock."""
    began_long_ago = runs.c.date_heartbeat < stamp(now - timedelta(seconds=SILENT_SECONDS))
    has_beaten_long_ago = runs.c.beat_ms < database_ms() - SILENT_SECONDS * 1000
    return or_(and_(runs.c.beat_ms.is_(None), began_long_ago), and_(runs.c.beat_ms.is_not(None), has_beaten_long_ago))


def _holder(connection: Connection, command: str) -> Run | None:
    """Return the run that forbids others of its command; `None` if there is none."""
    # Locked, to see it even if the transaction reads a snapshot from its beginning.
    row = connection.execute(select(runs).where(runs.c.exclusive == command).with_for_update()).mappings().first()
    return None if row is None else _run(row)


def _is_gone(row: RowMapping) -> bool:
    return row["host"] == gethostname() and not is_alive(row["pid"], row["boot"] or "")


def _release_all(connection: Connection, run_ids: Sequence[str]) -> None:
    for some in chunks(run_ids):
        connection.execute(update(ledger).where(ledger.c.claimed_by.in_(some)).values(claimed_by=None))


def _row(run: Run, now: datetime) -> dict[str, Any]:
    names = ("id", "spider", "command", "job", "host", "boot", "pid")
    times = {"date_started": stamp(now), "date_heartbeat": stamp(now)}
    return {name: getattr(run, name) for name in names} | times | {"arguments": dict(run.arguments)}


def _run(row: RowMapping) -> Run:
    names = ("id", "spider", "command", "arguments", "job", "host", "boot", "pid")
    return Run(**{name: row[name] for name in names}, started=moment(row["date_started"]))


# Whether the last visit of a site was completed: if not, its sources are fetched again, as entries may be lost.


@dataclass(frozen=True, slots=True)
class SiteVisit:
    """A run's visit of a site that begins or ends now."""

    site: str
    run_id: str
    now: datetime


@dataclass(frozen=True, slots=True)
class LastVisit:
    """The previous visit of a site; neither begun nor complete if there was none."""

    started: datetime | None = None
    was_complete: bool = False
    """False also if another run is still visiting."""


def last_visits(connection: Connection, names: Sequence[str]) -> list[LastVisit]:
    """Return the last visits of sites, in order."""
    found: dict[str, LastVisit] = {}
    for some in chunks(sorted(set(names))):
        query = select(sites.c.site, sites.c.date_started, sites.c.date_completed).where(sites.c.site.in_(some))
        for site, started, completed in connection.execute(query):
            found[site] = LastVisit(started and moment(started), completed is not None)
    return [found.get(name, LastVisit()) for name in names]


@each
def start_site(connection: Connection, visit: SiteVisit) -> None:
    """Record that the visit of a site begins."""
    new = {"site": visit.site, "date_first_seen": stamp(visit.now)}
    insert_missing(connection, sites, [new])
    begun = {"date_started": stamp(visit.now), "date_completed": None, "run_id": visit.run_id}
    connection.execute(update(sites).where(sites.c.site == visit.site).values(begun))


@each
def complete_site(connection: Connection, visit: SiteVisit) -> bool:
    """Record that a visit was completed; return False if another run has begun to visit the site since.

    Such a site is complete when that run completes it.
    """
    is_ours = (sites.c.site == visit.site) & (sites.c.run_id == visit.run_id)
    return connection.execute(update(sites).where(is_ours).values(date_completed=stamp(visit.now))).rowcount == 1
