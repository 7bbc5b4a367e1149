"""A slow and plain implementation of queries: the index must find the same."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from newsextract.page.word_folding import words
from newsextract.sites.site import primary
from newsextract.storage.search.queries import And, Near, Not, Or, Query, Term

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

COLUMNS = {"body": "article_body", "section": "section", "publisher": "publisher"}


def fits(query: Query, row: Mapping[str, Any]) -> bool:
    """Tell whether an article matches a query, by the definition."""
    if isinstance(query, Term):
        return is_value(query, row) if query.field in ("site", "language") else bool(list(spots(query, row)))
    if isinstance(query, Near):
        return near(query, row)
    if isinstance(query, Not):
        return not fits(query.operand, row)
    return (all if isinstance(query, And) else any)(fits(operand, row) for operand in query.operands)


def is_value(term: Term, row: Mapping[str, Any]) -> bool:
    if term.field == "language":
        return primary(row["in_language"]) == term.words[0]
    return f".{row['site']}".endswith(f".{term.words[0]}")


def values(field: str, row: Mapping[str, Any]) -> list[str]:
    if field == "author":
        return [author["name"] for author in row.get("authors") or []]
    if field == "keyword":
        return list(row.get("keywords") or [])
    text = row.get(COLUMNS.get(field, field))
    return [text] if text else []


def spots(term: Query, row: Mapping[str, Any]) -> Iterable[tuple[str, int, int, int]]:
    """Yield field, number of the value, and first and last word of every occurrence of a term."""
    if isinstance(term, Or):
        for part in term.operands:
            yield from spots(part, row)
        return
    assert isinstance(term, Term)
    for field in [term.field] if term.field else ["headline", "description", "body"]:
        for number, value in enumerate(values(field, row)):
            there = words(value)
            for at in range(len(there) - len(term.words) + 1):
                if all(is_word(want, there[at + more]) for more, want in enumerate(term.words)):
                    yield field, number, at, at + len(term.words) - 1


def is_word(wanted: str, word: str) -> bool:
    return word.startswith(wanted[:-1]) if wanted.endswith("*") else word == wanted


def near(query: Near, row: Mapping[str, Any]) -> bool:
    """Tell whether one spot per operand can be chosen so that all neighbours are close."""
    choices = product(*(list(spots(operand, row)) for operand in query.operands))
    return any(
        all(close(a, b, far) for a, b, far in zip(spot, spot[1:], query.distances, strict=False)) for spot in choices
    )


def close(one: tuple[str, int, int, int], other: tuple[str, int, int, int], distance: int) -> bool:
    if one[:2] != other[:2]:
        return False
    between = max(other[2] - one[3], one[2] - other[3]) - 1
    return 0 <= between <= distance
