"""Checks the database: whether it responds, its version, its migrations. Nothing in it is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from newsextract.settings import DATABASE
from newsextract.storage.database import shown as shown_url
from newsextract.storage.migrations import REVISIONS
from newsextract.tools.doctor.finding import failure, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.tools.doctor.finding import Finding, Subject

OLDEST = {
    "SQLite": (3, 35),  # RETURNING
    "PostgreSQL": (12,),  # generated columns
    "MariaDB": (10, 6),  # SKIP LOCKED
    "MySQL": (8, 0),  # likewise
}
"""The minimum versions, with the feature that each brought."""

DRIVERS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql", "mariadb": "mariadb+pymysql"}
"""The driver for a URL that names none."""

SECONDS = 5
"""Seconds to wait for a server."""

UNREACHABLE = "start it, or correct NEWSEXTRACT_DATABASE"


def database(subject: Subject) -> Iterator[Finding]:
    """Connect to the database and look at it."""
    written = DATABASE.of(subject.settings)
    if not written:
        yield note("none: NEWSEXTRACT_DATABASE is not set, so every run starts from nothing")
        return
    try:
        url = make_url(written)
    except (ArgumentError, ValueError):  # the latter for a port
        yield failure(f"NEWSEXTRACT_DATABASE is not a URL: {shown_url(written)}", "try sqlite:///output/newsextract.db")
        return
    url = url.set(drivername=DRIVERS.get(url.drivername, url.drivername))
    shown = shown_url(url.render_as_string(hide_password=False))
    if url.get_backend_name() == "sqlite":
        yield from _sqlite(url, subject.folder, shown)
    else:
        yield from _examined(url, shown, {"connect_timeout": SECONDS})


def _sqlite(url: URL, folder: Path, shown: str) -> Iterator[Finding]:
    """Check a file, or SQLite itself if the file does not exist yet."""
    path = folder / url.database if url.database and url.database != ":memory:" else None
    if path is not None and path.exists():
        yield from _examined(url.set(database=str(path)), shown, {})
    else:
        yield from _examined(url.set(database=":memory:"), f"{shown} (not there yet)", {})


def _examined(url: URL, shown: str, arguments: dict[str, int]) -> Iterator[Finding]:
    try:
        engine = create_engine(url, connect_args=arguments)
    except NoSuchModuleError:
        yield failure(f"NEWSEXTRACT_DATABASE names no database we know: {shown}", "sqlite, postgresql or mysql")
        return
    except ModuleNotFoundError as error:
        extra = {"psycopg": "postgres", "pymysql": "mysql"}.get(error.name or "")
        advice = f"pip install 'newsextract[{extra}]'" if extra else f"install {error.name}"
        yield failure(f"{shown} needs the module {error.name}", advice)
        return
    try:
        with engine.connect() as connection:
            yield from examine(connection, shown)
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        yield failure(f"{shown} does not answer: {cause}", UNREACHABLE)
    finally:
        engine.dispose()


def examine(connection: Connection, shown: str) -> Iterator[Finding]:
    """Return the findings about a database that responds."""
    name = product(connection)
    yield version_finding(name, tuple(connection.dialect.server_version_info or ()), shown)
    tables = inspect(connection).get_table_names()  # first, since a file that is not a database fails only when read
    if name == "SQLite":
        yield full_text_finding(connection)
    if tables:
        stored = _migrations(connection) if "alembic_version" in tables else ()
        yield migration_finding(stored, REVISIONS, has_articles="articles" in tables)


def _migrations(connection: Connection) -> tuple[str, ...]:
    return tuple(str(row[0]) for row in connection.execute(text("select version_num from alembic_version")))


def product(connection: Connection) -> str:
    """Return which database responds: a URL does not distinguish MySQL from MariaDB."""
    if getattr(connection.dialect, "is_mariadb", False):
        return "MariaDB"
    names = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mysql": "MySQL"}
    return names.get(connection.dialect.name, connection.dialect.name)


def version_finding(name: str, version: tuple[int | str, ...], shown: str) -> Finding:
    """Check whether a version of a database is new enough."""
    oldest = OLDEST.get(name)
    if oldest is None:
        return failure(f"articles cannot be stored in {name}", f"use one of {', '.join(OLDEST)}")
    numbers = tuple(part for part in version if isinstance(part, int))
    written, wanted = ".".join(map(str, numbers)), ".".join(map(str, oldest))
    if numbers < oldest:
        return failure(f"{name} {written} at {shown} is too old", f"{name} {wanted} or newer")
    return ok(f"{name} {written} at {shown}")


def full_text_finding(connection: Connection) -> Finding:
    """Check whether this SQLite has full-text search."""
    if connection.execute(text("select 1 from pragma_module_list where name = 'fts5'")).first() is None:
        return failure("this SQLite was built without FTS5, the full-text index", "use another build of Python")
    return ok("SQLite has FTS5")


def migration_finding(stored: tuple[str, ...], known: tuple[str, ...], *, has_articles: bool) -> Finding:
    """Check whether the tables are those of this version of newsextract."""
    if known[-1] in stored:
        return ok(f"tables are up to date, at {known[-1]}")
    if not stored and not has_articles:
        return note("the database has no tables of newsextract yet: the first crawl makes them")
    at = ", ".join(stored) or "no revision"
    if not stored or not set(stored) <= set(known):
        advice = "pip install --upgrade newsextract, or name another database"
        return failure(f"tables are at {at}, which this version does not know", advice)
    return warning(f"tables are at {at}, the newest is {known[-1]}", "make a backup: the next crawl migrates them")
