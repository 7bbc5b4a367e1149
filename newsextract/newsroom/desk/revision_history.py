"""The revisions of articles as dated differences, for the pages.

It reads `article_id`, `date_seen` and `changes` of the table `revisions`, a JSON object: `headline`, `description` (or
`lead`) with `before` and `after`; `body`, a list of objects with `before` and `after`; `numbers`, likewise; `left_out`,
the number of changes that were left out.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import rows, table_of
from newsextract.newsroom.desk.text_differences import Piece, difference

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from newsextract.newsroom.desk.desk_database import Tables

MOST = 100
"""Revisions shown on a page, newest first."""

CHANGED = "coalesce(changes, 'null') <> 'null'"
"""SQL condition for a real revision: the first text of an article is kept too, and has changed nothing."""

_FIELDS = {"headline": "Headline", "description": "Lead", "lead": "Lead", "body": "Text", "numbers": "Numbers"}

_NEWEST = f"""
    select article_id, date_seen, changes from revisions
    where article_id in (select value from json_each(?)) and {CHANGED} order by date_seen desc limit ?
"""  # noqa: S608 - of constants


@dataclass(frozen=True)
class Revision:
    """What changed at one time."""

    article_id: str
    date_seen: str
    changes: list[tuple[str, list[Piece]]] = field(default_factory=list)
    """For each changed passage: the name of the field, and how it changed."""
    left_out: int = 0
    """The number of changes that were left out, as there were too many."""


def revisions(connection: sqlite3.Connection, tables: Tables, article_ids: Sequence[str]) -> list[Revision]:
    """Return the revisions of some articles, newest first."""
    if not tables.has("revisions", "article_id", "date_seen", "changes"):
        return []
    found = rows(
        connection,
        _NEWEST,
        [json.dumps(list(article_ids)), MOST],
    )
    return [_revision(row, table_of(row["changes"])) for row in found]


def _revision(row: dict[str, Any], changes: dict[str, Any]) -> Revision:
    left_out = changes.get("left_out")
    told = list(_changes(changes))
    return Revision(row["article_id"], row["date_seen"], told, left_out if isinstance(left_out, int) else 0)


def _changes(changes: dict[str, Any]) -> Iterator[tuple[str, list[Piece]]]:
    for name, label in _FIELDS.items():
        stated = changes.get(name)
        for change in stated if isinstance(stated, list) and not _is_pair(stated) else [stated]:
            before, after = _sides(change)
            if before or after:
                yield label, [*difference(before, after), *_context(change)]


def _context(change: Any) -> list[Piece]:
    """Return the words around a number that changed."""
    context = change.get("context") if isinstance(change, dict) else None
    return [Piece("same", f" · {context}")] if context else []


def _is_pair(stated: list[Any]) -> bool:
    return len(stated) == 2 and not any(isinstance(side, dict | list) for side in stated)


def _sides(change: Any) -> tuple[str, str]:
    """Return the text before and after, from an object with these names or from a list of the two."""
    if isinstance(change, dict):
        return _text(change.get("before")), _text(change.get("after"))
    if isinstance(change, list) and len(change) == 2:
        return _text(change[0]), _text(change[1])
    return "", _text(change)


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return "" if value is None else str(value)
