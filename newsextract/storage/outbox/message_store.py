"""The outbox: what is to be told, stored in the transaction that stores what it is about.

A message has a place in one order, without gaps, in which transactions commit: whoever has read up to a place has
missed nothing before it. Numbers that a database gives by itself promise no such thing, as a transaction that took a
number early may commit late. So a transaction that adds messages takes a lock which it keeps to its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select, update

from newsextract.storage.database.batches import chunks, insert_missing
from newsextract.storage.database.value_fitting import stamp
from newsextract.storage.schema.history_tables import deliveries, outbox, outbox_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

HEAD = "outbox"
"""The name of the row that has the place of the newest message."""

FORGET_DAYS = 30
"""A target that no sender has had in its settings for so long is gone: nothing is kept for it any more."""


@dataclass(frozen=True, slots=True)
class Message:
    """One piece of news, as it will be sent."""

    id: str
    """The same for the same news, 32 characters: of two with one id, the first is kept."""
    kind: str
    """`article`, `revision` or `match`."""
    article_id: str
    payload: str
    """The envelope as JSON."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message at its place in the order."""

    position: int
    id: str
    kind: str
    payload: str


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a clean-up has done."""

    messages: int
    forgotten: tuple[str, ...]
    """Targets that nobody has sent to for a long time, and the messages that they never got with them."""


def add(connection: Connection, messages: Sequence[Message]) -> None:
    """Put messages behind those that are there, in their order; what is there already is left as it is.

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
    rows: list[dict[str, Any]] = []
    for message in wanted.values():
        if message.id not in known:
            position += 1
            rows.append({
                "id": position, "message_id": message.id, "kind": message.kind, "article_id": message.article_id,
                "payload": message.payload, "date_created": now,
            })  # fmt: skip
    if rows:
        connection.execute(outbox.insert(), rows)
        connection.execute(update(outbox_head).where(outbox_head.c.name == HEAD).values(position=position))


def head(connection: Connection) -> int:
    """Return the place of the newest message; 0 where there has never been one."""
    found = connection.execute(select(outbox_head.c.position).where(outbox_head.c.name == HEAD)).scalar()
    return int(found or 0)


def letters_after(connection: Connection, position: int, most: int) -> list[Letter]:
    """Return the next messages behind a place, in their order."""
    query = select(outbox.c.id, outbox.c.message_id, outbox.c.kind, outbox.c.payload)
    rows = connection.execute(query.where(outbox.c.id > position).order_by(outbox.c.id).limit(most))
    return [Letter(*row) for row in rows]


def prune(connection: Connection, requests: Sequence[tuple[datetime, float]]) -> list[Pruned]:
    """For each time and number of days: delete messages older than that which all targets have."""
    return [_prune(connection, now, days) for now, days in requests]


def _prune(connection: Connection, now: datetime, days: float) -> Pruned:
    forgotten = _forget(connection, stamp(now - timedelta(days=FORGET_DAYS)))
    slowest = connection.execute(select(func.min(deliveries.c.position))).scalar()
    if slowest is None:
        slowest = head(connection)
    is_old = outbox.c.date_created < stamp(now - timedelta(days=days))
    deleted = connection.execute(delete(outbox).where(outbox.c.id <= slowest, is_old)).rowcount
    return Pruned(deleted, forgotten)


def _forget(connection: Connection, silent_since: str) -> tuple[str, ...]:
    is_silent = deliveries.c.date_sought < silent_since
    names = connection.execute(select(deliveries.c.target).where(is_silent)).scalars().all()
    connection.execute(delete(deliveries).where(deliveries.c.target.in_(names), is_silent))
    return tuple(sorted(names))


def _locked_head(connection: Connection) -> int:
    """Return the place of the newest message, and let nobody else add one until the transaction ends."""
    insert_missing(connection, outbox_head, [{"name": HEAD, "position": 0}])
    query = select(outbox_head.c.position).where(outbox_head.c.name == HEAD).with_for_update()
    return int(connection.execute(query).scalar_one())


def _known(connection: Connection, ids: Sequence[str]) -> set[str]:
    known: set[str] = set()
    for some in chunks(ids):
        query = select(outbox.c.message_id).where(outbox.c.message_id.in_(some))
        known.update(connection.execute(query).scalars())
    return known
