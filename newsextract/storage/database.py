"""Opens a database by its URL, to crawl or only to look; migrates its tables, and classifies its errors."""

from __future__ import annotations

import math
import re
import sqlite3
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import URL, Engine, create_engine, event, inspect
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import StaticPool

from newsextract.page.urls import without_passwords
from newsextract.storage.migrations import REVISIONS, UnknownTables, migrate, revision_of
from newsextract.storage.schema import articles
from newsextract.terminal import why

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection, Engine


_EXTRAS = {"postgresql": "postgres", "mysql": "mysql"}
_DRIVERS = {
    "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql",
}  # fmt: skip
"""The drivers of URLs that name none, where SQLAlchemy's default is not the driver that we install."""

_CONNECT_SECONDS = 10
"""Seconds after which a server that does not answer counts as down."""

_WAL = "journal_mode=WAL"
"""Lets readers read while a crawl writes; remains with the file once it is set."""

_WAL_PAUSE = 0.01
"""Seconds between attempts to set it."""

BUSY_SECONDS = 30.0
"""Seconds that a writer of SQLite waits for another one by default."""

_STRICT = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"
"""Makes MariaDB refuse values that do not fit, instead of cutting them silently."""

_SQLITE = ("locked", "busy", "disk is full", "disk i/o", "unable to open")
"""Parts of SQLite's messages for passing errors: the file is in use, or its disk is full or missing."""

_POSTGRESQL = ("08", "40", "53", "55P03", "57", "58", "25006")
"""Beginnings of its error codes: connection, deadlock, no room or memory, lock, shutdown, system, a standby for now."""

_MYSQL = frozenset({
    1020,  # changed since it was read
    1021, 1030, 1037, 1038, 1041, 1114,  # disk, engine, memory
    1040, 1203, 1226,  # too many connections
    1053, 1077, 1079,  # shutdown
    1158, 1159, 1160, 1161, 1927,  # connection
    1205, 1213, 1290, 1792, 1836,  # lock, deadlock, read-only for now
    2002, 2003, 2006, 2013, 2014, 2055,  # connection
})  # fmt: skip


class StorageError(Exception):
    """The database cannot be used; the message says which and why."""


def open_engine(url: str, *, busy_seconds: float = BUSY_SECONDS, may_share: bool = True) -> Engine:
    """Connect to a database by its SQLAlchemy URL, and bring its tables up to date.

    A statement that another writer of SQLite keeps from its work fails after `busy_seconds`. With `may_share` off, a
    database that has only tables of others is refused, and not given ours.

    Raises:
        StorageError: the URL is invalid, a driver is missing, or the database does not answer or is of a newer version.
    """
    with opening(url):
        engine = make_engine(url, busy_seconds=busy_seconds)
        try:
            migrate(engine, may_share=may_share)
        except BaseException:
            engine.dispose()
            raise
    return engine


@contextmanager
def opening(url: str) -> Iterator[None]:
    """Raise what goes wrong while a database is opened as `StorageError`."""
    try:
        yield
    except (ArgumentError, NoSuchModuleError) as error:
        told = f"{shown(url)!r} is not a database URL ({error})"
        raise StorageError(f"{told}; try sqlite:///output/newsextract.db") from error
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(_parsed(url).get_backend_name(), "")
        hint = f"pip install 'newsextract[{extra}]'" if extra else "install it"
        raise StorageError(f"{shown(url)} needs the module {error.name}: {hint}") from error
    except UnknownTables as error:
        raise StorageError(f"cannot use the database {shown(url)}: {error}") from error
    except (SQLAlchemyError, OSError) as error:
        cause = why(getattr(error, "orig", None) or error).strip().splitlines()[0]
        wanted = "a crawl's database or a new file" if url.startswith("sqlite") else "a server that runs, and its port"
        raise StorageError(f"cannot open the database {shown(url)}: {cause}; name {wanted}") from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that will write; it is committed at the end, or rolled back on an error.

    It takes SQLite's write lock at once: taking it later can fail at once where waiting would have helped.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


