"""Lets time pass in the demo: sets back what a crawl has noted of its own times, so that the next one comes later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, update

from newsextract.storage.database.connection import make_engine, writing
from newsextract.storage.schema import crawl_tables, history_tables  # noqa: F401 - the tables are in the metadata then
from newsextract.storage.schema.article_columns import metadata

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

    from sqlalchemy import Column, Table

_OTHER_NAMES = frozenset(("next_visit", "updated", "held_until"))
"""Columns of times whose names do not begin with `date`."""

_STATED = ("date_listed", "date_published", "date_modified")
"""Beginnings of the names of columns whose times the pages state."""

_STAMP = "%Y-%m-%dT%H:%M:%S+00:00"


def set_back(url: str, time: timedelta) -> None:
    """Set the times in a database of SQLite back, except those that pages state."""
    engine = make_engine(url)
    by = f"-{time.total_seconds():.0f} seconds"
    with writing(engine) as connection:
        for table in metadata.sorted_tables:
            if earlier := {column: func.strftime(_STAMP, column, by) for column in _noted(table)}:
                connection.execute(update(table).values(earlier))
    engine.dispose()


def _noted(table: Table) -> Iterator[Column[str]]:
    for column in table.columns:
        if column.name in _OTHER_NAMES or (column.name.startswith("date") and not column.name.startswith(_STATED)):
            yield column
