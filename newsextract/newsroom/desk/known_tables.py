"""Which tables and columns a database has: each part of the desk appears only if its tables exist."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Tables:
    """The column names of each table."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Self:
        """Return the tables of a database with their columns."""
        found = connection.execute(
            "select m.name, c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'"
        )
        names: dict[str, set[str]] = {}
        for table, column in found:
            names.setdefault(table, set()).add(column)
        return cls({table: frozenset(columns) for table, columns in names.items()})

    def __contains__(self, table: str) -> bool:
        return table in self.names

    def filled(self, connection: sqlite3.Connection) -> frozenset[str]:
        """Return the tables that have both a page of their own and rows."""
        there = [table for table in ("articles", "cluster_articles", "runs", "site_runs") if table in self.names]
        exist = (connection.execute(f"select exists (select 1 from {table})").fetchone()[0] for table in there)  # noqa: S608
        return frozenset(table for table, has_rows in zip(there, exist, strict=True) if has_rows)

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; empty if there is no such table."""
        return self.names.get(table, frozenset())

    def has(self, table: str, *columns: str) -> bool:
        """Return whether a table exists and has these columns."""
        return table in self.names and self.names[table].issuperset(columns)

    def selected(self, table: str, *columns: str) -> str:
        """Return columns for a SELECT, with NULL for those that the table lacks.

        >>> Tables({"runs": frozenset({"id"})}).selected("runs", "id", "job")
        'id, NULL AS job'
        """
        there = self.columns(table)
        return ", ".join(name if name in there else f"NULL AS {name}" for name in columns)


def rows(
    connection: sqlite3.Connection, statement: str, values: Mapping[str, Any] | Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a query as dicts by column name."""
    cursor = connection.execute(statement, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def value_of(text: str | None) -> Any:
    """Return the value of a JSON column; text that is not JSON is returned unchanged.

    >>> value_of('["a"]'), value_of("null"), value_of(None), value_of("{")
    (['a'], None, None, '{')
    """
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def list_of(text: str | None) -> list[Any]:
    """Return the list in a JSON column; an empty list if it holds anything else."""
    value = value_of(text)
    return value if isinstance(value, list) else []


def table_of(text: str | None) -> dict[str, Any]:
    """Return the object in a JSON column; an empty dict if it holds anything else."""
    value = value_of(text)
    return value if isinstance(value, dict) else {}
