"""The change of a text: word by word, or the old and the new version where it was rewritten."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from newsextract.page.words import UNSEGMENTED, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_PIECE = re.compile(rf"(?:[{UNSEGMENTED}]|[^\W{UNSEGMENTED}]+|[^\w\s])\s*|\s+")
"""A word or another sign, with the space behind it: spaces of their own would be most of what is compared."""

MOST_PIECES = 3000
"""Words of either text; longer ones are not compared word by word, as this takes quadratic time."""

_GRAM_WORDS = 3
_KNOWN_SHARE = 0.6
"""A sentence counts as contained in another text if this share of its three-word sequences is."""

_KEPT_SHARE = 0.4
"""A text counts as rewritten if less than this share of the shorter version is in the other one: what is left of it are
words that any two texts have in common, and marking all others would be confetti."""
_FEW_WORDS = 12
"""Shorter versions, such as headlines, are compared by single words instead of three-word sequences."""


@dataclass(frozen=True)
class Piece:
    """A piece of text that stayed (`same`), was added (`ins`) or removed (`del`), or is a hit (`mark`)."""

    kind: str
    text: str


@dataclass(frozen=True)
class TextChange:
    """How a passage changed."""

    label: str
    """The field, as the page calls it."""
    before: str
    after: str
    pieces: list[Piece]
    """The change word by word; empty if the versions have too little in common, or are too long."""
    context: str = ""
    """The words around a changed number."""

    @property
    def is_rewritten(self) -> bool:
        """Whether both versions are shown whole."""
        return not self.pieces


def change_of(label: str, before: str, after: str, context: str = "") -> TextChange:
    """Return the change of a passage, word by word unless that would be confetti."""
    is_whole = is_rewritten(before, after) or max(len(_PIECE.findall(text)) for text in (before, after)) > MOST_PIECES
    return TextChange(label, before, after, [] if is_whole else difference(before, after), context)


def is_rewritten(before: str, after: str) -> bool:
    """Return whether two versions have too little in common to be compared word by word; in linear time.

    >>> is_rewritten("Two dead in fire", "Three dead in fire"), is_rewritten("Two dead in fire", "Mayor resigns")
    (False, True)
    """
    old, new = _folded(before), _folded(after)
    if min(len(old), len(new)) > _FEW_WORDS:
        old, new = _sequences(old), _sequences(new)
    shorter = min(len(old), len(new))
    return bool(shorter) and (Counter(old) & Counter(new)).total() < _KEPT_SHARE * shorter


def difference(before: str, after: str) -> list[Piece]:
    """Return the pieces that lead from one text to the other.

    >>> [(piece.kind, piece.text) for piece in difference("Two dead in fire", "Three dead in fire")]
    [('del', 'Two'), ('ins', 'Three'), ('same', ' dead in fire')]
    """
    old, new = _PIECE.findall(before), _PIECE.findall(after)
    matcher = SequenceMatcher(None, [one.rstrip() for one in old], [one.rstrip() for one in new], autojunk=False)
    pieces: list[Piece] = []
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        added, removed = "".join(new[new_from:new_to]), "".join(old[old_from:old_to])
        if kind == "equal":
            pieces.append(Piece("same", added))
            continue
        # The space behind a change is not part of it.
        said = added.rstrip()
        pieces += [Piece("del", removed.rstrip()), Piece("ins", said)]
        pieces.append(Piece("same", added[len(said) :] if said else removed[len(removed.rstrip()) :]))
    return list(_joined(pieces))


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield the pieces that have a text, neighbours of the same kind as one."""
    for kind, group in groupby((piece for piece in pieces if piece.text), key=attrgetter("kind")):
        yield Piece(kind, "".join(piece.text for piece in group))


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
    found = _folded(text)
    if len(found) <= _GRAM_WORDS:
        return [tuple(found)] if found else []
    return _sequences(found)


def _folded(text: str) -> list[Any]:
    return [word.casefold() for word in words(text)]


def _sequences(found: Sequence[str]) -> list[Any]:
    """Return the three-word sequences of these words."""
    return [tuple(found[at : at + _GRAM_WORDS]) for at in range(len(found) - _GRAM_WORDS + 1)]
