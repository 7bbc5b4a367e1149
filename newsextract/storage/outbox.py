"""The outbox: messages, stored in the transaction of their articles, and the progress of each target."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, func, or_, select, update

from newsextract.storage.database_thread import each
from newsextract.storage.rows import chunks, fit, insert_missing, stamp
from newsextract.storage.schema import dead_letters, deliveries, outbox, outbox_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection


# Messages have positions without gaps, in the order in which transactions commit: a reader at a position has missed
# nothing before it. A database's own numbering does not guarantee that, because a transaction that took a number early
# may commit late. So a transaction that adds messages takes a lock and keeps it to its end.

HEAD = "outbox"
"""The name of the row with the position of the newest message."""

FORGET_DAYS = 30
"""A target that no sender has registered for this long is gone: no messages are kept for it."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message as it will be sent."""

    id: str
    """32 characters, the same for the same event; of two messages with one id, the first is kept."""
    kind: str
    """`article`, `revision` or `match`."""
    article_id: str
    payload: str
    """The envelope as JSON."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message with its position."""

    position: int
    id: str
    kind: str
    payload: str


def add(connection: Connection, messages: Sequence[Message]) -> None:
    """Append messages in order; leave those that are already stored unchanged.

    The transaction is the caller's. Call it late in it: from here to its end, others that add messages wait.
    """
    wanted: dict[str, Message] = {}
    for message in messages:
        wanted.setdefault(message.id, message)
    if not wanted:
        return
    position = _locked_head(connection)
    known = _known(connection, sorted(wanted))
    now = stamp(datetime.now(UTC))
    rows = [
        {
            "id": number, "message_id": message.id, "kind": message.kind, "article_id": message.article_id,
            "payload": message.payload, "date_created": now,
        }
        for number, message in enumerate((wanted[key] for key in wanted if key not in known), position + 1)
    ]  # fmt: skip
    if rows:
        connection.execute(outbox.insert(), rows)
        connection.execute(update(outbox_head).where(outbox_head.c.name == HEAD).values(position=rows[-1]["id"]))


def head(connection: Connection) -> int:
    """Return the position of the newest message; 0 if there has never been one."""
    found = connection.execute(select(outbox_head.c.position).where(outbox_head.c.name == HEAD)).scalar()
    return int(found or 0)


def letters_after(connection: Connection, position: int, most: int) -> list[Letter]:
    """Return the next messages after a position, in order."""
    query = select(outbox.c.id, outbox.c.message_id, outbox.c.kind, outbox.c.payload)
    rows = connection.execute(query.where(outbox.c.id > position).order_by(outbox.c.id).limit(most))
    return [Letter(*row) for row in rows]


@each
def prune(connection: Connection, request: tuple[datetime, float]) -> tuple[int, tuple[str, ...]]:
    """For a time and a number of days, delete the messages older than that which all targets have received.

    Return how many, and the names of targets unused for a long time: messages are no longer kept for them.
    """
    now, days = request
    forgotten = _forget(connection, stamp(now - timedelta(days=FORGET_DAYS)))
    slowest = connection.execute(select(func.min(deliveries.c.position))).scalar()
    if slowest is None:
        slowest = head(connection)
    is_old = outbox.c.date_created < stamp(now - timedelta(days=days))
    deleted = connection.execute(delete(outbox).where(outbox.c.id <= slowest, is_old)).rowcount
    return deleted, forgotten


def _forget(connection: Connection, silent_since: str) -> tuple[str, ...]:
    is_silent = deliveries.c.date_sought < silent_since
    names = connection.execute(select(deliveries.c.target).where(is_silent)).scalars().all()
    connection.execute(delete(deliveries).where(deliveries.c.target.in_(names), is_silent))
    return tuple(sorted(names))


def _locked_head(connection: Connection) -> int:
    """Return the position of the newest message, and lock it until the transaction ends."""
    insert_missing(connection, outbox_head, [{"name": HEAD, "position": 0}])
    query = select(outbox_head.c.position).where(outbox_head.c.name == HEAD).with_for_update()
    return int(connection.execute(query).scalar_one())


def _known(connection: Connection, ids: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for some in chunks(ids):
        query = select(outbox.c.message_id).where(outbox.c.message_id.in_(some))
        known.update(connection.execute(query).scalars())
    return known


# The progress of each target in the outbox, and the sender that holds it.
#
# A target has one sender at a time, which holds it for a while and renews its hold before each batch. If two hold it
# because one was too slow, messages arrive twice; the position never moves back.

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


@each
def register(connection: Connection, seeking: Seeking) -> None:
    """Register a target; a new one receives messages added from now on."""
    now = stamp(seeking.now)
    row = {"target": seeking.target, "position": head(connection), "refusals": 0, "date_sought": now}
    insert_missing(connection, deliveries, [row])
    connection.execute(update(deliveries).where(deliveries.c.target == seeking.target).values(date_sought=now))


@each
def hold(connection: Connection, seeking: Seeking) -> Hold:
    """Give a registered target to its sender, or extend its hold, unless another sender holds the target."""
    columns = deliveries.c
    now, until = stamp(seeking.now), stamp(seeking.now + timedelta(seconds=HOLD_SECONDS))
    is_free = or_(columns.held_by.is_(None), columns.held_by == seeking.sender, columns.held_until < now)
    taking = update(deliveries).where(columns.target == seeking.target, is_free)
    connection.execute(taking.values(held_by=seeking.sender, held_until=until, date_sought=now))
    query = select(columns.position, columns.refusals, columns.held_by).where(columns.target == seeking.target)
    position, refusals, held_by = connection.execute(query).one()
    return Hold(position, refusals, held_by == seeking.sender)


@each
def let_go(connection: Connection, seeking: Seeking) -> None:
    """Release a target, if the sender still holds it."""
    is_ours = (deliveries.c.target == seeking.target) & (deliveries.c.held_by == seeking.sender)
    connection.execute(update(deliveries).where(is_ours).values(held_by=None, held_until=None))


@each
def advance(connection: Connection, step: Progress) -> None:
    """Record the position of a target, and keep the message that it refuses. A position never moves back."""
    if step.dead is not None:
        row = {
            "target": step.target, "message_id": step.dead.id, "payload": step.dead.payload, "reason": step.reason,
            "date_refused": stamp(step.now),
        }  # fmt: skip
        insert_missing(connection, dead_letters, [fit(dead_letters, row)[0]])
    is_behind = (deliveries.c.target == step.target) & (deliveries.c.position < step.position)
    connection.execute(update(deliveries).where(is_behind).values(position=step.position, refusals=0))


@each
def note_refusals(connection: Connection, refusals: tuple[str, int, int]) -> None:
    """Record refusals, given as target name, position and number: of the message after that position."""
    target, position, times = refusals
    is_there = (deliveries.c.target == target) & (deliveries.c.position == position)
    connection.execute(update(deliveries).where(is_there).values(refusals=times))
