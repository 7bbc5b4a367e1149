"""Brings the tables of a database to those of this version, step by step: see `newsextract.storage.migrations`.

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

from sqlalchemy import column, inspect, select, table, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alembic.script import ScriptDirectory
    from sqlalchemy import Connection, Engine

REVISIONS = tuple(f"{number:04}" for number in range(1, 21))
"""All there are, in their order."""
HEAD = REVISIONS[-1]

_LOCK_NUMBER = 0x6E657773
_LOCK_SECONDS = 600
_one_at_a_time = threading.Lock()
"""Alembic's operations are of the whole process."""
_VERSION = table("alembic_version", column("version_num"))


class NewerSchema(Exception):  # noqa: N818 - the name says that it is an error
    """A newer version made the tables."""


def migrate(engine: Engine) -> None:
    """Bring the database to this version's tables; of several that start at once, one does it and the others wait.

    Raises:
        NewerSchema: the database has a revision that this version does not know.
    """
    with engine.connect() as connection:
        known = revision_of(connection)
    if known == HEAD:
        return
    _check(known)
    with _one_at_a_time, _locked(engine) as connection:
        _upgrade(connection)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database's tables; `None` where there are none, or only those of the first versions."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(select(_VERSION.c.version_num)).scalar_one_or_none()
    return found


def _check(known: str | None) -> None:
    if known is not None and known not in REVISIONS:
        raise NewerSchema(
            f"its tables are of revision {known}, made by a newer version of newsextract; this one knows {HEAD}. "
            "Update newsextract: pip install --upgrade newsextract"
        )


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
    _silence()
    from alembic.operations import Operations  # noqa: PLC0415 - rarely needed, and slow to import
    from alembic.runtime.migration import MigrationContext, MigrationStep  # noqa: PLC0415 - likewise

    with tempfile.TemporaryDirectory() as folder:
        scripts = script_directory(Path(folder))

        def steps(heads: Any, _context: Any) -> list[MigrationStep]:
            current = heads[0] if heads else None
            _check(current)  # it may be another's since it was last looked at
            newer = reversed(list(scripts.iterate_revisions("head", current or "base")))
            return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in newer]

        context = MigrationContext.configure(connection, opts={"fn": steps})
        with Operations.context(context):
            context.run_migrations()


def script_directory(folder: Path) -> ScriptDirectory:
    """Return the migrations, copied to a folder: Alembic wants files, and scrapyd imports us from a ZIP."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - likewise

    for script in files("newsextract.storage.migrations").iterdir():
        if script.name.startswith("revision_") and script.name.endswith(".py"):
            (folder / script.name).write_bytes(script.read_bytes())
    return ScriptDirectory(str(folder), version_locations=[str(folder)])


def _silence() -> None:
    """Keep Alembic to warnings: a crawl's log is about pages."""
    alembic = logging.getLogger("alembic")
    if alembic.level == logging.NOTSET:
        alembic.setLevel(logging.WARNING)
