"""The row numbers of the articles that a choice selects, newest first.

Rows of `articles` are long, and to sort a million of them takes seconds: each list is read from an index that has its
order, as far as it is shown. An article without a date of publication is listed where it was first seen.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.desk.choice import COLUMNS
from newsextract.newsroom.desk.desk_database import list_of, rows
from newsextract.page.word_folding import words
from newsextract.storage.schema.searched_fields import NEEDED_COLUMNS
from newsextract.storage.search.article_search import HAS_WORDS, MOMENT, recent_start
from newsextract.storage.search.index_queries import sqlite_query, widened
from newsextract.storage.search.matching import Matcher
from newsextract.storage.search.queries import QueryError, parse_query

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from newsextract.newsroom.desk.choice import Choice
    from newsextract.newsroom.desk.desk_database import Tables
    from newsextract.storage.search.queries import Query

WINDOW = 3000
"""How many of the newest articles are listed and counted; a narrower selection reaches older ones."""

MOMENTS = {"published": MOMENT, "seen": "date_first_seen"}
"""What each order sorts by, as the indexes have it."""

_IN_RANGE = " and {moment} >= :first and {moment} < :after"
_NEWEST = "select rowid from articles where 1 {conditions} order by {moment} desc, rowid desc {limit}"
_FOUND = "and number in (select rowid from articles_fts where articles_fts match :query)"
_RECENT = f"and {{moment}} >= :start and {HAS_WORDS}"
_TEXTS = f"select {', '.join(NEEDED_COLUMNS)} from articles where rowid = ?"  # noqa: S608 - of constants


def newest(connection: sqlite3.Connection, tables: Tables, choice: Choice) -> list[int]:
    """Return the row numbers of the newest articles of a selection: at most one more than `WINDOW`.

    Raises:
        QueryError: the search is not a valid query.
        DayError: an end of the range of days is not a day.
    """
    query = parse_query(choice.q) if choice.q else None
    if (
        "articles" not in tables
        or (query and not can_search(tables))
        or (choice.watch is not None and not has_watches(tables))
    ):
        return []
    conditions, values = _conditions(choice, query)
    first, after = choice.days.bounds()
    moment = MOMENTS[choice.order]
    if choice.days:
        conditions += _IN_RANGE.format(moment=moment)
    is_found_by_index = query is None or widened(query) == query
    limit = "limit :window" if is_found_by_index else ""
    statement = _NEWEST.format(conditions=conditions, moment=moment, limit=limit)
    values |= {"first": first, "after": after, "window": WINDOW + 1}
    if query is not None and is_found_by_index and conditions == _FOUND:
        recent = _of_recent(connection, values, moment)
        if len(recent) > WINDOW:
            return recent
    places = (place for (place,) in connection.execute(statement, values))
    return list(
        places if query is None or is_found_by_index else islice(_true_of(connection, query, places), WINDOW + 1)
    )


def _of_recent(connection: sqlite3.Connection, values: dict[str, Any], moment: str) -> list[int]:
    """Return the newest articles with words that very many have; too few if that is not quicker than to sort all."""
    start = recent_start(lambda sql, known: next(connection.execute(sql, known), (None,))[0], values["query"], moment)
    if start is None:
        return []
    statement = _NEWEST.format(conditions=_RECENT.format(moment=moment), moment=moment, limit="limit :window")
    return [place for (place,) in connection.execute(statement, values | {"start": start})]


def _true_of(connection: sqlite3.Connection, query: Query, places: Iterable[int]) -> Iterator[int]:
    """Yield the row numbers of the articles that match a query."""
    matcher = Matcher(query)
    for place in places:
        row = rows(connection, _TEXTS, [place])[0]
        row |= {name: list_of(row[name]) for name in ("authors", "keywords")}
        if matcher.holds(matcher.read(row)):
            yield place


def _conditions(choice: Choice, query: Query | None) -> tuple[str, dict[str, Any]]:
    """Return the conditions of a selection in SQL, and their values."""
    parts, values = [], dict[str, Any]()
    for facet, column in COLUMNS.items():
        chosen = getattr(choice, facet)
        if chosen is not None:
            parts.append(f"and {column} = :{facet}" if chosen else f"and coalesce({column}, '') = :{facet}")
            values[facet] = chosen
    if choice.watch is not None:
        parts.append("and id in (select article_id from matches where rule = :watch)")
        values["watch"] = choice.watch
    if query is not None:
        parts.append(_FOUND)
        values["query"] = sqlite_query(query)
    return " ".join(parts), values


def searched(written: str | None) -> str:
    """Return a search of datasette's own pages in the language of FTS5; an invalid query counts as a list of words.

    >>> searched("Élysée OR (pont"), searched("(")
    ('("elysee" AND "or" AND "pont")', '""')
    """
    text = written or ""
    try:
        return sqlite_query(parse_query(text))
    except QueryError:
        found = words(text)
        return "({})".format(" AND ".join(f'"{word}"' for word in found)) if found else '""'


def has_watches(tables: Tables) -> bool:
    """Return whether this database has matches of watch rules."""
    return tables.has("matches", "article_id", "rule")


def can_search(tables: Tables) -> bool:
    """Return whether this database has the full-text index."""
    return "articles_fts" in tables
