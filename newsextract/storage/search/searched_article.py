"""An article as queries see it: its folded words with their positions.

Positions are numbers that grow through the fields, with a gap after each field and each of several values, which no
phrase and no NEAR reaches across. Keys for lookup: `pont` is a word of headline, description or body,
`:headline:pont` a word of that field, `pont*` a prefix, `:site:lemonde.fr` and `:language:fr` are values.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from newsextract.page.word_folding import spans, words
from newsextract.storage.schema.searched_fields import DEFAULT_FIELDS, texts_of, values_of
from newsextract.storage.search.query_tree import PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def key_in(field: str, word: str) -> str:
    """Return the key of a word in one field; the leading colon distinguishes it from plain words."""
    return f":{field}:{word}"


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
        self.found: dict[str, list[int]] = {}
        """Cached positions of phrases and prefixes; see `query_matching`."""
        self.excerpts: dict[tuple[Any, ...], Any] = {}
        """Cached passages, by what they show; see `passages`."""
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
