"""Articles found by a query, in the language of watch rules: the same ones on every database, the newest first.

The index of the database finds the candidates; each is compared with the query as a new article is with a rule. Only
the beginnings of words that no index has whole, and what an index does not know, are left to that comparison.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import Select, and_, cast, not_, or_, select, text
from sqlalchemy.dialects.mysql import match
from sqlalchemy.dialects.postgresql import TSQUERY
from sqlalchemy.exc import SQLAlchemyError

from newsextract.storage.database import StorageError, in_time
from newsextract.storage.schema import NEWEST, articles
from newsextract.storage.search.matching import Matcher, snippet
from newsextract.storage.search.queries import PREFIX, And, Near, Not, Or, Query, Term, parse_query
from newsextract.storage.word_index import BETWEEN, CUT, NEEDED_COLUMNS, OVERFULL, article_words, entry, is_whole, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

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


# Queries in the language of each database's index.
#
# An index may find more articles than a query means, as none of them knows `NEAR` as we do; it never finds less. Words
# go into its language only as letters and digits: nothing of a query can be taken for that language's syntax.

_MOST_WORDS = 16
"""Of a phrase that an index is asked for, its first: MariaDB takes no more than some hundred."""

Found: TypeAlias = Term | And | Or | Not
"""A query without NEAR."""


def widened(query: Query) -> Found:
    """Return a query that an index can answer, and that matches at least the articles that this one matches.

    >>> from newsextract.storage.search.queries import parse_query
    >>> str(widened(parse_query("(a OR b) NEAR c NOT (d NEAR e) NOT f")))
    '((a OR b) AND c) AND (NOT f)'
    """
    found = _more(query)
    assert found is not None  # noqa: S101 - the parser lets no query pass that is true of articles without its words
    return found


def _more(query: Query) -> Found | None:
    """Return a wider query; `None` for one that matches everything."""
    if isinstance(query, Term):
        return replace(query, words=query.words[:_MOST_WORDS])
    if isinstance(query, Not):
        return query if is_exact(query.operand) else None
    parts = tuple(part for operand in query.operands if (part := _more(operand)) is not None)
    if not parts or (isinstance(query, Or) and len(parts) < len(query.operands)):
        return None
    return (Or if isinstance(query, Or) else And)(parts) if len(parts) > 1 else parts[0]


def is_exact(query: Query) -> bool:
    """Return whether every database finds a query only in articles that it matches, apart from very long ones."""
    if isinstance(query, Term):
        is_open_phrase = len(query.words) > 1 and query.words[-1].endswith(PREFIX)
        if len(query.words) > _MOST_WORDS or query.field == "body" or is_open_phrase:
            return False
        return all(is_whole(word, query.field) for word in query.words)
    if isinstance(query, Not):
        return is_exact(query.operand)
    return not isinstance(query, Near) and all(map(is_exact, query.operands))


@dataclass(frozen=True)
class _Syntax:
    """How the parts of a query are written."""

    term: Callable[[Term, bool], str]
    """Writes a required term, which may be wider, or an excluded term, which must be exact."""
    all_of: Callable[[Sequence[str], Sequence[str]], str]
    """Joins the required and the excluded parts; either may be empty."""
    any_of: str
    """The separator between alternatives."""

    def written(self, query: Query, *, is_wanted: bool = True) -> str:
        """Return a query without NEAR in this language."""
        if isinstance(query, Term):
            return self.term(query, is_wanted)
        if isinstance(query, Or):
            return f"({self.any_of.join(self.written(each, is_wanted=is_wanted) for each in query.operands)})"
        operands = (query,) if isinstance(query, Not) else query.operands
        wanted = [self.written(each, is_wanted=is_wanted) for each in operands if not isinstance(each, Not)]
        unwanted = [self.written(each.operand, is_wanted=not is_wanted) for each in operands if isinstance(each, Not)]
        return f"({self.all_of(wanted, unwanted)})"


def _entries(term: Term) -> tuple[list[str], str | None]:
    """Return the index entries of a term's words, and the prefix if the last word is one, else `None`."""
    field = "" if term.field == "body" else term.field  # the words of the body have entries without a field
    *before, last = term.words
    if last.endswith(PREFIX):
        return [entry(word, field) for word in before], stem(last.removesuffix(PREFIX), field)
    return [entry(word, field) for word in term.words], None


