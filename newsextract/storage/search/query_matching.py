"""Compiles queries to be matched against many articles: whether one matches, and where."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from newsextract.storage.schema.searched_fields import VALUE_FIELDS
from newsextract.storage.search.query_tree import PREFIX, And, Near, Not, Or, Query, Term, terms
from newsextract.storage.search.searched_article import Document, key_in, stems_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Spot: TypeAlias = tuple[int, int]
"""The positions of the first and the last word of a hit."""


class Test(Protocol):
    """A compiled query."""

    def holds(self, document: Document) -> bool:
        """Return whether it matches a document."""
        ...

    def spots(self, document: Document) -> Iterator[Sequence[Spot]]:
        """Yield the hits of each part that matches, if the query does; negated parts have none."""
        ...


class Matcher:
    """A compiled query, and the prefixes in it, to be compared with one article after the other."""

    def __init__(self, query: Query) -> None:
        self.test = test_of(query)
        self._stems = stems_of(key for term in terms(query) for key in keys_of(term))

    def read(self, row: Mapping[str, Any]) -> Document:
        """Return an article, given as a row of the table, as the query sees it."""
        document = Document(row)
        document.add_prefixes(self._stems)
        return document

    def holds(self, document: Document) -> bool:
        """Return whether the query matches what `read` returned."""
        return self.test.holds(document)


def test_of(query: Query) -> Test:
    """Return the compiled query."""
    if isinstance(query, Term):
        return _Term(str(query), keys_of(query), query.field)
    if isinstance(query, Near):
        return _Near(tuple(_alternatives(operand) for operand in query.operands), query.distances)
    if isinstance(query, Not):
        return _Not(test_of(query.operand))
    tests = tuple(test_of(operand) for operand in query.operands)
    return _And(tests) if isinstance(query, And) else _Or(tests)


def keys_of(term: Term) -> tuple[str, ...]:
    """Return the key, possibly a prefix, that a document must have for a term to match.

    >>> keys_of(Term(("prime", "minist*"), "headline")), keys_of(Term(("pont",), "body"))
    ((':headline:prime', ':headline:minist*'), ('pont',))
    """
    if term.field in ("", "body"):
        return term.words
    return tuple(key_in(term.field, word) for word in term.words)


def is_key(term: Term) -> bool:
    """Return whether a term matches wherever its key occurs."""
    return len(term.words) == 1 and term.field != "body"


def _alternatives(operand: Query) -> tuple[_Term, ...]:
    if isinstance(operand, Term):
        return (_Term(str(operand), keys_of(operand), operand.field),)
    assert isinstance(operand, Or)  # noqa: S101 - the parser lets nothing else be near
    return tuple(term for part in operand.operands for term in _alternatives(part))


@dataclass(frozen=True, slots=True)
class _Term:
    name: str
    """The key under which a document caches its positions."""
    keys: tuple[str, ...]
    field: str

    def holds(self, document: Document) -> bool:
        if len(self.keys) == 1 and self.field != "body":
            return self.keys[0] in document.keys
        return document.keys.issuperset(self.keys) and bool(self.starts(document))

    def spots(self, document: Document) -> Iterator[Sequence[Spot]]:
        if self.field not in VALUE_FIELDS:
            yield self.all_spots(document)

    def all_spots(self, document: Document) -> list[Spot]:
        """Return its hits."""
        more = len(self.keys) - 1
        return [(start, start + more) for start in self.starts(document)]

    def starts(self, document: Document) -> list[int]:
        """Return the positions where it starts, in order."""
        known = document.found.get(self.name)
        if known is None:
            known = document.found[self.name] = self._look(document)
        return known

    def _look(self, document: Document) -> list[int]:
        starts = _places(document, self.keys[0])
        for number, key in enumerate(self.keys[1:], 1):
            if not starts:
                break
            following = {place - number for place in _places(document, key)}
            starts = [start for start in starts if start in following]
        return starts[bisect_left(starts, document.body_start) :] if self.field == "body" else starts


def _places(document: Document, key: str) -> list[int]:
    if key.endswith(PREFIX):
        return document.beginning(key.removesuffix(PREFIX))
    return document.places.get(key, [])


@dataclass(frozen=True, slots=True)
class _Not:
    test: Test

    def holds(self, document: Document) -> bool:
        return not self.test.holds(document)

    def spots(self, _document: Document) -> Iterator[Sequence[Spot]]:
        return iter(())


@dataclass(frozen=True, slots=True)
class _And:
    tests: tuple[Test, ...]

    def holds(self, document: Document) -> bool:
        return all(test.holds(document) for test in self.tests)

    def spots(self, document: Document) -> Iterator[Sequence[Spot]]:
        for test in self.tests:
            yield from test.spots(document)


@dataclass(frozen=True, slots=True)
class _Or:
    tests: tuple[Test, ...]

    def holds(self, document: Document) -> bool:
        return any(test.holds(document) for test in self.tests)

    def spots(self, document: Document) -> Iterator[Sequence[Spot]]:
        for test in self.tests:
            if test.holds(document):
                yield from test.spots(document)


@dataclass(frozen=True, slots=True)
class _Near:
    operands: tuple[tuple[_Term, ...], ...]
    distances: tuple[int, ...]

    def holds(self, document: Document) -> bool:
        return bool(self._chain(document))

    def spots(self, document: Document) -> Iterator[Sequence[Spot]]:
        return iter(self._chain(document))

    def _chain(self, document: Document) -> list[list[Spot]]:
        """Return the hits of each operand that have one of each neighbour close by; empty if one has none."""
        chain = [_spots_of(terms, document) for terms in self.operands]
        if not all(chain):
            return []
        for index, distance in enumerate(self.distances, 1):
            chain[index] = _close(chain[index], chain[index - 1], distance)
        for index, distance in reversed(list(enumerate(self.distances))):
            chain[index] = _close(chain[index], chain[index + 1], distance)
        return chain if all(chain) else []


def _spots_of(terms: Sequence[_Term], document: Document) -> list[Spot]:
    return sorted({spot for term in terms for spot in term.all_spots(document)})


def _close(these: Sequence[Spot], those: Sequence[Spot], distance: int) -> list[Spot]:
    """Return those of the first hits that have one of the others within `distance` words."""
    longest = max((last - first for first, last in those), default=0)
    kept = []
    for first, last in these:
        at = bisect_left(those, (first - distance - 1 - longest, 0))
        while at < len(those) and those[at][0] - last - 1 <= distance:
            other_first, other_last = those[at]
            if other_first > last or (other_last < first and first - other_last - 1 <= distance):
                kept.append((first, last))
                break
            at += 1
    return kept
