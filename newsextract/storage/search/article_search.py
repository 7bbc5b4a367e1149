"""Articles found by a query, in the language of watch rules: the same ones on every database, the newest first.

The index of the database finds the candidates; each is compared with the query as a new article is with a rule. Only
the beginnings of words that no index has whole, and what an index does not know, are left to that comparison.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, and_, select, text
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.database import StorageError
from newsextract.storage.read_only import in_time
from newsextract.storage.schema import NEWEST, articles
from newsextract.storage.search.index_queries import IN_INDEX, sqlite_query
from newsextract.storage.search.matching import Matcher, snippet
from newsextract.storage.search.queries import parse_query
from newsextract.storage.word_index import NEEDED_COLUMNS, article_words

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from sqlalchemy import ColumnElement, Connection, Engine

    from newsextract.storage.search.queries import Query


_RECENT_ARTICLES = 40_000
"""Newest articles that are looked up one by one at most, in a second."""
_MANY = 100_000
"""Articles with the words: to sort them takes half a second."""
_GROWTH = 4
"""Growth of the next page of candidates, as a multiple of those read before."""


@dataclass(frozen=True)
class Hit:
    """An article that was found."""

    id: str
    url: str
    site: str
    headline: str | None
    date_published: str | None
    """As the page states it; `None` if it states none."""
    snippet: str
    """The text around the first hit of the query."""


_SHOWN = ("id", "url", "site", "headline", "date_published")


def has_articles(engine: Engine) -> bool:
    """Return whether any article is stored; raises `StorageError`."""
    with engine.connect() as connection:
        return connection.execute(select(articles.c.id).limit(1)).first() is not None


def search(engine: Engine, query: str, limit: int = 20) -> list[Hit]:
    """Return the newest articles that match a query.

    Raises:
        QueryError: the query is invalid; the error has the position.
        StorageError: the database does not answer.
    """
    parsed = parse_query(query)
    matcher = Matcher(parsed)
    columns = [articles.c[name] for name in dict.fromkeys((*_SHOWN, *NEEDED_COLUMNS))]
    try:
        with engine.connect() as connection:
            ordered = select(*columns).order_by(NEWEST.desc(), articles.c.id)
            rows = matching_rows(connection, ordered, parsed, limit, matcher)
    except SQLAlchemyError as error:
        raise StorageError(str(error).partition("\n")[0]) from error
    snippets = ("".join(part.text for part in snippet(matcher.read(row), matcher)) for row in rows)
    return [Hit(**{name: row[name] for name in _SHOWN}, snippet=text) for row, text in zip(rows, snippets, strict=True)]


def matching_rows(
    connection: Connection, ordered: Select[Any], query: Query, most: int, matcher: Matcher | None
) -> list[dict[str, Any]]:
    """Return the first rows of an ordered statement over `articles` that match a query, at most so many.

    The index finds them, and the matcher compares them with the query, if there is one: see `is_exact`.
    """
    missing = [articles.c[name] for name in NEEDED_COLUMNS if matcher and name not in ordered.selected_columns]
    ordered = ordered.add_columns(*missing)

    def first(statement: Select[Any]) -> list[dict[str, Any]]:
        rows = in_time(connection, _pages(connection, statement, most))
        return list(islice((row for row in rows if matcher is None or matcher.holds(matcher.read(row))), most))

    recent = _among_recent(connection, query) if ordered.whereclause is None else None
    if recent is not None and len(found := first(ordered.where(recent))) == most:
        return found
    return first(in_index(connection, ordered, query))


def in_index(connection: Connection, statement: Select[Any], query: Query) -> Select[Any]:
    """Return a statement over `articles` with the condition that the index finds the article."""
    dialect = connection.dialect.name
    if dialect != "sqlite":
        statement = statement.join_from(articles, article_words)
    return statement.where(IN_INDEX[dialect](query))


def _among_recent(connection: Connection, query: Query) -> ColumnElement[bool] | None:
    """Return the condition that SQLite's index finds one of the newest articles; `None` if that is no quicker.

    SQLite has no index of words in the order of dates: to list the newest of a hundred thousand articles with a word,
    all were looked up and sorted. Instead each of the newest is looked up in the index of words. If too few are found,
    because the word was frequent only long ago, all have to be sorted after all.
    """
    if connection.dialect.name != "sqlite":
        return None
    written = sqlite_query(query)
    counted = "select count(*) from (select 1 from article_words where article_words match :query limit :many)"
    # The words with a beginning are gathered anew at each look.
    if "*" in written or connection.execute(text(counted), {"query": written, "many": _MANY}).scalar_one() < _MANY:
        return None
    start = connection.execute(select(NEWEST).order_by(NEWEST.desc()).limit(1).offset(_RECENT_ARTICLES)).scalar()
    has_words = "exists (select 1 from article_words where article_words match :query and rowid = number)"
    return and_(start <= NEWEST, text(has_words).bindparams(query=written)) if start else None


def _pages(connection: Connection, found: Select[Any], size: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query, a page at a time: most candidates of most queries are articles to be shown."""
    offset = 0
    while rows := connection.execute(found.limit(size).offset(offset)).mappings().all():
        yield from map(dict, rows)
        if len(rows) < size:
            return
        offset, size = offset + size, size * _GROWTH


# Whole articles that match a query and a span of time, the newest first: however many, few are in memory.

AT_ONCE = 50
"""Rows fetched at once: an article may have a megabyte."""

MOMENTS: dict[str, ColumnElement[Any]] = {
    "published": NEWEST,
    "seen": articles.c.date_first_seen,
}
"""What the span is of."""

UNKNOWN = "unknown"
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_of(row: Mapping[str, Any]) -> str:
    """Return the day of a row's moment for the name of a file; `UNKNOWN` if the database has something else.

    >>> day_of({"moment": "2026-05-20T05:00:00"}), day_of({"moment": "../../x"})
    ('2026-05-20', 'unknown')
    """
    found = _DAY.match(str(row["moment"]))
    return found[0] if found else UNKNOWN


def stream_articles(
    engine: Engine, query: str = "", first: str = "", after: str = "", by: str = "published"
) -> Generator[dict[str, Any], None, None]:
    """Yield the rows of `articles`, each with its moment, from one statement: what is stored meanwhile is not in it.

    Without a query all match. `first` is the first moment that is in, ISO 8601 in UTC as text, and `after` the first
    that is not, each empty for no limit; `by` is a name in `MOMENTS`.

    Raises:
        QueryError: the query is invalid.
        StorageError: the database does not answer.
    """
    parsed = parse_query(query) if query else None
    matcher = Matcher(parsed) if parsed else None
    moment = MOMENTS[by]
    statement = select(*articles.c, moment.label("moment")).order_by(moment.desc(), articles.c.id)
    if first:
        statement = statement.where(moment >= first)
    if after:
        statement = statement.where(moment < after)
    try:
        with engine.connect().execution_options(yield_per=AT_ONCE) as connection:
            if parsed is not None:
                statement = in_index(connection, statement, parsed)
            for row in connection.execute(statement).mappings():
                found = dict(row)
                if matcher is None or matcher.holds(matcher.read(found)):
                    yield found
    except SQLAlchemyError as error:
        raise StorageError(str(error).partition("\n")[0]) from error
