"""A database by its URL: connected, set up for crawls, and with today's tables; and which of its errors pass."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import StaticPool

from newsextract.setting_types import without_passwords
from newsextract.storage.migrations.migrating import NewerSchema, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection

_EXTRAS = {"postgresql": "postgres", "mysql": "mysql"}
_DRIVERS = {
    "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg",
    "mysql": "mysql+pymysql", "mariadb": "mysql+pymysql",
}  # fmt: skip
"""What a URL without a driver means, where SQLAlchemy would take another than the one we install."""

_CONNECT_SECONDS = 10
"""After which a server that does not answer is down."""

_PRAGMAS = ("busy_timeout=30000", "journal_mode=WAL", "synchronous=NORMAL")
"""Wait rather than fail when two write, and let readers read while a crawl writes."""

_STRICT = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'"

_SQLITE = ("locked", "busy", "disk is full", "disk i/o", "unable to open")
"""Of the messages that SQLite gives: a file that is in use, or on a disk that is full or away."""

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


def open_engine(url: str) -> Engine:
    """Connect to a database by its SQLAlchemy URL, and bring its tables up to date.

    Raises:
        StorageError: the URL is none, a driver is missing, the database does not answer, or a newer version made it.
    """
    try:
        engine = _engine(url)
        try:
            migrate(engine)
        except BaseException:
            engine.dispose()
            raise
    except (ArgumentError, NoSuchModuleError) as error:
        told = f"{without_passwords(repr(url))} is no database URL ({error})"
        raise StorageError(f"{told}; try sqlite:///output/newsextract.db") from error
    except ModuleNotFoundError as error:
        extra = _EXTRAS.get(_parsed(url).get_backend_name(), "")
        hint = f"pip install 'newsextract[{extra}]'" if extra else "install it"
        raise StorageError(f"{_shown(url)} needs the module {error.name}: {hint}") from error
    except NewerSchema as error:
        raise StorageError(f"cannot use the database {_shown(url)}: {error}") from error
    except (SQLAlchemyError, OSError) as error:
        cause = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise StorageError(f"cannot open the database {_shown(url)}: {cause}") from error
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that will write, committed in the end, or rolled back if an error leaves it.

    SQLite decides at the first statement who may write: to ask for it later can fail where waiting would have helped.
    """
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield connection


def _engine(url: str) -> Engine:
    parsed = _parsed(url)
    backend = parsed.get_backend_name()
    if backend == "sqlite":
        return _sqlite(parsed)
    options: dict[str, Any] = {"connect_args": {}}
    if backend in ("postgresql", "mysql") and "connect_timeout" not in parsed.query:
        options["connect_args"]["connect_timeout"] = _CONNECT_SECONDS
    if backend == "mysql":
        options["isolation_level"] = "READ COMMITTED"
    engine = create_engine(parsed, pool_pre_ping=True, **options)
    if backend == "mysql":
        event.listen(engine, "connect", _be_strict)
    return engine


def _sqlite(parsed: URL) -> Engine:
    if not parsed.database or parsed.database == ":memory:":
        # Gone with its connection, so there is one, for all threads.
        engine = create_engine(parsed, poolclass=StaticPool, connect_args={"check_same_thread": False})
    else:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(parsed)
    event.listen(engine, "connect", _write_ahead)
    return engine


def _parsed(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ValueError as error:  # which quotes what may be part of a password
        raise ArgumentError("its port is no number") from error
    # One dialect for both, since they differ in nothing here, and table options go by the dialect's name.
    driver = parsed.drivername.replace("mariadb+", "mysql+")
    parsed = parsed.set(drivername=_DRIVERS.get(driver, driver))
    if parsed.get_backend_name() == "mysql" and "charset" not in parsed.query:
        parsed = parsed.update_query_dict({"charset": "utf8mb4"})
    return parsed


def _write_ahead(connection: Any, _record: Any) -> None:
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def _be_strict(connection: Any, _record: Any) -> None:
    """Refuse what does not fit, where the server would cut it and say nothing."""
    with connection.cursor() as cursor:
        cursor.execute(_STRICT)


def _shown(url: str) -> str:
    return make_url(url).render_as_string(hide_password=True)


def is_passing(error: BaseException) -> bool:
    """Tell whether the same may succeed when it is tried again later."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or _is_passing_answer(error.orig)
    return isinstance(error, PoolTimeout) or (isinstance(error, OSError) and not isinstance(error, SQLAlchemyError))


def has_lost_connection(error: BaseException) -> bool:
    """Tell whether the connection broke off: the server went away, or it closed the door on what it was sent."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


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
