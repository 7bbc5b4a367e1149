"""The progress of each target in the outbox, and the sender that holds it.

A target has one sender at a time, which holds it for a while and renews its hold before each batch. If two hold it
because one was too slow, messages arrive twice; the position never moves back.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import or_, select, update

from newsextract.storage.database.batches import insert_missing
from newsextract.storage.database.value_fitting import fit, stamp
from newsextract.storage.outbox.message_store import head
from newsextract.storage.schema.history_tables import dead_letters, deliveries

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.storage.outbox.message_store import Letter

HOLD_SECONDS = 60
"""A sender that has not renewed its hold for this long is dead. A batch takes at most a third of it."""


@dataclass(frozen=True, slots=True)
class Seeking:
    """A sender's request to hold a target."""

    target: str
    sender: str
    """An id, at most 32 characters."""
    now: datetime


@dataclass(frozen=True, slots=True)
class Hold:
    """The position of a target, and whether the sender that asked holds it."""

    position: int
    refusals: int
    """How often the target has refused the message after that position."""
    is_ours: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """A target has received everything up to a position."""

    target: str
    position: int
    now: datetime
    dead: Letter | None = None
    """The message at that position, if the target refuses it for good."""
    reason: str = ""
    """Why it was refused."""


def register(connection: Connection, seekings: Sequence[Seeking]) -> list[None]:
    """Register targets; a new one receives messages added from now on."""
    newest = head(connection)
    for seeking in sorted(seekings, key=lambda seeking: seeking.target):
        now = stamp(seeking.now)
        row = {"target": seeking.target, "position": newest, "refusals": 0, "date_sought": now}
        insert_missing(connection, deliveries, [row])
        connection.execute(update(deliveries).where(deliveries.c.target == seeking.target).values(date_sought=now))
    return [None] * len(seekings)


def hold(connection: Connection, seekings: Sequence[Seeking]) -> list[Hold]:
    """Give each target to its sender, or extend its hold, unless another sender holds the target."""
    return [_hold(connection, seeking) for seeking in seekings]


def let_go(connection: Connection, seekings: Sequence[Seeking]) -> list[None]:
    """Release each target, if the sender still holds it."""
    for seeking in seekings:
        is_ours = (deliveries.c.target == seeking.target) & (deliveries.c.held_by == seeking.sender)
        connection.execute(update(deliveries).where(is_ours).values(held_by=None, held_until=None))
    return [None] * len(seekings)


def advance(connection: Connection, steps: Sequence[Progress]) -> list[None]:
    """Record the positions of targets, and keep the messages that they refuse. A position never moves back."""
    for step in steps:
        if step.dead is not None:
            _bury(connection, step.dead, step)
        is_behind = (deliveries.c.target == step.target) & (deliveries.c.position < step.position)
        connection.execute(update(deliveries).where(is_behind).values(position=step.position, refusals=0))
    return [None] * len(steps)


def note_refusals(connection: Connection, refusals: Sequence[tuple[str, int, int]]) -> list[None]:
    """Record refusals, given as target name, position and number: of the message after that position."""
    for target, position, times in refusals:
        is_there = (deliveries.c.target == target) & (deliveries.c.position == position)
        connection.execute(update(deliveries).where(is_there).values(refusals=times))
    return [None] * len(refusals)


def _hold(connection: Connection, seeking: Seeking) -> Hold:
    columns = deliveries.c
    now, until = stamp(seeking.now), stamp(seeking.now + timedelta(seconds=HOLD_SECONDS))
    is_free = or_(columns.held_by.is_(None), columns.held_by == seeking.sender, columns.held_until < now)
    taking = update(deliveries).where(columns.target == seeking.target, is_free)
    connection.execute(taking.values(held_by=seeking.sender, held_until=until, date_sought=now))
    query = select(columns.position, columns.refusals, columns.held_by).where(columns.target == seeking.target)
    row = connection.execute(query).first()
    if row is None:  # the target was pruned, or the tables were emptied, meanwhile
        register(connection, [seeking])
        return _hold(connection, seeking)
    return Hold(int(row[0]), int(row[1]), row[2] == seeking.sender)


def _bury(connection: Connection, letter: Letter, step: Progress) -> None:
    row = {
        "target": step.target, "message_id": letter.id, "payload": letter.payload, "reason": step.reason,
        "date_refused": stamp(step.now),
    }  # fmt: skip
    insert_missing(connection, dead_letters, [fit(dead_letters, row)[0]])
