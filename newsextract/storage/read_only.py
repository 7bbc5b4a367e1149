"""A database opened by those who only look: connections cannot write, and what takes too long is given up."""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import event, inspect
from sqlalchemy.exc import DBAPIError

from newsextract.storage.database import StorageError, make_engine, opening, shown
from newsextract.storage.migrations import REVISIONS, revision_of
from newsextract.storage.schema import articles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy import Connection, Engine

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
