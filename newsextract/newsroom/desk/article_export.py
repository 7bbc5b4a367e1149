"""The articles of a choice as a file: CSV for people and their spreadsheets, JSON Lines for programs.

A file has the articles that the front page lists, at most `WINDOW`, in its order. They are read a few at a time, each
time within the limits of the desk, so that a file is never in memory as a whole.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON

from newsextract.newsroom.delivery.stored_articles import values_of
from newsextract.newsroom.desk.article_selection import WINDOW, newest
from newsextract.newsroom.desk.desk_database import TOO_LARGE, Tables, names_in, rows, value_of
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

_CELLS = {
    "Headline": "headline",
    "Site": "site",
    "Address": "url",
    "Published": "date_published",
    "Published (UTC)": "date_published_utc",
    "Modified": "date_modified",
    "Authors": "authors",
    "Publisher": "publisher",
    "Language": "in_language",
    "Section": "section",
    "Keywords": "keywords",
    "Words": "word_count",
    "First seen (UTC)": "date_first_seen",
    "Lead": "description",
    "Text": "article_body",
}
"""The columns of the CSV, and those of the database."""

_FORMULA = re.compile(
    r"[\s\x00-\x1f\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]"
)
"""What spreadsheets may take for a formula, and so execute: pages can say `=cmd|…`, also behind what nobody sees."""


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


def csv_head() -> str:
    """Return the first line of a CSV, with the mark by which spreadsheets know that it is UTF-8."""
    return "\ufeff" + _csv([list(_CELLS)])


def csv_lines(found: Sequence[Mapping[str, Any]]) -> str:
    """Return the lines of articles in a CSV."""
    return _csv([[_cell(_plain(column, row[column])) for column in _CELLS.values()] for row in found])


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
    return _encodable(json.dumps(item, ensure_ascii=False, indent=indent))


def _csv(lines: Sequence[Sequence[Any]]) -> str:
    written = io.StringIO()
    csv.writer(written).writerows(lines)
    return _encodable(written.getvalue())


def _encodable(text: str) -> str:
    """Return a text without halves of characters, which JSON can state and UTF-8 cannot."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(column: str, value: Any) -> Any:
    """Return a list of a JSON column as its parts, those with a name as their names."""
    return "; ".join(names_in(value)) if column in _JSON else value


def _cell(value: Any) -> Any:
    """Return a value with a mark before what a spreadsheet would execute.

    >>> _cell("=cmd|' /C calc'!A0"), _cell(" -5 degrees"), _cell("well, 2 = 2"), _cell(-7)
    ("'=cmd|' /C calc'!A0", "' -5 degrees", 'well, 2 = 2', -7)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value
