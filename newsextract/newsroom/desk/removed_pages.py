"""Which stored articles are no longer on their site: their pages answered 404 or 410 when they were visited last."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.newsroom.desk.desk_database import Tables, rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

# An article may have several URLs: it is gone if all of them are.
_REMOVED = """
    select article_id, max(reason) as reason, max(date_visited) as visited from ledger
    where article_id in (select value from json_each(?))
    group by article_id having min(state = 'error' and coalesce(reason, '') in ('http 404', 'http 410'))
"""


@dataclass(frozen=True)
class Removal:
    """How the last visit of a removed page ended."""

    reason: str
    """`HTTP 404` or `HTTP 410`."""
    visited: str


def removals(connection: sqlite3.Connection, tables: Tables, ids: Sequence[str]) -> dict[str, Removal]:
    """Return how the pages of those articles that are gone were last visited, by the articles' ids."""
    if not tables.has("ledger", "article_id", "state", "reason", "date_visited"):
        return {}
    found = rows(connection, _REMOVED, [json.dumps(list(ids))])
    return {row["article_id"]: Removal(row["reason"].upper(), row["visited"]) for row in found}
