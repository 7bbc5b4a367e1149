"""Which nodes crawl, and which have died: the runs under way on every host, and those that ended without saying why."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from newsextract.storage.database.value_fitting import moment, stamp
from newsextract.storage.ledger.crawl_runs import DIED, LEASE_SECONDS
from newsextract.storage.schema.crawl_tables import runs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection, RowMapping

LOOKED_BACK = timedelta(days=1)
"""A node that died earlier is no news."""

_COLUMNS = tuple(runs.c[name] for name in "host pid job date_started date_heartbeat date_ended reason".split())
"""All but the stats, which are long."""


@dataclass(frozen=True, slots=True)
class NodeRun:
    """A run on a host; all times are UTC."""

    host: str
    pid: int
    job: str | None
    """scrapyd's id of it."""
    started: datetime
    heartbeat: datetime
    """The last sign of life."""
    ended: datetime | None = None
    """`None` while nobody has noticed an end."""
    reason: str | None = None

    def state(self, now: datetime) -> str:
        """Return `running`, `silent` (no sign of life for longer than is normal), `died` or `ended`."""
        if self.ended is not None:
            return "died" if self.reason == DIED else "ended"
        return "silent" if now - self.heartbeat > timedelta(seconds=LEASE_SECONDS) else "running"


def node_runs(connection: Connection, now: datetime) -> list[NodeRun]:
    """Return the runs that are open, and those that died in the last day and have no later run on their host.

    The order is that of hosts, then of starts.
    """
    is_recent = or_(runs.c.date_ended.is_(None), runs.c.date_ended >= stamp(now - LOOKED_BACK))
    rows = connection.execute(select(*_COLUMNS).where(is_recent)).mappings().all()
    found = sorted(map(_run, rows), key=lambda run: (run.host, run.started))
    newest = {run.host: run for run in found}
    return [run for run in found if run.ended is None or (run.reason == DIED and newest[run.host] is run)]


def lost_nodes(found: Sequence[NodeRun], now: datetime) -> list[NodeRun]:
    """Return the runs that died or fell silent."""
    return [run for run in found if run.state(now) != "running"]


def _run(row: RowMapping) -> NodeRun:
    return NodeRun(
        row["host"],
        row["pid"],
        row["job"],
        moment(row["date_started"]),
        moment(row["date_heartbeat"]),
        None if row["date_ended"] is None else moment(row["date_ended"]),
        row["reason"],
    )
