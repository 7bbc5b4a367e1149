"""Count the characters of blocks by class, for all blocks at once and for all scripts alike."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.text import UNSEGMENTED

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.outline import Integers

SPACE, UPPER, LOWER, LETTER, DENSE, DIGIT, STOP, ELLIPSIS, COMMA, COLON, CLOSER, SYMBOL, OTHER = range(13)
"""The classes: letters with case, without case, and of scripts without spaces; ends of sentences, pauses, characters
that may follow the end of a sentence, signs of navigation and of notices, and the rest."""
_CLASSES = 13

DENSE_WEIGHT = 2.5
"""Latin letters worth one character of a script without spaces, by the lengths of articles in the corpora."""

_SIGNS = {
    STOP: ".!?。！？｡．؟।։።",
    ELLIPSIS: "…",
    COMMA: ",;，；、،؛",
    COLON: ":：",
    CLOSER: "\"'”’»)]）」』】›“",
    SYMBOL: "|©®™•·→←>/@#▶►",
}
_BMP = 0x10000
_HAN_PLANES = 0x20000


@dataclass(frozen=True, slots=True)
class Characters:
    """The characters of N texts that are not empty."""

    counts: NDArray[np.float64]
    """N x classes."""
    lengths: NDArray[np.float64]
    first: NDArray[np.uint8]
    """The class of the first character of each text."""
    last: NDArray[np.uint8]
    """The class of the last character, or of the one before if the last closes a quotation or bracket; three full
    stops are an ellipsis."""

    def share(self, kind: int) -> NDArray[np.float64]:
        """Return the share of a class in each text, from 0 to 1."""
        share: NDArray[np.float64] = self.counts[:, kind] / self.lengths
        return share

    def some(self, numbers: Integers) -> Characters:
        """Return the same for these texts only."""
        return Characters(self.counts[numbers], self.lengths[numbers], self.first[numbers], self.last[numbers])

    @property
    def sizes(self) -> NDArray[np.float64]:
        """The lengths in letters; a character of a script without spaces counts as `DENSE_WEIGHT` letters."""
        sizes: NDArray[np.float64] = self.lengths + (DENSE_WEIGHT - 1) * self.counts[:, DENSE]
        return sizes


def read_characters(texts: list[str]) -> Characters:
    """Return the characters of these texts, by class.

    >>> found = read_characters(["He said “no.”", "新聞"])
    >>> found.counts[:, [UPPER, LOWER, DENSE]].tolist(), found.last.tolist() == [STOP, DENSE]
    ([[1.0, 7.0, 0.0], [0.0, 0.0, 2.0]], True)
    """
    count = len(texts)
    lengths = np.fromiter(map(len, texts), np.intp, count)
    kinds = _kinds("".join(texts))
    owners = np.arange(0, count * _CLASSES, _CLASSES).repeat(lengths)
    counts = np.bincount(owners + kinds, minlength=count * _CLASSES).reshape(count, _CLASSES)
    stops = lengths.cumsum()
    return Characters(
        counts.astype(np.float64), lengths.astype(np.float64), kinds[stops - lengths], _last(kinds, stops, lengths)
    )


def _kinds(text: str) -> NDArray[np.uint8]:
    """Return the class of each character."""
    units = text.encode("utf-16-le", "surrogatepass")
    if len(units) == 2 * len(text):  # no character beyond the basic plane
        return _table()[np.frombuffer(units, np.uint16)]
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _table()[np.minimum(points, _BMP)]
    return np.where(points >= _HAN_PLANES, np.uint8(DENSE), np.where(points >= _BMP, np.uint8(OTHER), kinds))


def _last(kinds: NDArray[np.uint8], stops: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.uint8]:
    starts = stops - lengths
    places = np.maximum(np.where(kinds[stops - 1] == CLOSER, stops - 2, stops - 1), starts)
    last, before = kinds[places], kinds[np.maximum(places - 1, starts)]
    is_dotted = (last == STOP) & (before == STOP) & (places > starts)
    return np.where(is_dotted, np.uint8(ELLIPSIS), last)


@cache
def _table() -> NDArray[np.uint8]:
    """Return the class of every character of Unicode's basic plane, and one more entry for all others."""
    table = np.full(_BMP + 1, OTHER, np.uint8)
    by_category = {"Lu": UPPER, "Lt": UPPER, "Ll": LOWER}
    by_group = {"L": LETTER, "M": LETTER, "N": DIGIT, "Z": SPACE}
    for point in range(_BMP):
        category = unicodedata.category(chr(point))
        table[point] = by_category.get(category, by_group.get(category[0], OTHER))
    dense = re.compile(rf"[{UNSEGMENTED}]")
    for start, stop in ((0x0E00, 0x1100), (0x1780, 0x1800), (0x3005, 0xA000), (0xF900, 0xFB00), (0xFF66, 0xFFA0)):
        for point in range(start, stop):
            if table[point] == LETTER and dense.match(chr(point)):
                table[point] = DENSE
    for kind, signs in _SIGNS.items():
        for sign in signs:
            table[ord(sign)] = kind
    return table
