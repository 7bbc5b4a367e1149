"""What one writer does at a time, on every database: until its transaction ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from newsextract.storage.database.batches import insert_missing
from newsextract.storage.schema.history_tables import locks

if TYPE_CHECKING:
    from sqlalchemy import Connection


def hold(connection: Connection, name: str) -> None:
    """Wait until no other transaction holds the lock of this name, and hold it to the end of this one.

    What is read after it is what the others have written. (SQLite has one writer at a time anyway.)
    """
    insert_missing(connection, locks, [{"name": name}])
    connection.execute(select(locks.c.name).where(locks.c.name == name).with_for_update()).one()
