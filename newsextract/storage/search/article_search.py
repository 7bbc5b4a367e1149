"""Articles by the words in their headline, description and body, on every database.

All words must be found, accents and case aside; `"quoted"` ones next to each other in one field; `word*` finds what
begins so. The newest come first, which is the same order everywhere. The limits: PostgreSQL finds phrases in the first
16,383 words of an article, and 255 places of a word; MariaDB finds words by their first 80 characters, which PostgreSQL
does too, a phrase that ends in `*` as the phrase and the beginning, anywhere, and a very long article a moment after it
was stored. No database has a shortest word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, bindparam, cast, func, inspect, select, text
from sqlalchemy.dialects.mysql import match
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.database.connection import StorageError
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.full_text_index import article_words
from newsextract.storage.schema.search_words import located
from newsextract.storage.search.search_terms import QUERIES, Term, matches, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import ColumnElement, Engine

_BEFORE_CHARS, _SNIPPET_CHARS = 60, 180


@dataclass(frozen=True)
class Hit:
    """An article that was found."""

    id: str
    url: str
    site: str
    headline: str | None
    date_published: str | None
    """As the page states it; `None` where it does not."""
    snippet: str
    """The text about the first place where one of the words is found."""


def search(engine: Engine, query: str, limit: int = 20) -> list[Hit]:
    """Return the newest articles that have all words of a query, none for a query without words.

    Raises:
        StorageError: the database does not answer, or its SQLite has no full-text search.
    """
    terms = parse(query)
    if not terms:
        return []
    dialect = engine.dialect.name
    columns = [articles.c[name] for name in (*_SHOWN, "description", "article_body")]
    newest = func.coalesce(articles.c.date_published, articles.c.date_first_seen).desc()
    found = _FOUND[dialect](select(*columns), QUERIES[dialect](terms)).order_by(newest, articles.c.id).limit(limit)
    try:
        with engine.connect() as connection:
            if dialect == "sqlite" and not inspect(connection).has_table("articles_fts"):
                raise StorageError("this SQLite has no full-text search: it was built without FTS5")
            rows = connection.execute(found).mappings().all()
    except SQLAlchemyError as error:
        raise StorageError(str(error).partition("\n")[0]) from error
    return [_hit(dict(row), terms) for row in rows]


_SHOWN = ("id", "url", "site", "headline", "date_published")


def _in_sqlite(statement: Select[Any], query: str) -> Select[Any]:
    numbers = text("SELECT rowid FROM articles_fts WHERE articles_fts MATCH :query").bindparams(query=query)
    return statement.where(articles.c.number.in_(numbers.columns(articles.c.number).scalar_subquery()))


def _in_postgresql(statement: Select[Any], query: str) -> Select[Any]:
    is_found = article_words.c.words.op("@@")(cast(bindparam("query", query), TSQUERY))
    return _by_words(statement, is_found)


def _in_mysql(statement: Select[Any], query: str) -> Select[Any]:
    return _by_words(statement, match(article_words.c.words, against=query).in_boolean_mode())


def _by_words(statement: Select[Any], is_found: ColumnElement[bool]) -> Select[Any]:
    return statement.join(article_words, article_words.c.article_id == articles.c.id).where(is_found)


_FOUND: dict[str, Callable[[Select[Any], str], Select[Any]]] = {
    "sqlite": _in_sqlite,
    "postgresql": _in_postgresql,
    "mysql": _in_mysql,
}


def _hit(row: dict[str, Any], terms: Sequence[Term]) -> Hit:
    return Hit(**{name: row[name] for name in _SHOWN}, snippet=snippet(row, terms))


def snippet(row: dict[str, Any], terms: Sequence[Term]) -> str:
    """Return what stands about the first of the terms, in one line; the beginning where only the headline has them.

    >>> snippet({"article_body": "One two three.", "description": None}, parse("THREE"))
    'One two three.'
    """
    texts = [row[name] for name in ("article_body", "description") if row[name]]
    for found_in in texts:
        places = list(located(found_in))
        words = [word for word, _ in places]
        for number, (_, at) in enumerate(places):
            if any(matches(term, words, number) for term in terms):
                return _about(found_in, at)
    return _about(texts[0], 0) if texts else ""


def _about(whole: str, at: int) -> str:
    start = max(0, at - _BEFORE_CHARS)
    if start:
        space = whole.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    piece = " ".join(whole[start : start + _SNIPPET_CHARS].split())
    return ("… " if start else "") + piece + (" …" if start + _SNIPPET_CHARS < len(whole) else "")
