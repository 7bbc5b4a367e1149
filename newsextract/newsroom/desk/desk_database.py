"""Opens a SQLite file read-only, while a crawl may be writing to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from newsextract.newsroom.desk.known_tables import Tables

NAME = "newsextract"
"""The database's name in datasette's URLs, whatever its file is called."""

REQUIRED = frozenset(
    "id number url canonical_url site headline description article_body article_body_html date_published in_language "
    "section word_count date_first_seen".split()
)
"""Columns of `articles` that the pages need."""

_REFUSED = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)


class DeskError(Exception):
    """The desk cannot be opened; the message says why, and what to do."""


def open_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection to a file that no statement can change, nor attach another to."""
    # The name goes into a URI, where %, ? and # have a meaning.
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
    connection.execute("PRAGMA query_only = 1")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.set_authorizer(_allowed)
    return connection


def _allowed(action: int, *_about: Any) -> int:
    return sqlite3.SQLITE_DENY if action in _REFUSED else sqlite3.SQLITE_OK


def database_path(database: str) -> Path:
    """Return the file that a path or an SQLAlchemy URL names, after checking its tables.

    Raises:
        DeskError: the file is missing, is not SQLite, or has the tables of another version.
    """
    path = _file_of(database)
    if not path.is_file():
        raise DeskError(f"there is no database at {path}: run `make crawl` first, or name another one, DATABASE=…")
    try:
        connection = open_read_only(path)
        try:
            tables = Tables.of(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise DeskError(f"cannot read {path}: {error}") from error
    missing = REQUIRED - tables.columns("articles")
    if "articles" in tables and missing:
        names = ", ".join(sorted(missing))
        raise DeskError(f"{path} is of an older version, without {names}: the next crawl brings it up to date")
    return path


def _file_of(database: str) -> Path:
    if "://" not in database:
        return Path(database)
    try:
        url = make_url(database)
    except ArgumentError as error:
        raise DeskError(f"{database!r} is neither a file nor a database URL") from error
    if url.get_backend_name() != "sqlite":
        shown = url.render_as_string(hide_password=True)
        raise DeskError(f"datasette reads SQLite: {shown} is another database, which `scrapy search` can read")
    if not url.database or url.database == ":memory:":
        raise DeskError("a database in memory is gone with its crawl: name a file, sqlite:///output/newsextract.db")
    return Path(url.database)
