"""Runs: which are alive, which have died, and a lock against running the same crawl twice at once.

A run sends heartbeats. It is dead if its process is gone, which runs on the same host can see, or if it has sent none
for `LEASE_SECONDS` by the clock of the database. Claims and leases of dead runs do not count.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from sqlalchemy import and_, not_, or_, select, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.database_time import database_ms
from newsextract.storage.database.value_fitting import moment, stamp
from newsextract.storage.ledger.lease_release import release_leases
from newsextract.storage.ledger.process_identity import boot_of, host_name, is_alive
from newsextract.storage.schema.crawl_tables import ledger, runs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection, RowMapping

LEASE_SECONDS = 120
"""A run that has been silent for so long is dead: twice the restart of a database, a quarter of a cron job's period."""

DIED = "died"
"""The reason of a run that did not say why it ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of the spider."""

    id: str
    spider: str
    command: str
    """Hash of spider and sites, at most 32 characters: what must not run twice at once."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    job: str | None = None
    """scrapyd's job id."""
    host: str = ""
    boot: str = ""
    """See `newsextract.storage.ledger.process_identity.boot_of`."""
    pid: int = 0
    started: datetime | None = None
    """When it began; set only for runs read from the database."""

    @classmethod
    def here(cls, spider: str, command: str, arguments: Mapping[str, Any], job: str | None = None) -> Self:
        """Return a new run of this process."""
        return cls(uuid4().hex, spider, command, arguments, job, host_name(), boot_of(os.getpid()), os.getpid())


def begin_runs(connection: Connection, beginnings: Sequence[tuple[Run, datetime, bool]]) -> list[Run | None]:
    """Register runs, given with their start time and whether they may overlap; see `begin_run`."""
    others = [begin_run(connection, run, now, may_overlap=overlaps) for run, now, overlaps in beginnings]
    # Before anyone sees it: until its first heartbeat, a run on a machine whose clock is late would count as silent.
    heartbeat(connection, [(run.id, now) for (run, now, _), other in zip(beginnings, others, strict=True) if not other])
    return others


def begin_run(connection: Connection, run: Run, now: datetime, *, may_overlap: bool) -> Run | None:
    """Register a run and return `None`; if a living run of the same command forbids it, return that run instead.

    If two begin at the same moment, one gets the other returned: `exclusive` is unique in the table.
    """
    row = _row(run, now) | {"exclusive": None if may_overlap else run.command}
    while True:
        sweep(connection, now)
        insert_missing(connection, runs, [row])
        has_begun = connection.execute(select(runs.c.id).where(runs.c.id == run.id)).first() is not None
        if not has_begun:
            if other := _holder(connection, run.command):
                return other
            continue  # it has just ended
        other = None if may_overlap else _overlapping(connection, run)
        if other is not None:
            connection.execute(runs.delete().where(runs.c.id == run.id))
        return other


def is_first_of_day(connection: Connection, now: datetime) -> bool:
    """Return whether no other run has begun since midnight UTC."""
    midnight = stamp(now.replace(hour=0, minute=0, second=0, microsecond=0))
    begun = connection.execute(select(runs.c.id).where(runs.c.date_started >= midnight).limit(2)).all()
    return len(begun) < 2


def sweep(connection: Connection, now: datetime) -> list[str]:
    """End dead runs, and release their claims and leases; return their ids."""
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


def heartbeat(connection: Connection, beats: Sequence[tuple[str, datetime]]) -> list[bool]:
    """Record that runs, given by id, were alive at a time; return False for one that was meanwhile ended as dead."""
    return [
        connection.execute(
            update(runs)
            .where(runs.c.id == run_id, runs.c.date_ended.is_(None))
            .values(date_heartbeat=stamp(now), beat_ms=database_ms())
        ).rowcount
        == 1
        for run_id, now in beats
    ]


def revive(connection: Connection, revivals: Sequence[tuple[str, datetime]]) -> list[None]:
    """Let runs that were ended as dead go on; their claims and leases are lost."""
    for run_id, now in revivals:
        alive = {"date_ended": None, "reason": None, "date_heartbeat": stamp(now), "beat_ms": database_ms()}
        connection.execute(update(runs).where(runs.c.id == run_id, runs.c.reason == DIED).values(alive))
    return [None] * len(revivals)


def end_run(connection: Connection, ends: Sequence[tuple[str, str, Mapping[str, Any], datetime]]) -> list[None]:
    """Record the end of runs, given as id, reason, stats and time, and release their claims and leases."""
    for run_id, reason, stats, now in ends:
        plain = json.loads(json.dumps(dict(stats), default=str))
        values = {"date_ended": stamp(now), "reason": reason[:120], "stats": plain, "exclusive": None}
        connection.execute(update(runs).where(runs.c.id == run_id).values(values))
    _release_all(connection, sorted(run_id for run_id, *_ in ends))
    return [None] * len(ends)


def living_runs(connection: Connection, now: datetime) -> set[str]:
    """Return the ids of the runs whose claims count."""
    return set(
        connection.execute(select(runs.c.id).where(runs.c.date_ended.is_(None), not_(_is_silent(now)))).scalars()
    )


def _is_silent(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a run was silent for too long; before its first heartbeat, there is only its clock."""
    began_long_ago = runs.c.date_heartbeat < stamp(now - timedelta(seconds=LEASE_SECONDS))
    has_beaten_long_ago = runs.c.beat_ms < database_ms() - LEASE_SECONDS * 1000
    return or_(and_(runs.c.beat_ms.is_(None), began_long_ago), and_(runs.c.beat_ms.is_not(None), has_beaten_long_ago))


def _holder(connection: Connection, command: str) -> Run | None:
    """Return the run that forbids others of its command; `None` if there is none."""
    # Locked, to see it even if the transaction reads a snapshot from its beginning.
    row = connection.execute(select(runs).where(runs.c.exclusive == command).with_for_update()).mappings().first()
    return None if row is None else _run(row)


def _overlapping(connection: Connection, run: Run) -> Run | None:
    """Return an open run of the same command that allows others; after a sweep it is alive."""
    is_same = and_(runs.c.command == run.command, runs.c.exclusive.is_(None), runs.c.id != run.id)
    query = select(runs).where(is_same, runs.c.date_ended.is_(None)).order_by(runs.c.date_started, runs.c.id).limit(1)
    row = connection.execute(query).mappings().first()
    return None if row is None else _run(row)


def _is_gone(row: RowMapping) -> bool:
    return row["host"] == host_name() and not is_alive(row["pid"], row["boot"] or "")


def _release_all(connection: Connection, run_ids: Sequence[str]) -> None:
    for some in chunks(run_ids):
        connection.execute(update(ledger).where(ledger.c.claimed_by.in_(some)).values(claimed_by=None))
    release_leases(connection, run_ids)


def _row(run: Run, now: datetime) -> dict[str, Any]:
    names = ("id", "spider", "command", "job", "host", "boot", "pid")
    times = {"date_started": stamp(now), "date_heartbeat": stamp(now)}
    return {name: getattr(run, name) for name in names} | times | {"arguments": dict(run.arguments)}


def _run(row: RowMapping) -> Run:
    names = ("id", "spider", "command", "arguments", "job", "host", "boot", "pid")
    return Run(**{name: row[name] for name in names}, started=moment(row["date_started"]))
