"""Insert or update in one statement, in the dialect of each database."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import mysql, postgresql, sqlite

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Table
    from sqlalchemy.sql.dml import Insert


def upserts(dialect: str, table: Table, columns: Iterable[str], *, kept: Collection[str] = ()) -> Insert:
    """Return the same statement without a row: it is executed with a list of rows that all have these columns.

    Raises:
        ValueError: the dialect has no such statement, or none that we know.
    """
    return _upserts(dialect, table, tuple(name for name in columns if name not in kept))


@lru_cache(maxsize=64)  # making one takes longer than executing it
def _upserts(dialect: str, table: Table, updated: tuple[str, ...]) -> Insert:
    if dialect in ("mysql", "mariadb"):
        insert = mysql.insert(table)
        return insert.on_duplicate_key_update({name: insert.inserted[name] for name in updated})
    if dialect not in ("sqlite", "postgresql"):
        raise ValueError(f"articles cannot be stored in {dialect!r}; there are sqlite, postgresql, mysql and mariadb")
    module: Any = sqlite if dialect == "sqlite" else postgresql
    insert = module.insert(table)
    result: Insert = insert.on_conflict_do_update(
        index_elements=list(table.primary_key), set_={name: insert.excluded[name] for name in updated}
    )
    return result