def _sqlite_term(term: Term, _is_wanted: bool) -> str:
    whole, start = _entries(term)
    return f'"{" ".join(whole)}"' if start is None else f'"{" ".join([*whole, start])}"*'


def _sqlite_all(wanted: Sequence[str], unwanted: Sequence[str]) -> str:
    found = " AND ".join(wanted) or f'"{BETWEEN}"'  # each article has that
    return f"({found}) NOT ({' OR '.join(unwanted)})" if unwanted else found


def _postgresql_term(term: Term, is_wanted: bool) -> str:
    whole, start = _entries(term)
    lexemes = [f"'{word}'" for word in whole] + ([f"'{start}':*"] if start is not None else [])
    if len(lexemes) == 1:
        return lexemes[0]
    phrase = f"({' <-> '.join(lexemes)})"
    return f"({phrase} | {' & '.join([*lexemes, repr(entry('', CUT))])})" if is_wanted else phrase


def _postgresql_all(wanted: Sequence[str], unwanted: Sequence[str]) -> str:
    return " & ".join((*wanted, *(f"!{each}" for each in unwanted)))


_SQLITE = _Syntax(_sqlite_term, _sqlite_all, " OR ")
_POSTGRESQL = _Syntax(_postgresql_term, _postgresql_all, " | ")


def sqlite_query(query: Query) -> str:
    """Return a query in the language of FTS5.

    >>> from newsextract.storage.search.queries import parse_query
    >>> sqlite_query(parse_query('headline:bridge* NOT author:"A. B."'))
    '(("_headline_bridge"*) NOT ("_author_a_ _author_b_"))'
    """
    return _SQLITE.written(widened(query))


def in_sqlite(query: Query) -> ColumnElement[bool]:
    """Return the condition that the index finds an article."""
    numbers = text("SELECT rowid FROM article_words WHERE article_words MATCH :query")
    found = numbers.bindparams(query=sqlite_query(query)).columns(articles.c.number)
    return articles.c.number.in_(found.scalar_subquery())


def in_postgresql(query: Query) -> ColumnElement[bool]:
    """Return the condition that the index finds the words of an article, or does not have all of them."""
    written = f"{_POSTGRESQL.written(widened(query))} | '{entry('', OVERFULL)}'"
    return article_words.c.words.op("@@")(cast(written, TSQUERY))


def in_mysql(query: Query) -> ColumnElement[bool]:
    """Return the condition that the index finds the words of an article.

    Alternatives are joined in SQL, because MariaDB's own query language misses some phrases in brackets.
    """
    return _mysql_condition(widened(query))


def _mysql_condition(query: Query) -> ColumnElement[bool]:
    if isinstance(query, Term):
        return _against(f"+{part}" for part in _mysql_parts(query))
    if isinstance(query, Or):
        return or_(*map(_mysql_condition, query.operands))
    if isinstance(query, Not):
        return not_(_mysql_condition(query.operand))
    plain = [f"+{part}" for each in query.operands if isinstance(each, Term) for part in _mysql_parts(each)]
    others = [_mysql_condition(each) for each in query.operands if not isinstance(each, Term)]
    return and_(*([_against(plain)] if plain else ()), *others)


def _against(parts: Iterable[str]) -> ColumnElement[bool]:
    return match(article_words.c.words, against=" ".join(parts)).in_boolean_mode()


def _mysql_parts(term: Term) -> list[str]:
    """Return the required parts of a term; a prefix is a part of its own, because it cannot end a phrase."""
    whole, start = _entries(term)
    parts = [f'"{" ".join(whole)}"'] if len(whole) > 1 else whole
    return parts + ([f"{start}*"] if start is not None else [])


IN_INDEX: dict[str, Callable[[Query], ColumnElement[bool]]] = {
    "sqlite": in_sqlite,
    "postgresql": in_postgresql,
    "mysql": in_mysql,
}
"""By the name of the dialect. But for SQLite, `article_words` is to be joined."""
