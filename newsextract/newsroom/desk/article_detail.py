"""The page of an article: its text, the source of each field, its revisions, its story, its watches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.article_selection import has_watches
from newsextract.newsroom.desk.desk_database import Tables, list_of, rows, table_of, value_of
from newsextract.newsroom.desk.story_detail import Story, story_of
from newsextract.newsroom.desk.text_differences import Piece, Revision, revisions
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS, snake_case

if TYPE_CHECKING:
    import sqlite3

_HIDDEN = frozenset(
    "id number headline description article_body article_body_html content_hash text_hash sources warnings images "
    "main_image live_blog_updates paywalled_parts date_published_utc date_published_raw date_modified_raw".split()
)
"""Columns that are shown elsewhere, or that mean nothing to a reader."""

_TRUTHS = frozenset(column.name for column in ARTICLE_COLUMNS if column.kind is bool)
_YES_OR_NO = {0: "no", 1: "yes"}
"""Boolean columns, for which SQLite has no type."""

_MOST_CHARS = 400


@dataclass(frozen=True)
class Field:
    """A field of the metadata."""

    name: str
    value: str
    source: str | None
    """Where it was found, as the extraction reports it."""


@dataclass(frozen=True)
class Match:
    """A watch that the article has matched."""

    rule: str
    date: str | None
    passages: list[list[Piece]]
    """The passages that show it, with the hits as `mark`."""


@dataclass(frozen=True)
class ArticlePage:
    """What the page of an article shows."""

    row: dict[str, Any]
    authors: list[str]
    fields: list[Field]
    warnings: list[str]
    revisions: list[Revision]
    story: Story | None
    matches: list[Match]


def article(connection: sqlite3.Connection, article_id: str) -> ArticlePage | None:
    """Return the article with this id; `None` if there is none."""
    tables = Tables.of(connection)
    found = rows(connection, "select * from articles where id = ?", [article_id]) if "articles" in tables else []
    if not found:
        return None
    row = found[0]
    return ArticlePage(
        row=row,
        authors=_names(row.get("authors")),
        fields=_fields(row),
        warnings=[str(warning) for warning in list_of(row.get("warnings"))],
        revisions=revisions(connection, tables, [article_id]),
        story=story_of(connection, tables, article_id),
        matches=_matches(connection, tables, article_id),
    )


def _fields(row: dict[str, Any]) -> list[Field]:
    sources = {snake_case(name): str(source) for name, source in table_of(row.get("sources")).items()}
    values = {name: _YES_OR_NO.get(value) if name in _TRUTHS else value for name, value in row.items()}
    shown = ((name, _written(value), sources.get(name)) for name, value in values.items() if name not in _HIDDEN)
    texts = [Field(name, "", sources[name]) for name in ("headline", "description", "article_body") if name in sources]
    return [*texts, *(Field(name, value, source) for name, value, source in shown if value)]


def _written(value: Any) -> str:
    """Return a column's value on one line: a list as its parts, parts with a name as their names.

    >>> _written('[{"name": "A. B.", "url": null}, {"name": "C. D."}]'), _written('["x", "y"]'), _written("null")
    ('A. B., C. D.', 'x, y', '')
    """
    if isinstance(value, str) and value[:1] in tuple("[{n"):
        value = value_of(value)
    if isinstance(value, dict):
        value = [f"{name}: {part}" for name, part in value.items() if part not in (None, [])]
    if isinstance(value, list):
        value = ", ".join(str(part.get("name") or part) if isinstance(part, dict) else str(part) for part in value)
    text = "" if value is None else str(value)
    return text if len(text) <= _MOST_CHARS else text[:_MOST_CHARS] + " …"


def _names(authors: str | None) -> list[str]:
    return [str(author["name"]) for author in list_of(authors) if isinstance(author, dict) and author.get("name")]


def _matches(connection: sqlite3.Connection, tables: Tables, article_id: str) -> list[Match]:
    if not has_watches(tables):
        return []
    columns = tables.selected("matches", "rule", "passages", "date_matched")
    found = rows(connection, f"select {columns} from matches where article_id = ? order by rule", [article_id])  # noqa: S608
    return [Match(row["rule"], row["date_matched"], _passages(row["passages"])) for row in found]


def _passages(text: str | None) -> list[list[Piece]]:
    """Return the passages of a match: objects with a `text` and the `marks` in it."""
    return [_marked(part["text"], part["marks"]) for part in list_of(text)]


def _marked(text: str, marks: list[Any]) -> list[Piece]:
    """Return a text with its marks, each given as a start and an end.

    >>> [(piece.kind, piece.text) for piece in _marked("a new bridge", [[2, 5]])]
    [('same', 'a '), ('mark', 'new'), ('same', ' bridge')]
    """
    pieces, at = [], 0
    for start, stop in sorted((start, stop) for start, stop in marks):
        if start >= at:
            pieces += [Piece("same", text[at:start]), Piece("mark", text[start:stop])]
            at = stop
    return [piece for piece in (*pieces, Piece("same", text[at:])) if piece.text]
