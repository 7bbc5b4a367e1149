"""An article as rules see it: its folded words with their positions.

Positions are numbers that grow through the fields, with a gap after each field and each of several values, which no
phrase and no NEAR reaches across. Keys for lookup: `pont` is a word of headline, description or body,
`:headline:pont` a word of that field, `pont*` a prefix, `:site:lemonde.fr` and `:language:fr` are values.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newsextract.newsroom.watch.query_tree import DEFAULT_FIELDS, PREFIX
from newsextract.newsroom.watch.word_folding import spans, words
from newsextract.sites.site_list.language_names import primary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

GAP = 1000
"""Positions between two fields: more than a NEAR may span, and more than a phrase has words."""

_SEPARATOR = "; "
"""Separates several values of a field in its text."""


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
    """An article's words; built once, used by every rule."""

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
        for field in DEFAULT_FIELDS:
            self._read(field, [row.get("article_body" if field == "body" else field)])
        self._read("author", [author.get("name") for author in row.get("authors") or ()])
        self._read("section", [row.get("section")])
        self._read("keyword", row.get("keywords") or ())
        self._read("publisher", [row.get("publisher")])
        self.keys = {*self.places, *_values(row)}
        """All keys of the article, except prefixes."""

    def _read(self, field: str, values: Iterable[str | None]) -> None:
        offset = 0
        if field == "body":  # also where it is empty: no word before it is in it
            self.body_start = self._end
        for value in filter(None, values):
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

    def _locate(self, first: int, last: int) -> tuple[str, int, int]:
        index = bisect_right(self._pieces, first, key=lambda piece: piece.first) - 1
        piece = self._pieces[index]
        if index not in self._spans:
            self._spans[index] = list(spans(piece.text))
        known = self._spans[index]
        return piece.field, piece.offset + known[first - piece.first][0], piece.offset + known[last - piece.first][1]

    def beginnings(self, stems: Mapping[int, frozenset[str]]) -> Iterator[str]:
        """Yield the keys of the prefixes that occur; `stems` are the prefixes to look for, by length."""
        for length, wanted in stems.items():
            for stem in wanted & {key[:length] for key in self.places}:
                yield stem + PREFIX


def _values(row: Mapping[str, Any]) -> Iterator[str]:
    language = primary(row.get("in_language"))
    if language:
        yield key_in("language", language)
    site = str(row.get("site") or "")
    while site:
        yield key_in("site", site)
        site = site.partition(".")[2]
