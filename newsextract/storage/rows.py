"""Writes rows in each database's dialect: many in few statements, with values that every database accepts."""

from __future__ import annotations

import hashlib
import math
import re
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import BigInteger, String, bindparam, select
from sqlalchemy.dialects import mysql, postgresql, sqlite
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

from newsextract.storage.schema import locks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from sqlalchemy import Compiled, Connection, Table
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


# Converts values, times and hashes to a form that every database accepts.
#
# PostgreSQL refuses NUL, none accepts half a surrogate pair, and columns have limited lengths.
# For the rows of any table: one odd value must not keep a whole batch from being stored.
# Times in the tables are ISO 8601 in UTC, to the second, which sort as text.

_LONG_CHARS = 1 << 20
"""Characters kept of a long text, such as a body: MariaDB takes statements of 16 MiB, and a novel has half as many."""
_SHORT_CHARS = 16_000
"""Characters kept of other texts without a limit: MySQL's TEXT has 64 kB, a character up to 4 bytes."""

_ODD = re.compile("[\0\ud800-\udfff]")
_DIALECT = mysql.dialect()


def text_hash(text: str) -> str:
    """Return the hash of a text in the tables, 32 hexadecimal digits."""
    return content_hash(text.encode("utf-8", "replace"))


def content_hash(body: bytes) -> str:
    """Return the hash of bytes in the tables, likewise."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def stamp(time: datetime) -> str:
    """Return an aware time in the form of the tables; the fraction of a second is cut off.

    >>> stamp(datetime.fromisoformat("2026-03-01T12:00:00.7+02:00"))
    '2026-03-01T10:00:00+00:00'
    """
    return time.astimezone(UTC).isoformat(timespec="seconds")


def moment(text: str) -> datetime:
    """Return the time that `stamp` has written.

    >>> moment("2026-03-01T10:00:00+00:00")
    datetime.datetime(2026, 3, 1, 10, 0, tzinfo=datetime.timezone.utc)
    """
    return datetime.fromisoformat(text).astimezone(UTC)


def fit(table: Table, row: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return the row with values that the table's columns can hold, and the names of the columns that were cut."""
    fitting: dict[str, Any] = {}
    cut: list[str] = []
    lengths = _lengths(table)
    for name, value in row.items():
        if value is None:
            fitting[name] = None
            continue
        clean = cleaned(value)
        most = lengths.get(name)
        if isinstance(clean, str) and most is not None and len(clean) > most:
            clean = clean[:most]
            cut.append(name)
        fitting[name] = clean
    return fitting, cut


def cleaned(value: Any) -> Any:
    """Return a value without NULs, half surrogate pairs and NaN or infinite numbers, also within lists and dicts.

    >>> cleaned({"a": ["x" + chr(0), chr(0xD800) + "y", float("nan")]})
    {'a': ['x', '�y', None]}
    """
    if isinstance(value, str):
        return _ODD.sub(lambda match: "" if match[0] == "\0" else "\ufffd", value) if _ODD.search(value) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [cleaned(part) for part in value]
    if isinstance(value, dict):
        return {cleaned(key): cleaned(part) for key, part in value.items()}
    return value


@cache
def _lengths(table: Table) -> dict[str, int]:
    """Return the maximum number of characters of each text column."""
    lengths = {}
    for column in table.columns:
        if isinstance(column.type, String):
            is_long = isinstance(column.type.dialect_impl(_DIALECT), mysql.MEDIUMTEXT)
            lengths[column.name] = column.type.length or (_LONG_CHARS if is_long else _SHORT_CHARS)
    return lengths


# The clock of the database, in milliseconds since 1970: machines agree on it, whatever their own clocks say.


class database_ms(FunctionElement[int]):  # noqa: N801 - named like an SQL function, which it is
    """The time at which the database executes the statement; not that of the beginning of the transaction."""

    type = BigInteger()
    inherit_cache = True


@compiles(database_ms, "postgresql")
def _postgresql(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    return "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"


@compiles(database_ms, "sqlite")
def _sqlite(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    return "cast((julianday('now') - 2440587.5) * 86400000 as integer)"


@compiles(database_ms, "mysql")
@compiles(database_ms, "mariadb")
def _mysql(_element: database_ms, _compiler: Compiled, **_options: Any) -> str:
    # As a difference, because unix_timestamp() reads a time by the session's zone, which may repeat an hour.
    return "cast(timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) / 1000 as signed)"
