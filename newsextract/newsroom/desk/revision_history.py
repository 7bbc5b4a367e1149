"""The revisions of articles: when each was seen, and what it changed.

They are read from `article_id`, `date_seen` and `changes` of the table `revisions`, a JSON object: `headline` and
`lead` with `before` and `after`; `body`, a list of objects with `before` and `after`; `numbers`, likewise; `left_out`,
how many changes were left out. See `newsextract.storage.revisions.article_differences.Differences`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.desk_database import rows, table_of
from newsextract.newsroom.desk.text_differences import TextChange, change_of, difference

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.newsroom.desk.desk_database import Tables

MOST = 100
"""Revisions shown on a page, newest first."""

CHANGED = "coalesce(changes, 'null') <> 'null'"
"""SQL condition for a real revision: the first text of an article is kept too, and has changed nothing."""

_FIELDS = {"headline": "Headline", "lead": "Lead", "body": "Text"}

_NEWEST = f"""
    select article_id, date_seen, changes from revisions
    where article_id in (select value from json_each(?)) and {CHANGED} order by date_seen desc limit ?
"""  # noqa: S608 - of constants


@dataclass(frozen=True)
class Revision:
    """What changed at one time."""

    article_id: str
    date_seen: str
    changes: list[TextChange] = field(default_factory=list)
    numbers: list[TextChange] = field(default_factory=list)
    """The numbers that changed, which are in the changes too; empty where a text was rewritten."""
    left_out: int = 0
    """The number of changes left out because there were too many."""
    added_words: int = 0
    removed_words: int = 0


def revisions(connection: sqlite3.Connection, tables: Tables, article_ids: Sequence[str]) -> list[Revision]:
    """Return the revisions of some articles, newest first."""
    if not tables.has("revisions", "article_id", "date_seen", "changes"):
        return []
    found = rows(connection, _NEWEST, [json.dumps(list(article_ids)), MOST])
    return [_revision(row, table_of(row["changes"])) for row in found]


def _revision(row: dict[str, Any], stated: dict[str, Any]) -> Revision:
    changes = list(_changes(stated))
    numbers = [] if any(change.is_rewritten for change in changes) else list(_numbers(stated))
    counts = (stated.get(name) or 0 for name in ("left_out", "added_words", "removed_words"))
    return Revision(row["article_id"], row["date_seen"], changes, numbers, *counts)


def _numbers(stated: dict[str, Any]) -> Iterator[TextChange]:
    for one in _listed(stated.get("numbers")):
        before, after = _versions(one)
        yield TextChange("Number", before, after, difference(before, after), str(one.get("context") or ""))


def _changes(changes: dict[str, Any]) -> Iterator[TextChange]:
    for name, label in _FIELDS.items():
        found = [change_of(label, *_versions(one)) for one in _listed(changes.get(name))]
        yield from [_whole(found)] if _is_mostly_rewritten(found) else found


def _is_mostly_rewritten(changes: Sequence[TextChange]) -> bool:
    """Return whether most of what changed in a field was rewritten."""
    rewritten = sum(len(change.before) + len(change.after) for change in changes if change.is_rewritten)
    return 2 * rewritten > sum(len(change.before) + len(change.after) for change in changes)


def _whole(changes: Sequence[TextChange]) -> TextChange:
    """Return the changes of a field as one, with all that went and all that came."""
    before = "\n".join(change.before for change in changes if change.before)
    after = "\n".join(change.after for change in changes if change.after)
    return TextChange(changes[0].label, before, after, [])


def _versions(change: Mapping[str, Any]) -> tuple[str, str]:
    return change["before"] or "", change["after"] or ""


def _listed(stated: Any) -> list[dict[str, Any]]:
    """Return the changes of a field, of which a headline has only one."""
    return [stated] if isinstance(stated, dict) else stated or []
