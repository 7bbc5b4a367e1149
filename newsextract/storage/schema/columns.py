"""What the tables are made of, and the list of them.

Times are ISO 8601 in UTC, to the second, and sort as text; what a page states is kept. A change needs a migration.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, MetaData, String, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT

metadata = MetaData()

UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}
"""Options of every table: all characters, told apart by more than their base letters."""


def long_text() -> Text:
    """Return the type of texts that may exceed 64 kB, which is where MySQL's TEXT ends."""
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def hash_column(name: str, *arguments: Any, **options: Any) -> Column[str]:
    """Return a column of 32 hexadecimal digits."""
    return Column(name, String(32), *arguments, **options)


def time_column(name: str, **options: Any) -> Column[str]:
    """Return a column of a time as text."""
    return Column(name, String(40), **options)
