"""Leases of hosts: of several runs on one database, one at a time sends requests to a host.

A host is what the downloader keeps a delay for: a name, with its port if that is not the usual one. Who gives one back
says how long the next run has to wait; of a run that died, the next one waits a whole delay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.database_time import database_ms
from newsextract.storage.schema.crawl_tables import host_leases, runs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

REMEMBERED_MS = 120_000
"""How long a delay that a host asked for holds for the next run, which learns anew what robots.txt says."""

_HOST, _RUN = host_leases.c.host, host_leases.c.run_id
_TAKE = update(host_leases).where(bindparam("b_host") == _HOST)
_OWN = _TAKE.where(bindparam("b_run") == _RUN)
_GIVE_BACK = _OWN.values(
    run_id=None,
    free_ms=database_ms() + bindparam("b_wait"),
    delay_ms=bindparam("b_delay"),
    asked_ms=bindparam("b_asked"),
)
_SLOW_DOWN = _OWN.values(delay_ms=bindparam("b_delay"), asked_ms=bindparam("b_asked"))


@dataclass(frozen=True, slots=True)
class HostWish:
    """The wish of a run to send requests to a host."""

    run_id: str
    host: str
    delay_seconds: float
    """Between two requests, as far as the run knows."""


@dataclass(frozen=True, slots=True)
class HostLease:
    """What a run that got a host has to keep."""

    wait_seconds: float
    """Before the first request."""
    asked_seconds: float
    """The delay that the host has lately asked of another run; 0 for none."""


@dataclass(frozen=True, slots=True)
class HostState:
    """What a run tells of a host that it holds, or gives back."""

    run_id: str
    host: str
    delay_seconds: float
    asked_seconds: float
    wait_seconds: float = 0.0
    """Until the next run may send its first request."""


def take_hosts(connection: Connection, wishes: Sequence[HostWish]) -> list[HostLease | None]:
    """Lease hosts to runs; `None` for a host that another open run holds. A repeated wish is granted again.

    Dead runs must have been ended before, see `crawl_runs.sweep`: the lease of an open run always counts.
    """
    hosts = sorted({wish.host for wish in wishes})
    insert_missing(connection, host_leases, [_new_row(host) for host in hosts])
    found: dict[str, dict[str, Any]] = {}
    for some in chunks(hosts):
        # Locked in one order, so that two runs never wait for each other.
        query = select(host_leases, database_ms().label("now_ms")).where(_HOST.in_(some)).order_by(_HOST)
        found |= {row["host"]: dict(row) for row in connection.execute(query.with_for_update()).mappings()}
    held = {row["run_id"] for row in found.values()} - {None} - {wish.run_id for wish in wishes}
    living = _open_runs(connection, sorted(held))
    granted: dict[str, dict[str, object]] = {}
    answers: list[HostLease | None] = []
    for wish in wishes:
        row = found[wish.host]
        if row["run_id"] != wish.run_id and row["run_id"] in living | {each.run_id for each in wishes}:
            answers.append(None)
            continue
        asked_ms = row["asked_ms"] if row["free_ms"] > row["now_ms"] - REMEMBERED_MS else 0
        wait = 0.0 if row["run_id"] == wish.run_id else max(row["free_ms"] - row["now_ms"], 0) / 1000
        answers.append(HostLease(wait, asked_ms / 1000))
        delay_ms = max(_ms(wish.delay_seconds), asked_ms)
        row["run_id"] = wish.run_id
        granted[wish.host] = {"b_host": wish.host, "run_id": wish.run_id, "delay_ms": delay_ms, "asked_ms": asked_ms}
    if granted:
        connection.execute(_TAKE, [granted[host] for host in sorted(granted)])
    return answers


def give_back_hosts(connection: Connection, states: Sequence[HostState]) -> list[None]:
    """Give back hosts; those that the run does not hold any more stay as they are."""
    if states:
        ordered = sorted(states, key=lambda state: state.host)
        connection.execute(_GIVE_BACK, [_given(state) | {"b_wait": _ms(state.wait_seconds)} for state in ordered])
    return [None] * len(states)


def slow_down_hosts(connection: Connection, states: Sequence[HostState]) -> list[None]:
    """Write the delays of hosts, so that they hold even if the run dies."""
    if states:
        connection.execute(_SLOW_DOWN, [_given(state) for state in sorted(states, key=lambda state: state.host)])
    return [None] * len(states)


def _open_runs(connection: Connection, ids: Sequence[str]) -> set[str]:
    found: set[str] = set()
    for some in chunks(ids):
        found.update(
            connection.execute(select(runs.c.id).where(runs.c.id.in_(some), runs.c.date_ended.is_(None))).scalars()
        )
    return found


def _new_row(host: str) -> dict[str, object]:
    return {"host": host, "run_id": None, "free_ms": 0, "delay_ms": 0, "asked_ms": 0}


def _given(state: HostState) -> dict[str, object]:
    delay_ms, asked_ms = _ms(state.delay_seconds), _ms(state.asked_seconds)
    return {"b_host": state.host, "b_run": state.run_id, "b_delay": delay_ms, "b_asked": asked_ms}


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
