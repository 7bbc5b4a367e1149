"""The filters of the front page, and the row numbers of the articles that they select, newest first.

Rows of `articles` are long, and what comes after the texts is far to read. The index of sites and dates is all that
is needed to sort twenty thousand articles by their date, which takes ten milliseconds, and a sixth of a scan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlencode

from newsextract.storage.search.search_terms import parse, sqlite_query

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from newsextract.newsroom.desk.desk_database import Tables

FACETS = {"site": "Site", "language": "Language", "section": "Section", "watch": "Watch", "day": "Day"}
"""The facets, with their names on the page."""

ORDERS = {"published": "published", "seen": "seen"}
"""The dates to sort by, newest first. Articles without one are sorted by when they were first seen."""

PAGE_ARTICLES = 30

WINDOW = 3000
"""How many of the newest articles are listed and counted; a narrower selection reaches older ones."""

_PUBLISHED = """
    select rowid as place, date_published as moment from articles where date_published is not null {conditions}
    union all
    select rowid, date_first_seen from articles
    where rowid in (select rowid from articles where date_published is null) {conditions}
"""
_SEEN = "select rowid as place, date_first_seen as moment from articles where 1 {conditions}"
_NEWEST = """
    select place from ({dated}) where :day is null or substr(moment, 1, 10) = :day
    order by moment desc, place desc limit :window
"""
_COLUMNS = {"site": "site", "language": "in_language", "section": "section"}


@dataclass(frozen=True)
class Choice:
    """The arguments of the front page. For a facet, `None` means any value, an empty string articles without one."""

    q: str = ""
    """The search words."""
    site: str | None = None
    language: str | None = None
    section: str | None = None
    watch: str | None = None
    day: str | None = None
    """As 2026-03-01."""
    order: str = "published"
    page: int = 1

    @classmethod
    def of(cls, arguments: Any) -> Self:
        """Return the choice in a query string; invalid arguments are ignored.

        >>> Choice.of({"q": " opera ", "site": "a.example", "page": "x"}).link(language="fr")
        '/?q=opera&site=a.example&language=fr'
        """
        order, page = arguments.get("order"), arguments.get("page") or ""
        return cls(
            q=(arguments.get("q") or "").strip(),
            order=order if order in ORDERS else "published",
            page=max(1, int(page)) if page.isdecimal() and len(page) < 7 else 1,
            **{facet: arguments.get(facet) for facet in FACETS},
        )

    def link(self, **changes: Any) -> str:
        """Return the URL of this choice with some changes, at its first page."""
        changed = replace(self, **({"page": 1} | changes))
        arguments = {name: value for name, value in changed if value is not None}
        return f"/?{urlencode(arguments)}" if arguments else "/"

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        """Yield the arguments that are set."""
        for name in ("q", *FACETS, "order", "page"):
            value = getattr(self, name)
            if value != getattr(Choice, name):
                yield name, value

    @property
    def facets(self) -> dict[str, str]:
        """The facets that are chosen."""
        return {name: value for name, value in self if name in FACETS}


def newest(connection: sqlite3.Connection, tables: Tables, choice: Choice) -> list[int]:
    """Return the row numbers of the newest articles of a selection: at most one more than `WINDOW`."""
    if "articles" not in tables:
        return []
    conditions, values = _conditions(tables, choice)
    if conditions is None:
        return []
    dated = (_SEEN if choice.order == "seen" else _PUBLISHED).format(conditions=conditions)
    values |= {"day": choice.day, "window": WINDOW + 1}
    return [place for (place,) in connection.execute(_NEWEST.format(dated=dated), values)]


def _conditions(tables: Tables, choice: Choice) -> tuple[str | None, dict[str, Any]]:
    """Return the conditions of a selection in SQL and their values; `None` if no article can meet them."""
    parts, values = [], dict[str, Any]()
    for facet, column in _COLUMNS.items():
        chosen = getattr(choice, facet)
        if chosen is not None:
            parts.append(f"and {column} = :{facet}" if chosen else f"and coalesce({column}, '') = :{facet}")
            values[facet] = chosen
    if choice.watch is not None:
        if not has_watches(tables):
            return None, {}
        parts.append("and id in (select article_id from matches where rule = :watch)")
        values["watch"] = choice.watch
    if choice.q:
        terms = parse(choice.q)
        if not terms or not can_search(tables):
            return None, {}
        parts.append("and number in (select rowid from articles_fts where articles_fts match :query)")
        values["query"] = sqlite_query(terms)
    return " ".join(parts), values


def has_watches(tables: Tables) -> bool:
    """Return whether this database has matches of watch rules."""
    return tables.has("matches", "article_id", "rule")


def can_search(tables: Tables) -> bool:
    """Return whether this database has the full-text index."""
    return "articles_fts" in tables
