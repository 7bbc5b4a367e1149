"""Many rows in few statements, in the dialect of each database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy.dialects import mysql, postgresql, sqlite

from newsextract.storage.database.upsert import upserts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import Connection, Table

T = TypeVar("T")

CHUNK = 500
"""Values in one `IN (...)`: SQLite took no more than 999 variables for long, and plans stay quick."""


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in their order, at most `CHUNK` at a time."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


def insert_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Write the rows, in their order, whose key is not there; the others stay as they are. All have the same columns.

    It takes SQLite's lock for writing, so that what is read after it in the transaction stays true.
    """
    if not rows:
        return
    key = next(iter(table.primary_key))
    if _is_mysql(connection):
        # Not INSERT IGNORE, which would let through values that do not fit.
        connection.execute(mysql.insert(table).on_duplicate_key_update({key.name: key}), rows)
    else:
        connection.execute(_insert(connection, table).on_conflict_do_nothing(), rows)


def write_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]], kept: Collection[str]) -> None:
    """Write the rows, in their order, over those with the same key, but for the `kept` columns."""
    if not rows:
        return
    connection.execute(upserts(connection.dialect.name, table, rows[0], kept=kept), rows)


def _is_mysql(connection: Connection) -> bool:
    return connection.dialect.name in ("mysql", "mariadb")


def _insert(connection: Connection, table: Table) -> Any:
    module: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    return module.insert(table)
