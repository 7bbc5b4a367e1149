"""The tree of a query; as text, it is an equivalent query with everything spelled out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from newsextract.storage.schema.searched_fields import VALUE_FIELDS, WORD_FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterator

PREFIX = "*"
"""The mark at the end of a prefix; no folded word contains it."""

EVERYWHERE = ""
"""The field of a term without one: headline, description and body."""

FIELD_NAMES = {name: name for name in (*WORD_FIELDS, *VALUE_FIELDS)} | {"lead": "description", "lang": "language"}
"""The names allowed before the colon, and their fields."""


@dataclass(frozen=True, slots=True)
class Term:
    """Adjacent words, the last one a prefix if it ends in `*`; or a value of a field."""

    words: tuple[str, ...]
    field: str = EVERYWHERE

    def __str__(self) -> str:
        text = " ".join(self.words).removesuffix(PREFIX)
        star = PREFIX if self.words[-1].endswith(PREFIX) else ""
        prefix = f"{self.field}:" if self.field else ""
        return f'{prefix}"{text}"{star}' if len(self.words) > 1 else f"{prefix}{text}{star}"


@dataclass(frozen=True, slots=True)
class Near:
    """Operands in one field, in any order; `distances` is the number of words allowed between each and the next."""

    operands: tuple[Query, ...]
    """Terms, or alternatives of terms."""
    distances: tuple[int, ...]

    def __str__(self) -> str:
        text = _inner(self.operands[0])
        for distance, operand in zip(self.distances, self.operands[1:], strict=True):
            text += f" NEAR/{distance} {_inner(operand)}"
        return text


@dataclass(frozen=True, slots=True)
class And:
    """All operands must match."""

    operands: tuple[Query, ...]

    def __str__(self) -> str:
        return " AND ".join(_inner(operand) for operand in self.operands)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one operand must match."""

    operands: tuple[Query, ...]

    def __str__(self) -> str:
        return " OR ".join(_inner(operand) for operand in self.operands)


@dataclass(frozen=True, slots=True)
class Not:
    """The operand must not match."""

    operand: Query

    def __str__(self) -> str:
        return f"NOT {_inner(self.operand)}"


Query: TypeAlias = Term | Near | And | Or | Not


def _inner(query: Query) -> str:
    return str(query) if isinstance(query, Term) else f"({query})"


def is_negative(query: Query) -> bool:
    """Return whether a query matches articles that have none of its words, so that there is nothing to look up.

    >>> is_negative(And((Term(("a",)), Not(Term(("b",)))))), is_negative(Or((Term(("a",)), Not(Term(("b",))))))
    (False, True)
    """
    if isinstance(query, And):
        return all(is_negative(operand) for operand in query.operands)
    if isinstance(query, Or):
        return any(is_negative(operand) for operand in query.operands)
    return isinstance(query, Not)


def terms(query: Query) -> Iterator[Term]:
    """Yield the terms of a query from left to right, negated ones included."""
    if isinstance(query, Term):
        yield query
    else:
        for operand in (query.operand,) if isinstance(query, Not) else query.operands:
            yield from terms(operand)


def within(query: Query, field: str) -> Query:
    """Return the query with all its terms restricted to a field."""
    if isinstance(query, Term):
        return replace(query, field=field)
    if isinstance(query, Not):
        return Not(within(query.operand, field))
    return replace(query, operands=tuple(within(operand, field) for operand in query.operands))
