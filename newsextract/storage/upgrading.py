"""Tables that an earlier version made: columns that have come since are added, nothing is changed or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.exc import DBAPIError

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, Engine, Table


def add_missing_columns(engine: Engine, table: Table) -> tuple[str, ...]:
    """Add the nullable columns that a table lacks, and return their names; rows stored before have nothing there.

    A column that must not be empty is left out: what to put into the rows there are is not for us to guess.
    """
    missing = _missing(engine, table)
    for column in missing:
        try:
            with engine.begin() as connection:
                _add(connection, table, column)
        except DBAPIError:
            # Another crawl that started at the same time was quicker.
            if column.name in {lacking.name for lacking in _missing(engine, table)}:
                raise
    return tuple(column.name for column in missing)


def _missing(engine: Engine, table: Table) -> list[Column[object]]:
    known = {column["name"] for column in inspect(engine).get_columns(table.name, schema=table.schema)}
    return [column for column in table.columns if column.name not in known and column.nullable]


def _add(connection: Connection, table: Table, column: Column[object]) -> None:
    prepare = connection.dialect.identifier_preparer
    kind = column.type.compile(connection.dialect)
    # Names are from our own schema, quoted all the same; values there are none.
    connection.execute(
        text(f"ALTER TABLE {prepare.format_table(table)} ADD COLUMN {prepare.format_column(column)} {kind}")
    )
