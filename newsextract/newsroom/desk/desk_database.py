"""Opens a SQLite file read-only, while a crawl may be writing to it, and reads rows and JSON columns.

Each part of the desk appears only if the database has its tables: `Tables` says which tables and columns there are.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote
from weakref import WeakKeyDictionary

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "newsextract"
"""The database's name in datasette's URLs, whatever its file is called."""

REQUIRED = frozenset(
    "id number url canonical_url site headline description article_body article_body_html date_published "
    "date_published_utc in_language section word_count date_first_seen".split()
)
"""Columns of `articles` that the pages need."""

_VALUE_BYTES = 64 << 20
"""Size limit of a value and of a row that SQL makes; stored rows are far below."""
_ANSWER_BYTES = 32 << 20
"""Size limit of all rows of an answer, as Python has them: a thousand long articles."""
_HEAP_BYTES = 256 << 20
"""What SQLite may use, in all connections of the process together."""

TOO_LARGE = f"this needs more than {_ANSWER_BYTES >> 20} MB for its answer, or {_HEAP_BYTES >> 20} MB on the way to it"

_REFUSED = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH)


class DeskError(Exception):
    """The desk cannot be opened; the message says why, and what to do."""


def open_read_only(path: Path) -> sqlite3.Connection:
    """Return a connection to a file; no statement can change the file or attach another one."""
    # The name goes into a URI, where %, ? and # have a meaning.
    connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
    connection.execute("PRAGMA query_only = 1")
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _VALUE_BYTES)
    connection.set_authorizer(_allowed)
    return connection


def limit_heap(connection: sqlite3.Connection) -> None:
    """Limit the memory that SQLite uses in this process; a statement that needs more raises `MemoryError`."""
    connection.execute(f"PRAGMA hard_heap_limit = {_HEAP_BYTES}").close()


class CountedRows:
    """A row factory that ends an answer when its rows become too many bytes."""

    def __init__(self) -> None:
        self._left: WeakKeyDictionary[sqlite3.Cursor, int] = WeakKeyDictionary()

    def __call__(self, cursor: sqlite3.Cursor, row: tuple[Any, ...]) -> sqlite3.Row:
        """Return the row; raises `sqlite3.OperationalError` if the answer is too large."""
        left = self._left.get(cursor, _ANSWER_BYTES) - sum(map(getsizeof, row))
        self._left[cursor] = left
        if left < 0:
            raise sqlite3.OperationalError(TOO_LARGE)
        return sqlite3.Row(cursor, row)


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


@dataclass(frozen=True)
class Tables:
    """The column names of each table."""

    names: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Self:
        """Return the tables of a database with their columns."""
        found = connection.execute(
            "select m.name, c.name from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'"
        )
        names: dict[str, set[str]] = {}
        for table, column in found:
            names.setdefault(table, set()).add(column)
        return cls({table: frozenset(columns) for table, columns in names.items()})

    def __contains__(self, table: str) -> bool:
        return table in self.names

    def filled(self, connection: sqlite3.Connection) -> frozenset[str]:
        """Return the tables that have both a page of their own and rows."""
        there = [table for table in ("articles", "story_articles", "matches", "runs") if table in self.names]
        exist = (connection.execute(f"select exists (select 1 from {table})").fetchone()[0] for table in there)  # noqa: S608
        return frozenset(table for table, has_rows in zip(there, exist, strict=True) if has_rows)

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; empty if there is no such table."""
        return self.names.get(table, frozenset())

    def has(self, table: str, *columns: str) -> bool:
        """Return whether a table exists and has these columns."""
        return table in self.names and self.names[table].issuperset(columns)

    def selected(self, table: str, *columns: str) -> str:
        """Return columns for a SELECT, with NULL for those that the table lacks.

        >>> Tables({"runs": frozenset({"id"})}).selected("runs", "id", "job")
        'id, NULL AS job'
        """
        there = self.columns(table)
        return ", ".join(name if name in there else f"NULL AS {name}" for name in columns)


def rows(
    connection: sqlite3.Connection, statement: str, values: Mapping[str, Any] | Sequence[Any] = ()
) -> list[dict[str, Any]]:
    """Return the rows of a query as dicts by column name."""
    cursor = connection.execute(statement, values)
    names = [column[0] for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor]


def value_of(text: str | None) -> Any:
    """Return the value of a JSON column; text that is not JSON is returned unchanged.

    >>> value_of('["a"]'), value_of("null"), value_of(None), value_of("{")
    (['a'], None, None, '{')
    """
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return text


def list_of(text: str | None) -> list[Any]:
    """Return the list in a JSON column; an empty list if it holds anything else."""
    value = value_of(text)
    return value if isinstance(value, list) else []


def names_in(text: str | None) -> list[str]:
    """Return the names of the parts of a list in a JSON column, or the parts where they are texts.

    >>> names_in('[{"name": "A. B.", "url": null}, {"name": null}]'), names_in('["x", "y"]'), names_in("null")
    (['A. B.'], ['x', 'y'], [])
    """
    parts = (part.get("name") if isinstance(part, dict) else part for part in list_of(text))
    return [str(part) for part in parts if part]


def table_of(text: str | None) -> dict[str, Any]:
    """Return the object in a JSON column; an empty dict if it holds anything else."""
    value = value_of(text)
    return value if isinstance(value, dict) else {}
