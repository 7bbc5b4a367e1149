"""Queries in the language of each database's index.

An index may find more articles than a query means, as none of them knows `NEAR` as we do; it never finds less. Words go
into its language only as letters and digits: nothing of a query can be taken for that language's syntax.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from sqlalchemy import and_, cast, not_, or_, text
from sqlalchemy.dialects.mysql import match
from sqlalchemy.dialects.postgresql import TSQUERY

from newsextract.storage.schema import articles
from newsextract.storage.search.queries import PREFIX, And, Near, Not, Or, Query, Term
from newsextract.storage.word_index import BETWEEN, CUT, OVERFULL, article_words, entry, is_whole, stem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import ColumnElement

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
