"""Reads the database for a page within the desk's limits of time and memory."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, TypeVar

from datasette.utils import sqlite_timelimit

from newsextract.newsroom.desk.desk_database import NAME, TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Callable

Read = TypeVar("Read")

PAGE_MILLISECONDS = 5000
"""Timeout for reading a page's data: a front page over 100,000 articles takes a tenth of it."""


class TooMuchError(Exception):
    """Reading took too long or too much memory; the message says what may do."""

    def __init__(self) -> None:
        super().__init__("This took too long and was given up. A narrower choice may do: a site, a day, a search.")


async def read_within_limits(datasette: Any, read: Callable[[sqlite3.Connection], Read]) -> Read:
    """Return what a function reads from a connection, in a thread.

    Raises:
        TooMuchError: it took too long, or its answer was too large.
    """

    def limited(connection: sqlite3.Connection) -> Read:
        with sqlite_timelimit(connection, PAGE_MILLISECONDS):
            return read(connection)

    try:
        return await datasette.get_database(NAME).execute_fn(limited)  # type: ignore[no-any-return]
    except sqlite3.OperationalError as error:
        if error.args in (("interrupted",), (TOO_LARGE,)):
            raise TooMuchError from error
        raise
