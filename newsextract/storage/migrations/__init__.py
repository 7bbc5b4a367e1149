"""Makes the tables of a new database, and brings those of an older one up to date, a file of this folder per step.

A new database gets all tables of `newsextract.storage.schema` at once. A change of these needs a step here for Alembic,
and its number in `REVISIONS`; a step may be repeated, as MySQL cannot take back one that was interrupted.
A database that is up to date costs one query and no import of Alembic.
"""

from __future__ import annotations

import logging
import tempfile
import threading
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Column, MetaData, String, Table, insert, inspect, select, text

from newsextract.storage.schema import articles, metadata
from newsextract.storage.word_index import create_word_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection, Engine

REVISIONS = ("0001", "0002", "0003", "0004", "0005")
"""All there are, in their order."""

_LOCK_NUMBER = 0x6E657773
_LOCK_SECONDS = 600
_one_at_a_time = threading.Lock()
"""Alembic's operations are of the whole process."""
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
    with _one_at_a_time, _locked(engine) as connection:
        known = revision_of(connection)  # another may have changed it since
        if known is None:
            _create(connection)
        elif known not in REVISIONS:
            raise UnknownTables(
                f"its tables are of revision {known}, and this version of newsextract knows {', '.join(REVISIONS)}. "
                "Update newsextract (pip install --upgrade newsextract), or name another database"
            )
        else:
            _upgrade(connection)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database's tables; `None` where there are none."""
    if not inspect(connection).has_table(_VERSION.name):
        return None
    found: str | None = connection.execute(select(_VERSION.c.version_num)).scalar_one_or_none()
    return found


def _create(connection: Connection) -> None:
    """Make all tables, or those that an interrupted attempt has not made: MySQL cannot take that back."""
    there = inspect(connection)
    if there.has_table(articles.name):
        missing = set(articles.columns.keys()) - {each["name"] for each in there.get_columns(articles.name)}
        if missing:
            raise UnknownTables(
                f"its table articles was made by something else: there is no column {min(missing)}. "
                "Name another database"
            )
    metadata.create_all(connection)
    create_word_index(connection)
    _VERSION.create(connection, checkfirst=True)
    connection.execute(insert(_VERSION).values(version_num=REVISIONS[-1]))


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


def _upgrade(connection: Connection) -> None:
    logging.getLogger("alembic").setLevel(logging.WARNING)  # a crawl's log is about pages
    from alembic.operations import Operations  # noqa: PLC0415 - rarely needed, and slow to import
    from alembic.runtime.migration import MigrationContext, MigrationStep  # noqa: PLC0415 - likewise

    with tempfile.TemporaryDirectory() as folder:
        scripts = script_directory(Path(folder))

        def steps(heads: Any, _context: Any) -> list[MigrationStep]:
            newer = reversed(list(scripts.iterate_revisions("head", heads[0])))
            return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in newer]

        context = MigrationContext.configure(connection, opts={"fn": steps})
        with Operations.context(context):
            context.run_migrations()


def script_directory(folder: Path) -> ScriptDirectory:
    """Return the migrations, copied to a folder: Alembic wants files, and scrapyd imports us from a ZIP."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - likewise

    for script in files(__name__).iterdir():
        if script.name.startswith("revision_") and script.name.endswith(".py"):
            (folder / script.name).write_bytes(script.read_bytes())
    return ScriptDirectory(str(folder), version_locations=[str(folder)])
