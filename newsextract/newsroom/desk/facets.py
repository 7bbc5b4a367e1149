"""Counts the listed articles by site, language, section, watch and day."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.newsroom.desk.article_selection import has_watches
from newsextract.newsroom.desk.choice import FACETS
from newsextract.newsroom.desk.desk_database import rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from newsextract.newsroom.desk.choice import Choice
    from newsextract.newsroom.desk.desk_database import Tables

FEW = 8
"""Values shown immediately."""
MOST = 200
"""Values shown on demand."""

_COUNTED = """
    select id, site, coalesce(in_language, '') as language, coalesce(section, '') as section,
        date_published_utc, date_first_seen
    from articles where rowid in (select value from json_each(?))
"""
_WATCHED = """
    select rule, count(distinct article_id) from matches where article_id in (select value from json_each(?)) group by 1
"""


@dataclass(frozen=True)
class Value:
    """One value of a facet."""

    name: str
    """Empty for articles without one."""
    count: int
    link: str
    """URL of the articles that have it, or of all articles if it is the chosen value."""
    is_chosen: bool


@dataclass(frozen=True)
class Facet:
    """One property by which articles can be filtered."""

    key: str
    name: str
    values: list[Value]
    left_out: int = 0
    """The number of values beyond `MOST`."""

    @property
    def few(self) -> list[Value]:
        """Those shown immediately."""
        return self.values[:FEW]

    @property
    def more(self) -> list[Value]:
        """Those shown on demand."""
        return self.values[FEW:]


def facets(connection: sqlite3.Connection, tables: Tables, choice: Choice, places: Sequence[int]) -> list[Facet]:
    """Return the facets of the articles with these row numbers, without facets that have no value."""
    found = rows(connection, _COUNTED, [json.dumps(places)]) if places else []
    counts: dict[str, Counter[str]] = {name: Counter(row[name] for row in found) for name in FACETS if name in _READ}
    moments = ((row["date_first_seen"] if choice.order == "seen" else _moment(row)) for row in found)
    counts["day"] = Counter(moment[:10] for moment in moments)
    if has_watches(tables):
        ids = json.dumps([row["id"] for row in found])
        counts["watch"] = Counter(dict(connection.execute(_WATCHED, [ids]).fetchall()))
    made = [_facet(key, counts.get(key, Counter()), choice) for key in FACETS]
    return [facet for facet in made if any(value.name or value.is_chosen for value in facet.values)]


_READ = ("site", "language", "section")


def _moment(row: dict[str, str]) -> str:
    return row["date_published_utc"] or row["date_first_seen"]


def _facet(key: str, counts: Counter[str], choice: Choice) -> Facet:
    chosen = getattr(choice, key)
    if chosen is not None:
        counts.setdefault(chosen, 0)
    by_count = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ordered = sorted(counts.items(), reverse=True) if key == "day" else by_count
    values = [
        Value(name, count, choice.link(**{key: None if name == chosen else name}), name == chosen)
        for name, count in ordered[:MOST]
    ]
    return Facet(key, FACETS[key], values, max(0, len(ordered) - MOST))
