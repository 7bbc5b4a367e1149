"""The words removed from a text and added to it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from newsextract.page.words import UNSEGMENTED, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_PIECE = re.compile(rf"[{UNSEGMENTED}]|[^\W{UNSEGMENTED}]+|\s+|[^\w\s]")

MOST_PIECES = 3000
"""Words of either text; longer ones are shown whole, one after the other, as comparing takes quadratic time."""

_GRAM_WORDS = 3
_KNOWN_SHARE = 0.6
"""A sentence counts as contained in another text if this share of its three-word sequences is."""


@dataclass(frozen=True)
class Piece:
    """A piece of text that stayed (`same`), was added (`ins`) or removed (`del`), or is a hit (`mark`)."""

    kind: str
    text: str


def difference(before: str, after: str) -> list[Piece]:
    """Return the pieces that lead from one text to the other.

    >>> [(piece.kind, piece.text) for piece in difference("Two dead in fire", "Three dead in fire")]
    [('del', 'Two'), ('ins', 'Three'), ('same', ' dead in fire')]
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    if max(len(old), len(new)) > MOST_PIECES:
        return [piece for piece in (Piece("del", before), Piece("ins", after)) if piece.text]
    return list(_compared(old, new))


def _compared(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Piece("same", "".join(new[new_from:new_to]))
            continue
        if old_from < old_to:
            yield Piece("del", "".join(old[old_from:old_to]))
        if new_from < new_to:
            yield Piece("ins", "".join(new[new_from:new_to]))


class Known:
    """A text's three-word sequences, to find which sentences of another text are new."""

    def __init__(self, text: str) -> None:
        self._grams = {gram for line in text.splitlines() for gram in _grams(line)}

    def says(self, sentence: str) -> bool:
        """Return whether the text contains this sentence, up to a few words.

        >>> known = Known("The mayor opened the bridge on Monday.")
        >>> known.says("The mayor opened the bridge on Monday!"), known.says("It cost two million euros.")
        (True, False)
        """
        grams = _grams(sentence)
        return sum(gram in self._grams for gram in grams) >= _KNOWN_SHARE * len(grams)


def _grams(text: str) -> list[tuple[str, ...]]:
    found = [word.casefold() for word in words(text)]
    if len(found) <= _GRAM_WORDS:
        return [tuple(found)] if found else []
    return [tuple(found[at : at + _GRAM_WORDS]) for at in range(len(found) - _GRAM_WORDS + 1)]
