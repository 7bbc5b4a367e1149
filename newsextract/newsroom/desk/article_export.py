"""The articles of a choice as a file: CSV for people and their spreadsheets, JSON Lines for programs.

A file has the articles that the front page lists, at most `WINDOW`, in its order. They are read a few at a time, each
time within the limits of the desk, so that a file is never in memory as a whole.
"""

from __future__ import annotations

import json
import sqlite3
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON

from newsextract.newsroom.desk.article_selection import WINDOW, newest
from newsextract.newsroom.desk.desk_database import TOO_LARGE, Tables, names_in, rows, value_of
from newsextract.storage.articles.stored_values import values_of
from newsextract.storage.export import CELLS, csv_text, encodable
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsextract.newsroom.desk.choice import Choice

AT_ONCE = 20
"""Articles read at a time."""

_COLUMNS = ("site", "date_first_seen", *(column.name for column in ARTICLE_COLUMNS))
_ROWS = "select rowid as place, {columns} from articles where rowid in (select value from json_each(?))"
_JSON = frozenset(column.name for column in ARTICLE_COLUMNS if isinstance(column.column().type, JSON))
_TRUTHS = frozenset(column.name for column in ARTICLE_COLUMNS if column.kind is bool)


def exported(connection: sqlite3.Connection, choice: Choice) -> list[int]:
    """Return the row numbers of the articles of a choice, which are at most `WINDOW`.

    Raises:
        QueryError: the search is not a valid query.
        DayError: an end of the range of days is not a day.
    """
    return newest(connection, Tables.of(connection), choice)[:WINDOW]


def read_rows(connection: sqlite3.Connection, places: Sequence[int]) -> list[dict[str, Any]]:
    """Return the articles with these row numbers, in this order; those that are gone meanwhile are left out."""
    statement = _ROWS.format(columns=Tables.of(connection).selected("articles", *_COLUMNS))
    try:
        found = {row["place"]: row for row in rows(connection, statement, [json.dumps(places)])}
    except sqlite3.OperationalError as error:
        if error.args != (TOO_LARGE,) or len(places) == 1:
            raise
        return [row for place in places for row in read_rows(connection, [place])]
    return [found[place] for place in places if place in found]


def csv_lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the lines of articles in a CSV."""
    return csv_text([[_plain(column, row[column]) for column in CELLS.values()] for row in found])


def json_lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return articles as JSON, one a line, with the fields of the item."""
    return "".join(f"{_json(item_of(row))}\n" for row in found)


def item_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item of an article's row, as SQLite has it."""
    decoded = {name: value_of(value) if name in _JSON else value for name, value in row.items()}
    truths = {name: None if row[name] is None else bool(row[name]) for name in _TRUTHS}
    return values_of(decoded | truths)


def article_as_json(connection: sqlite3.Connection, article_id: str) -> str:
    """Return the item of the article with this id as JSON; an empty string if there is none."""
    if "articles" not in Tables.of(connection):
        return ""
    places = [place for (place,) in connection.execute("select rowid from articles where id = ?", [article_id])]
    found = read_rows(connection, places)
    return _json(item_of(found[0]), indent=2) if found else ""


def _json(item: dict[str, Any], indent: int | None = None) -> str:
    return encodable(json.dumps(item, ensure_ascii=False, indent=indent))


def _plain(column: str, value: Any) -> Any:
    """Return a list of a JSON column as its parts, those with a name as their names."""
    return "; ".join(names_in(value)) if column in _JSON else value