def make_engine(url: str, *, busy_seconds: float = BUSY_SECONDS) -> Engine:
    """Return the engine of a database that `open_engine` has opened before; it connects when it is used."""
    parsed = _parsed(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _sqlite(parsed, busy_seconds)
    options: dict[str, Any] = {"connect_args": {}}
    if backend in ("postgresql", "mysql") and "connect_timeout" not in parsed.query:
        options["connect_args"]["connect_timeout"] = _CONNECT_SECONDS
    if backend == "mysql":
        options["isolation_level"] = "READ COMMITTED"
    engine = create_engine(parsed, pool_pre_ping=True, **options)
    if backend == "mysql":
        event.listen(engine, "connect", partial(_set, statement=_STRICT))
    return engine


def _sqlite(parsed: URL, busy_seconds: float) -> Engine:
    if not parsed.database or parsed.database == ":memory:":
        # A database in memory ends with its connection, so all threads share one.
        engine = create_engine(parsed, poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed)
    event.listen(engine, "connect", partial(_set_up, busy_seconds=busy_seconds))
    return engine


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ValueError as error:  # its message may quote part of a password
        raise ArgumentError("its port is not a number") from error
    # One dialect for both, since they differ in nothing here, and table options go by the dialect's name.
    driver = parsed.drivername.replace("mariadb+", "mysql+")
    parsed = parsed.set(drivername=_DRIVERS.get(driver, driver))
    if parsed.get_backend_name() == "mysql" and "charset" not in parsed.query:
        parsed = parsed.update_query_dict({"charset": "utf8mb4"})
    return parsed


def _set_up(connection: Any, _record: Any, busy_seconds: float) -> None:
    connection.execute(f"PRAGMA busy_timeout={busy_seconds * 1000:.0f}")
    connection.execute("PRAGMA synchronous=NORMAL")
    # SQLite does not wait for others that set it in the same new file: it answers at once that the file is locked.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute(f"PRAGMA {_WAL}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_WAL_PAUSE)
        else:
            return


def shown(url: str) -> str:
    """Return a database's URL, valid or not, without its secrets.

    >>> shown("mysql://reader:secret@host/news?ssl_key=secret"), shown("reader:secret@host"), shown("news.db")
    ('mysql://reader:***@host/news?***', 'reader:***', 'news.db')
    """
    if "://" not in url:
        return re.sub(":.*", ":***", url, flags=re.DOTALL)
    return without_passwords(url)


def is_passing(error: BaseException) -> bool:
    """Return whether the operation may succeed if it is retried later."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _is_passing_answer(error.orig)
    return isinstance(error, PoolTimeout) or (isinstance(error, OSError) and not isinstance(error, SQLAlchemyError))


def _is_passing_answer(answer: BaseException | None) -> bool:
    module = type(answer).__module__.partition(".")[0]
    name = type(answer).__name__
    if module == "sqlite3":
        return name == "OperationalError" and any(word in str(answer).lower() for word in _SQLITE)
    if module == "pymysql":
        return bool(answer and answer.args and answer.args[0] in _MYSQL) or name == "InterfaceError"
    code = getattr(answer, "sqlstate", None)
    if code:
        return str(code).startswith(_POSTGRESQL)
    return name in ("OperationalError", "InterfaceError")  # no code: the server was not reached


# Ends transactions whose client has fallen silent: until then their locks keep all other crawls waiting.
#
# A machine that stands still, or is cut off from the network, may do so in the middle of a transaction. The server
# would wait for it for hours, and so would everyone who needs the same rows, such as for a heartbeat.

STALLED_SECONDS = 40
"""A third of the time after which a silent run is dead, so that the others' heartbeats still arrive. Between two
statements of a transaction, a crawl takes milliseconds."""

_LIMITS = {
    "postgresql": f"SET idle_in_transaction_session_timeout = '{STALLED_SECONDS}s'",
    # Executed by MariaDB alone: MySQL has no such limit, and takes it for a comment.
    "mysql": f"/*M!100300 SET SESSION idle_transaction_timeout = {STALLED_SECONDS} */",
}


def limit_stalls(engine: Engine) -> None:
    """Have the server end each later transaction of this engine that is idle for `STALLED_SECONDS`.

    The writer then finds its connection lost, and repeats what it did. SQLite has no server: the lock of a process
    that stands still remains until it goes on or ends.
    """
    statement = _LIMITS.get(engine.dialect.name)
    if statement is not None:
        event.listen(engine, "connect", partial(_set, statement=statement))
        engine.dispose()  # connections that were made before have no limit


def _set(connection: Any, _record: Any, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)
    connection.commit()


# A database opened by those who only look: connections cannot write, and what takes too long is given up.

Row = TypeVar("Row")

PAGE_SECONDS = 5.0
"""For a statement; with SQLite and what is worked out here, for all of a page. A list of 100,000 articles takes a
tenth of it."""
_READ_ONLY = {
    "sqlite": ("PRAGMA query_only = 1",),
    "postgresql": (
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
        f"SET statement_timeout = {PAGE_SECONDS * 1000:.0f}",
    ),
    "mysql": ("SET SESSION TRANSACTION READ ONLY", f"SET max_statement_time = {PAGE_SECONDS}"),
}
"""What each new connection executes, by the name of the dialect."""
_INTERRUPTED = ("57014", "70100")
"""What PostgreSQL and MariaDB call it."""
_DEADLINE = "deadline"
"""Where a connection has the end of its page's time."""


class TooLongError(Exception):
    """Reading a page took longer than `PAGE_SECONDS`."""


def open_database(database: str) -> Engine:
    """Return the engine of a database, given as a file or URL, whose connections can only read.

    Raises:
        StorageError: there is no database, or its tables are of another version.
    """
    url = database if "://" in database else f"sqlite:///{database}"
    with opening(url):
        engine = make_engine(url)
        path = engine.url.database
        if engine.dialect.name == "sqlite" and not (path and Path(path).is_file()):
            raise StorageError(f"there is no database at {path}: run `make crawl` first, or name another one")
        event.listen(engine, "connect", partial(_restrict, statements=_READ_ONLY[engine.dialect.name]))
        with engine.connect() as connection:
            has_articles = inspect(connection).has_table(articles.name)
            is_known = revision_of(connection) == REVISIONS[-1]
    if not (has_articles and is_known):
        raise StorageError(f"{shown(url)} has no tables of this version: a crawl makes them or brings them up to date")
    return engine


def _restrict(connection: Any, _record: Any, statements: Sequence[str]) -> None:
    cursor = connection.cursor()
    for statement in statements:
        cursor.execute(statement)
    cursor.close()
    connection.commit()


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a connection for a page; raises `TooLongError` if a statement takes longer than `PAGE_SECONDS`."""
    try:
        with engine.connect() as connection, _limited(connection):
            yield connection
    except DBAPIError as error:
        if str(error.orig) == "interrupted" or getattr(error.orig, "sqlstate", None) in _INTERRUPTED:
            raise TooLongError from error
        raise


def in_time(connection: Connection, rows: Iterable[Row]) -> Iterator[Row]:
    """Yield rows, which something is worked out from; raises `TooLongError` if a page's time is over meanwhile."""
    for row in rows:
        if time.monotonic() > connection.info.get(_DEADLINE, math.inf):
            raise TooLongError
        yield row


@contextmanager
def _limited(connection: Connection) -> Iterator[None]:
    """Note when the page's time is over; interrupt SQLite, which has no time limit of its own."""
    info = connection.info
    deadline = info[_DEADLINE] = time.monotonic() + PAGE_SECONDS
    driver: Any = connection.connection.driver_connection
    is_limited = connection.dialect.name == "sqlite"
    if is_limited:
        driver.set_progress_handler(lambda: time.monotonic() > deadline, 10_000)
    try:
        yield
    finally:
        del info[_DEADLINE]
        if is_limited:
            driver.set_progress_handler(None, 0)
