"""Whole articles that match a query and a span of time, the newest first: however many, few are in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.database.connection import StorageError
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.full_text_index import article_words
from newsextract.storage.search.article_search import require_full_text
from newsextract.storage.search.index_queries import IN_INDEX
from newsextract.storage.search.query_matching import Matcher
from newsextract.storage.search.query_parser import parse_query

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from sqlalchemy import ColumnElement, Engine, Select

AT_ONCE = 50
"""Rows fetched at once: an article may have a megabyte."""

MOMENTS: dict[str, ColumnElement[Any]] = {
    "published": func.coalesce(articles.c.date_published_utc, articles.c.date_first_seen),
    "seen": articles.c.date_first_seen,
}
"""What the span is of; an article without a date of publication counts by when it was first seen."""

MOMENT = "moment"
"""The name, in a row, of the time that it is sorted by: ISO 8601 in UTC."""


UNKNOWN = "unknown"
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def day_of(row: Mapping[str, Any]) -> str:
    """Return the day of a row's `MOMENT` for the name of a file; `UNKNOWN` if the database has something else.

    >>> day_of({"moment": "2026-05-20T05:00:00"}), day_of({"moment": "../../x"})
    ('2026-05-20', 'unknown')
    """
    found = _DAY.match(str(row[MOMENT]))
    return found[0] if found else UNKNOWN


@dataclass(frozen=True)
class Selection:
    """Which articles are read; empty texts select all."""

    query: str = ""
    """In the language of watch rules."""
    first: str = ""
    """The first moment that is in, ISO 8601 in UTC as text."""
    after: str = ""
    """The first that is not."""
    by: str = "published"
    """A name in `MOMENTS`."""


def stream_articles(engine: Engine, selection: Selection) -> Generator[dict[str, Any], None, None]:
    """Yield the rows of `articles`, each with its `MOMENT`, from one statement: what is stored meanwhile is not in it.

    Raises:
        QueryError: the query is invalid.
        StorageError: the database does not answer, or cannot search.
    """
    parsed = parse_query(selection.query) if selection.query else None
    matcher = Matcher(parsed) if parsed else None
    statement = _statement(selection)
    try:
        with engine.connect().execution_options(yield_per=AT_ONCE) as connection:
            if parsed is not None:
                require_full_text(connection)
                if connection.dialect.name != "sqlite":
                    statement = statement.join(article_words)
                statement = statement.where(IN_INDEX[connection.dialect.name](parsed))
            for row in connection.execute(statement).mappings():
                found = dict(row)
                if matcher is None or matcher.holds(matcher.read(found)):
                    yield found
    except SQLAlchemyError as error:
        raise StorageError(str(error).partition("\n")[0]) from error


def _statement(selection: Selection) -> Select[Any]:
    moment = MOMENTS[selection.by]
    statement = select(*articles.c, moment.label(MOMENT)).select_from(articles).order_by(moment.desc(), articles.c.id)
    if selection.first:
        statement = statement.where(moment >= selection.first)
    return statement.where(moment < selection.after) if selection.after else statement
