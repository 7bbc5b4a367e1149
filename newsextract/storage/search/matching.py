"""Matches queries against articles: whether one matches, where, and the text around it."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.page.text import UNSEGMENTED
from newsextract.page.word_folding import spans, words
from newsextract.storage.search.queries import PREFIX, And, Near, Not, Query, Term, key_in, terms
from newsextract.storage.word_index import DEFAULT_FIELDS, VALUE_FIELDS, texts_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


# An article as queries see it: its folded words with their positions.
#
# Positions are numbers that grow through the fields, with a gap after each field and each of several values, which no
# phrase and no NEAR reaches across. Keys for lookup: `pont` is a word of headline, description or body,
# `:headline:pont` a word of that field, `pont*` a prefix, `:site:lemonde.fr` and `:language:fr` are values.

GAP = 1000
"""Positions between two fields: more than a NEAR may span, and more than a phrase has words."""

_SEPARATOR = "; "
"""Separates several values of a field in its text."""


Stems: TypeAlias = "Mapping[int, frozenset[str]]"
"""Prefixes by their length."""


def stems_of(keys: Iterable[str]) -> Stems:
    """Return the prefixes among some keys.

    >>> stems_of(["pont", "brid*", "gouv*"]) == {4: {"brid", "gouv"}}
    True
    """
    lengths: dict[int, set[str]] = {}
    for key in keys:
        if key.endswith(PREFIX):
            lengths.setdefault(len(key) - 1, set()).add(key.removesuffix(PREFIX))
    return {length: frozenset(found) for length, found in lengths.items()}


@dataclass(frozen=True, slots=True)
class _Piece:
    """A value of a field: the positions of its words, and where its characters begin in the field's text."""

    field: str
    text: str
    first: int
    offset: int


class Document:
    """An article's words; built once, used by every query."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.texts: dict[str, str] = {}
        """The text of each field that has one, several values joined."""
        self.places: dict[str, list[int]] = {}
        """The positions of each word key, in order."""
        self.body_start = 0
        self.found: dict[Term, list[int]] = {}
        """Cached positions where terms start."""
        self.excerpts: dict[tuple[Any, ...], Any] = {}
        """Cached passages, by what they show; see `newsextract.newsroom.watch`."""
        self._located: dict[tuple[int, int], tuple[str, int, int]] = {}
        self._pieces: list[_Piece] = []
        self._spans: dict[int, list[tuple[int, int]]] = {}
        self._sorted: list[str] | None = None
        self._end = 0
        for field, texts in texts_of(row).items():
            self._read(field, texts)
        self.keys = {*self.places, *(key_in(*value) for value in values_of(row))}
        """All keys of the article, but of prefixes those that were added."""

    def _read(self, field: str, values: Iterable[str]) -> None:
        offset = 0
        if field == "body":  # also where it is empty: no word before it is in it
            self.body_start = self._end
        for value in values:
            piece = _Piece(field, value, self._end, offset)
            self._pieces.append(piece)
            self._place(field, words(value))
            offset += len(value) + len(_SEPARATOR)
        if offset:
            self.texts[field] = _SEPARATOR.join(piece.text for piece in self._pieces if piece.field == field)

    def _place(self, field: str, found: Sequence[str]) -> None:
        places, first = self.places, self._end
        if field in DEFAULT_FIELDS:
            for place, word in enumerate(found, first):
                if word in places:
                    places[word].append(place)
                else:
                    places[word] = [place]
        if field != "body":  # its words are found by the plain keys
            for place, word in enumerate(found, first):
                places.setdefault(key_in(field, word), []).append(place)
        self._end += len(found) + GAP

    def beginning(self, stem: str) -> list[int]:
        """Return the positions of the words whose key has this prefix."""
        if self._sorted is None:
            self._sorted = sorted(self.places)
        at = bisect_left(self._sorted, stem)
        merged: list[int] = []
        while at < len(self._sorted) and self._sorted[at].startswith(stem):
            merged += self.places[self._sorted[at]]
            at += 1
        return sorted(merged)

    def located(self, spot: tuple[int, int]) -> tuple[str, int, int]:
        """Return the field that the words are in, and where in its text the first starts and the last ends."""
        known = self._located.get(spot)
        if known is None:
            known = self._located[spot] = self._locate(*spot)
        return known

    def field_at(self, place: int) -> str:
        """Return the field that a position is in."""
        return self._pieces[self._piece_at(place)].field

    def _piece_at(self, place: int) -> int:
        return bisect_right(self._pieces, place, key=lambda piece: piece.first) - 1

    def _locate(self, first: int, last: int) -> tuple[str, int, int]:
        index = self._piece_at(first)
        piece = self._pieces[index]
        if index not in self._spans:
            self._spans[index] = list(spans(piece.text))
        known = self._spans[index]
        return piece.field, piece.offset + known[first - piece.first][0], piece.offset + known[last - piece.first][1]

    def add_prefixes(self, stems: Stems) -> None:
        """Add the keys of the prefixes that occur; `stems` are those to look for."""
        for length, wanted in stems.items():
            self.keys.update(stem + PREFIX for stem in wanted & {key[:length] for key in self.places})


# Whether a query matches an article, and where.

Spot: TypeAlias = tuple[int, int]
"""The positions of the first and the last word of a hit."""


class Matcher:
    """A query and the prefixes in it, to be compared with one article after the other."""

    def __init__(self, query: Query) -> None:
        self.query = query
        self._stems = stems_of(key for term in terms(query) for key in term.keys)

    def read(self, row: Mapping[str, Any]) -> Document:
        """Return an article, given as a row of the table, as the query sees it."""
        document = Document(row)
        document.add_prefixes(self._stems)
        return document

    def holds(self, document: Document) -> bool:
        """Return whether the query matches what `read` returned."""
        return holds(self.query, document)


def holds(query: Query, document: Document) -> bool:
    """Return whether a query matches a document."""
    if isinstance(query, Term):
        if len(query.keys) == 1 and query.field != "body":
            return query.keys[0] in document.keys
        return document.keys.issuperset(query.keys) and bool(_starts(query, document))
    if isinstance(query, Near):
        return bool(_chain(query, document))
    if isinstance(query, Not):
        return not holds(query.operand, document)
    found = (holds(operand, document) for operand in query.operands)
    return all(found) if isinstance(query, And) else any(found)


def spots(query: Query, document: Document) -> Iterator[Sequence[Spot]]:
    """Yield the hits of each part that matches, if the query does; negated parts have none."""
    if isinstance(query, Term):
        if query.field not in VALUE_FIELDS:
            yield _spots(query, document)
    elif isinstance(query, Near):
        yield from _chain(query, document)
    elif not isinstance(query, Not):
        for operand in query.operands:
            if isinstance(query, And) or holds(operand, document):
                yield from spots(operand, document)


def _spots(term: Term, document: Document) -> list[Spot]:
    more = len(term.keys) - 1
    return [(start, start + more) for start in _starts(term, document)]


def _starts(term: Term, document: Document) -> list[int]:
    """Return the positions where a term starts, in order."""
    if term not in document.found:
        starts = _places(document, term.keys[0])
        for number, key in enumerate(term.keys[1:], 1):
            if not starts:
                break
            following = {place - number for place in _places(document, key)}
            starts = [start for start in starts if start in following]
        is_body = term.field == "body"
        document.found[term] = starts[bisect_left(starts, document.body_start) :] if is_body else starts
    return document.found[term]


def _places(document: Document, key: str) -> list[int]:
    if key.endswith(PREFIX):
        return document.beginning(key.removesuffix(PREFIX))
    return document.places.get(key, [])


def _chain(near: Near, document: Document) -> list[list[Spot]]:
    """Return the hits of each operand that have one of each neighbour close by; empty if one has none."""
    chain = [sorted({spot for term in terms(each) for spot in _spots(term, document)}) for each in near.operands]
    if not all(chain):
        return []
    for index, distance in enumerate(near.distances, 1):
        chain[index] = _close(chain[index], chain[index - 1], distance)
    for index, distance in reversed(list(enumerate(near.distances))):
        chain[index] = _close(chain[index], chain[index + 1], distance)
    return chain if all(chain) else []


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


# What stands about the first place of an article that a query speaks of, in one line of whole words.

_BEFORE_CHARS, _SNIPPET_CHARS = 60, 180
_FIELDS = ("body", "description")
_BREAK = re.compile(rf"\s|(?<=[{UNSEGMENTED}])|(?=[{UNSEGMENTED}])")
"""Where a text may be cut: at spaces, and in scripts without them at every character."""
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a snippet; all of them make up its text."""

    text: str
    is_found: bool = False
    """Whether the query speaks of it."""


