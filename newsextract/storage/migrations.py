"""Makes the tables of a new database, and adds the tables and columns that an older one lacks.

A change of the schema needs a number in `REVISIONS`, and in `_STATEMENTS` what is more than a new table or a new column
that may be empty. A step may be repeated, as MySQL cannot take back one that was interrupted.
A database that is up to date costs one query.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqlalchemy import Column, MetaData, String, Table, insert, inspect, select, text, update
from sqlalchemy.schema import CreateColumn

from newsextract.storage.schema import articles, kept_pages, metadata
from newsextract.storage.word_index import create_word_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""All there are, in their order."""
_STATEMENTS = {"0003": kept_pages.delete()}
"""What a revision changes in the rows: 0003 forgets the pages that were kept in files of their own."""

_LOCK_NUMBER = 0x6E657773
_LOCK_SECONDS = 600
_VERSION = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))


class UnknownTables(Exception):  # noqa: N818 - the name says that it is an error
    """Another version, or another program, made the tables."""


def migrate(engine: Engine, *, may_share: bool = True) -> None:
    """Bring the database to this version's tables; of several that start at once, one does it and the others wait.

    Raises:
        UnknownTables: the database has tables that this version cannot bring up to date.
    """
    with engine.connect() as connection:
        known = revision_of(connection)
        others = [] if known or may_share else inspect(connection).get_table_names()
    if known == REVISIONS[-1]:
        return
    if others:
        raise UnknownTables(f"it has no articles, but tables of another program ({others[0]}). Name another database")
    with _locked(engine) as connection:
        known = revision_of(connection)  # another may have changed it since
        if known is None:
            _create(connection)
        elif known not in REVISIONS:
            raise UnknownTables(
                f"its tables are of revision {known}, and this version of newsextract knows {', '.join(REVISIONS)}. "
                "Update newsextract (pip install --upgrade newsextract), or name another database"
            )
        else:
            _upgrade(connection, known)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database's tables; `None` where there are none."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    found: str | None = connection.execute(select(_VERSION.c.version_num)).scalar_one_or_none()
    return found


def _create(connection: Connection) -> None:
    """Make all tables, or those that an interrupted attempt has not made: MySQL cannot take that back."""
    if inspect(connection).has_table(articles.name):
        missing = [column.name for column in _missing_columns(connection, articles)]
        if missing:
            raise UnknownTables(
                f"its table articles was made by something else: there is no column {min(missing)}. "
                "Name another database"
            )
    metadata.create_all(connection)
    create_word_index(connection)
    _VERSION.create(connection, checkfirst=True)
    connection.execute(insert(_VERSION).values(version_num=REVISIONS[-1]))


def _upgrade(connection: Connection, known: str) -> None:
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for column in _missing_columns(connection, table):
            definition = CreateColumn(column).compile(dialect=connection.dialect)
            connection.execute(text(f"ALTER TABLE {table.name} ADD COLUMN {definition}"))
    for revision, statement in _STATEMENTS.items():
        if revision > known:
            connection.execute(statement)
    connection.execute(update(_VERSION).values(version_num=REVISIONS[-1]))


def _missing_columns(connection: Connection, table: Table) -> list[Column[object]]:
    there = {each["name"] for each in inspect(connection).get_columns(table.name)}
    return [column for column in table.columns if column.name not in there]


@contextmanager
def _locked(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that nobody else has at the same time."""
    if engine.dialect.name == "mysql":
        with engine.connect() as connection, _named_lock(connection):
            yield connection
            connection.commit()
        return
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})
        yield connection


@contextmanager
def _named_lock(connection: Connection) -> Iterator[None]:
    """Hold a lock of the server, where statements that change tables end transactions."""
    name = "newsextract_" + str(connection.execute(text("SELECT md5(database())")).scalar_one())
    got = connection.execute(text("SELECT GET_LOCK(:name, :wait)"), {"name": name, "wait": _LOCK_SECONDS}).scalar_one()
    if got != 1:
        raise TimeoutError(f"another crawl has been changing its tables for {_LOCK_SECONDS} seconds")
    try:
        yield
    finally:
        connection.execute(text("SELECT RELEASE_LOCK(:name)"), {"name": name})
