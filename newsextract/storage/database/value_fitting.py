"""Converts values, times and hashes to a form that every database accepts.

PostgreSQL refuses NUL, none accepts half a surrogate pair, and columns have limited lengths.
For the rows of any table: one odd value must not keep a whole batch from being stored.
Times in the tables are ISO 8601 in UTC, to the second, which sort as text.
"""

from __future__ import annotations

import hashlib
import math
import re
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import String
from sqlalchemy.dialects import mysql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Table

_LONG_CHARS = 1 << 20
"""Characters kept of a long text, such as a body: MariaDB takes statements of 16 MiB, and a novel has half as many."""
_SHORT_CHARS = 16_000
"""Characters kept of other texts without a limit: MySQL's TEXT has 64 kB, a character up to 4 bytes."""

_ODD = re.compile("[\0\ud800-\udfff]")
_DIALECT = mysql.dialect()


def text_hash(text: str) -> str:
    """Return the hash of a text in the tables, 32 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


def stamp(time: datetime) -> str:
    """Return an aware time in the form of the tables; the fraction of a second is cut off.

    >>> stamp(datetime.fromisoformat("2026-03-01T12:00:00.7+02:00"))
    '2026-03-01T10:00:00+00:00'
    """
    try:
        time = time.astimezone(UTC)
    except OverflowError:  # in the first or last hours of the calendar: some sources state such dates
        time = time.replace(tzinfo=UTC)
    return time.isoformat(timespec="seconds")


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
