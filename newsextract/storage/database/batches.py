"""Writes many rows in few statements, in each database's dialect, and locks out other writers."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import bindparam, insert, select
from sqlalchemy.dialects import mysql, postgresql, sqlite

from newsextract.storage.schema.history_tables import locks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Dialect, Table
    from sqlalchemy.sql.dml import Insert

T = TypeVar("T")

CHUNK = 500
"""Values in one `IN (...)`: older SQLite takes at most 999 variables, and planning stays quick."""

_INSERTS: dict[str, Any] = {
    "sqlite": sqlite.insert, "postgresql": postgresql.insert, "mysql": mysql.insert, "mariadb": mysql.insert,
}  # fmt: skip
_MYSQL = ("mysql", "mariadb")

_HELD = select(locks.c.name).where(locks.c.name == bindparam("name")).with_for_update()


def chunks(values: Sequence[T]) -> Iterator[Sequence[T]]:
    """Yield the values in their order, at most `CHUNK` at a time."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


def insert_missing(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert, in order, the rows whose key is missing; leave the others unchanged. All rows have the same columns.

    It takes SQLite's write lock, so that later reads in the transaction stay valid.
    """
    if rows:
        connection.execute(_inserts(connection.dialect.name, table), rows)


def insert_plain(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert many small rows of numbers and short texts, which need no conversion by the types of the columns."""
    if rows:
        statement, names = _plain_insert(connection.dialect, table, tuple(rows[0]))
        given = [tuple(row[name] for name in names) for row in rows] if names else [dict(row) for row in rows]
        connection.exec_driver_sql(statement, given)


@lru_cache(maxsize=16)
def _plain_insert(dialect: Dialect, table: Table, columns: tuple[str, ...]) -> tuple[str, Sequence[str]]:
    """Return the statement, and the columns in the order of its parameters if they have no names."""
    compiled: Any = insert(table).compile(dialect=dialect, column_keys=columns)
    return str(compiled), compiled.positiontup or ()


@lru_cache(maxsize=64)  # building a statement takes longer than executing it
def _inserts(dialect: str, table: Table) -> Insert:
    insert, key = _INSERTS[dialect](table), next(iter(table.primary_key))
    # Not INSERT IGNORE, which would let through values that do not fit.
    is_mysql = dialect in _MYSQL
    result: Insert = insert.on_duplicate_key_update({key.name: key}) if is_mysql else insert.on_conflict_do_nothing()
    return result


def write_rows(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], kept: Collection[str]) -> None:
    """Insert the rows, in order, or update those with the same key, except for the `kept` columns.

    Raises:
        ValueError: the dialect has no such statement, or is not supported.
    """
    if rows:
        updated = tuple(name for name in rows[0] if name not in kept)
        connection.execute(_upserts(connection.dialect.name, table, updated), rows)


@lru_cache(maxsize=64)
def _upserts(dialect: str, table: Table, updated: tuple[str, ...]) -> Insert:
    if dialect not in _INSERTS:
        raise ValueError(f"articles cannot be stored in {dialect!r}; there are sqlite, postgresql, mysql and mariadb")
    insert = _INSERTS[dialect](table)
    result: Insert
    if dialect in _MYSQL:
        result = insert.on_duplicate_key_update({name: insert.inserted[name] for name in updated})
    else:
        news = {name: insert.excluded[name] for name in updated}
        result = insert.on_conflict_do_update(index_elements=list(table.primary_key), set_=news)
    return result


def hold(connection: Connection, name: str) -> None:
    """Wait until no other transaction holds the lock of this name, and hold it to the end of this one.

    Later reads see what the others have written. (SQLite has one writer at a time anyway.)
    """
    insert_missing(connection, locks, [{"name": name}])
    connection.execute(_HELD, {"name": name}).one()