def snippet(document: Document, matcher: Matcher) -> list[Part]:
    """Return what stands about the first place that the query speaks of; else the beginning.

    >>> from newsextract.storage.search.queries import parse_query
    >>> matcher = Matcher(parse_query("THREE"))
    >>> [part.text for part in snippet(matcher.read({"article_body": "One two three."}), matcher)]
    ['One two ', 'three', '.']
    """
    found: dict[str, list[Spot]] = {}
    for spot in sorted({spot for part in spots(matcher.query, document) for spot in part}):
        found.setdefault(document.field_at(spot[0]), []).append(spot)
    field = next((field for places in (found, document.texts) for field in _FIELDS if field in places), None)
    return _about(document, field, found.get(field, [])) if field else []


def _about(document: Document, field: str, found: Sequence[Spot]) -> list[Part]:
    whole = document.texts[field]
    start, end = _bounds(whole, document.located(found[0])[1] if found else 0)
    parts = [Part("… ")] if start else []
    at = start
    for _, first, stop in map(document.located, found):
        if at <= first < end:  # else it is in the one before, or behind the snippet
            parts += [Part(whole[at:first]), Part(whole[first : min(stop, end)], is_found=True)]
            at = min(stop, end)
    parts += [Part(whole[at:end].rstrip()), Part(" …" if end < len(whole) else "")]
    return [Part(_SPACE.sub(" ", part.text), part.is_found) for part in parts if part.text]


def _bounds(whole: str, at: int) -> tuple[int, int]:
    """Return start and end of some words about a place, none of them cut."""
    start = 0
    if at > _BEFORE_CHARS:
        found = _BREAK.search(whole, at - _BEFORE_CHARS - 1, at)
        start = _before_marks(whole, found.end()) if found else at
    most = start + _SNIPPET_CHARS
    if most >= len(whole.rstrip()):
        return start, len(whole)
    ends = [found.start() for found in _BREAK.finditer(whole, at + 1, most + 1)]
    return start, _before_marks(whole, ends[-1] if ends else most)


def _before_marks(whole: str, at: int) -> int:
    """Return where the letter begins whose accents and vowel signs are at a place."""
    while 0 < at < len(whole) and unicodedata.category(whole[at])[0] == "M":
        at -= 1
    return at
