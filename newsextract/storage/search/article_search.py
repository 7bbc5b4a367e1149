"""Articles found by a query, in the language of watch rules: the same ones on every database, the newest first.

The index of the database finds the candidates; each is compared with the query as a new article is with a rule. Only
the beginnings of words that no index has whole, and what an index does not know, are left to that comparison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, func, inspect, select, text
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.database.connection import StorageError
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.full_text_index import article_words
from newsextract.storage.schema.searched_fields import NEEDED_COLUMNS
from newsextract.storage.search.frequent_words import HAS_WORDS, MOMENT, recent_start
from newsextract.storage.search.index_queries import IN_INDEX, sqlite_query
from newsextract.storage.search.query_matching import Matcher
from newsextract.storage.search.query_parser import parse_query
from newsextract.storage.search.snippets import snippet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement, Connection, Engine

    from newsextract.storage.search.query_tree import Query

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
        StorageError: the database does not answer, or has no full-text search that finds all words.
    """
    parsed = parse_query(query)
    matcher, dialect = Matcher(parsed), engine.dialect.name
    columns = [articles.c[name] for name in dict.fromkeys((*_SHOWN, *NEEDED_COLUMNS))]
    newest = func.coalesce(articles.c.date_published_utc, articles.c.date_first_seen).desc()
    source = articles if dialect == "sqlite" else articles.join(article_words)
    ordered = select(*columns).select_from(source).order_by(newest, articles.c.id)
    try:
        with engine.connect() as connection:
            require_full_text(connection)
            recent = _among_recent(connection, parsed) if dialect == "sqlite" else None
            if recent is not None and len(hits := _hits(connection, ordered.where(recent), matcher, limit)) == limit:
                return hits
            return _hits(connection, ordered.where(IN_INDEX[dialect](parsed)), matcher, limit)
    except SQLAlchemyError as error:
        raise StorageError(str(error).partition("\n")[0]) from error


def _among_recent(connection: Connection, query: Query) -> ColumnElement[bool] | None:
    """Return the condition that SQLite's index finds one of the newest articles; `None` if that is no quicker."""
    written = sqlite_query(query)
    start = recent_start(lambda sql, values: connection.execute(text(sql), values).scalar(), written)
    if start is None:
        return None
    return text(f"{MOMENT} >= :start and {HAS_WORDS}").bindparams(start=start, query=written)  # type: ignore[return-value]


def _hits(connection: Connection, found: Select[Any], matcher: Matcher, limit: int) -> list[Hit]:
    """Return the first articles of a statement that match."""
    hits: list[Hit] = []
    for row in _pages(connection, found, limit):
        document = matcher.read(row)
        if matcher.holds(document):
            shown = {name: row[name] for name in _SHOWN}
            hits.append(Hit(**shown, snippet="".join(part.text for part in snippet(document, matcher))))
        if len(hits) == limit:
            break
    return hits


def _pages(connection: Connection, found: Select[Any], size: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of a query, a page at a time: most candidates of most queries are articles to be shown."""
    offset = 0
    while rows := connection.execute(found.limit(size).offset(offset)).mappings().all():
        yield from map(dict, rows)
        if len(rows) < size:
            return
        offset, size = offset + size, size * _GROWTH


_TOKEN_SIZES = text("SELECT @@innodb_ft_min_token_size, @@innodb_ft_max_token_size")
_LEAST_SIZE, _MOST_SIZE = 3, 84
"""Lengths of words in MariaDB's index by the default of servers, which our entries fit."""


def require_full_text(connection: Connection) -> None:
    """Raise `StorageError` if the server's settings would silently miss words."""
    dialect = connection.dialect.name
    if dialect == "sqlite" and not inspect(connection).has_table("articles_fts"):
        raise StorageError("this SQLite has no full-text search: it was built without FTS5")
    if dialect == "mysql":
        least, most = connection.execute(_TOKEN_SIZES).one()
        if least > _LEAST_SIZE or most < _MOST_SIZE:
            raise StorageError(
                f"this server's full-text index has no words shorter than {least} or longer than {most} characters; "
                f"set innodb_ft_min_token_size={_LEAST_SIZE} and innodb_ft_max_token_size={_MOST_SIZE}, restart it, "
                "and run OPTIMIZE TABLE article_words"
            )
