"""How alike two texts are: shingles, MinHash, and the prints of a text that a database can look for."""

from __future__ import annotations

import re
from array import array
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import accumulate
from threading import Lock
from typing import TYPE_CHECKING, Self
from zlib import crc32

from newsextract.page.text import UNSEGMENTED, caseless, split_sentences, words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import numpy as np
    from numpy.typing import NDArray


# Measures how alike two texts are, and finds the sentences that only one of them has.
#
# A text is compared by its shingles: all sequences of a few words, each as a number. Punctuation, quotes, dashes and
# case do not count. In scripts without spaces every character is a word, so a shingle has more of them.

_SHINGLE_WORDS = 4
_CHARS_A_WORD = 2
"""Characters of a script without spaces that count as much as a word elsewhere."""
_MOST_WORDS = 20_000
"""Words compared; longer texts, such as a live blog of a whole day, are cut."""

_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")

_COPY_SIMILARITY = 0.33
"""The least similarity of copies: that of two equally long texts that share half."""
_COPY_CONTAINMENT = 0.65
"""The least containment of a short copy in a longer text: an excerpt is almost whole in it, while a lower value may be
only the same phrases and background."""
_KNOWN = 0.5
"""The share of a sentence's shingles that the other text has too, from which on the sentence adds nothing."""


def sentences(text: str) -> list[str]:
    r"""Return the sentences of a text, each line on its own.

    >>> sentences("One. Two!\nThree")
    ['One.', 'Two!', 'Three']
    """
    return [said for line in text.splitlines() for piece in split_sentences(line) if (said := piece.strip())]


def words_a_word(said: list[str]) -> int:
    """Return how many of these words count as one: two if most are characters of scripts without spaces."""
    characters = sum(len(word) == 1 and bool(_UNSEGMENTED.match(word)) for word in said[:200])
    return _CHARS_A_WORD if characters * 2 > len(said[:200]) else 1


def said_words(folded: str) -> list[str]:
    """Return the words that count, of a text in its caseless form."""
    return words(folded)[:_MOST_WORDS]


def shingles(said: list[str]) -> frozenset[int]:
    """Return the shingles of some words, as numbers of 32 bits that are the same on every machine."""
    size = _SHINGLE_WORDS * words_a_word(said)
    encoded = [word.encode() for word in said]
    text = b" ".join(encoded)
    # Where each word ends: slices of the whole cost a third of joining the words of every shingle.
    ends = list(accumulate((len(word) + 1 for word in encoded), initial=0))
    return frozenset([crc32(text[start : end - 1]) for start, end in zip(ends, ends[size:], strict=False)])


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much two texts have in common, from 0 to 1."""

    similarity: float
    """The share of all shingles that both have: 1 for the same text."""
    containment: float
    """The share of the shorter text's shingles that the longer one has: 1 if it has all."""

    @property
    def is_copy(self) -> bool:
        """Whether one is a copy of the other, whole or in part."""
        return self.similarity >= _COPY_SIMILARITY or self.containment >= _COPY_CONTAINMENT


def likeness(one: frozenset[int], other: frozenset[int]) -> Likeness:
    """Return how alike two texts are, by their shingles.

    >>> likeness(frozenset({1, 2, 3, 4}), frozenset({3, 4, 5}))
    Likeness(similarity=0.4, containment=0.667)
    """
    common = len(one & other)
    if not common:
        return Likeness(0.0, 0.0)
    return Likeness(round(common / len(one | other), 3), round(common / min(len(one), len(other)), 3))


def text_likeness(one: str | None, other: str | None) -> Likeness:
    """Return how alike two texts are."""
    return likeness(*(shingles(said_words(caseless(text or ""))) for text in (one, other)))


def additions(first: str | None, other: str | None) -> list[str]:
    """Return the sentences of the other text that the first one does not have, in order; none of less than four words.

    >>> additions("The mayor opened the bridge.", "“The mayor opened the bridge!” Nobody came to see it.")
    ['Nobody came to see it.']
    """
    known = shingles(said_words(caseless(first or "")))
    own = {sentence: shingles(words(caseless(sentence))) for sentence in sentences(other or "")}
    return [sentence for sentence, said in own.items() if len(said & known) < _KNOWN * len(said)]


# Keys by which a database finds possible copies: similar texts share some of them.
#
# Two kinds. Bands of a MinHash (Broder 1997) are shared by texts whose shingles are mostly the same, however they were
# edited. But of a short text within a much longer one a MinHash sees little: for that, long sentences are keys as well,
# word by word. Of those the ones with the lowest hashes are kept, the same in every text that has them.
#
# The hashes of a MinHash are those of the package datasketch from 2.0 on, since stored keys are compared with new ones.

LEAST_WORDS = 40
"""A shorter text gets no keys: a caption or a teaser resembles too many others."""

_BANDS = 24
_ROWS = 3
"""So texts that share half of their shingles meet with probability 0.96, 0.3: 0.48, 0.02: 0.0002."""
_SENTENCES = 24
_SENTENCE_WORDS = 8
"""A shorter sentence may occur in unrelated texts."""
_AT_ONCE = 4_096
"""Numbers hashed at once: a megabyte of values."""


def _keys_of(folded: str, said: list[str], found: Collection[int]) -> tuple[int, ...]:
    """Return the keys of a text of which the caseless form, the words and the shingles are known."""
    if len(said) // words_a_word(said) < LEAST_WORDS:
        return ()
    least = _SENTENCE_WORDS * words_a_word(said)
    return tuple(sorted({*_bands(found), *_long_sentences(folded, least)}))


def _bands(found: Iterable[int]) -> Iterable[int]:
    for number, values in enumerate(_minhash(found).astype("<u4").reshape(_BANDS, _ROWS)):
        yield _key(bytes([number]) + values.tobytes())


def _minhash(found: Iterable[int]) -> NDArray[np.uint32]:
    """Return the lowest value of each hash function over some 32-bit numbers.

    Each function multiplies by an odd number and adds another, modulo 2^32: no two numbers get the same value. Before,
    the numbers are spread over all 32 bits by the finalizer of MurmurHash3 (Appleby 2011).
    """
    import numpy as np  # noqa: PLC0415 - a crawl's own process does without

    mixed = np.fromiter(found, np.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ (mixed >> np.uint32(shift))) * np.uint32(factor)
    mixed ^= mixed >> np.uint32(16)
    factors, summands = _hash_functions()
    lowest = np.full(len(factors), 2**32 - 1, np.uint32)
    for start in range(0, len(mixed), _AT_ONCE):
        values = mixed[start : start + _AT_ONCE, np.newaxis] * factors + summands
        np.minimum(lowest, values.min(axis=0), out=lowest)
    return lowest


@cache
def _hash_functions() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the factor and the summand of each hash function; numpy promises that this generator never changes."""
    import numpy as np  # noqa: PLC0415 - likewise

    generator = np.random.RandomState(1)
    count = _BANDS * _ROWS
    factors = generator.randint(0, 2**31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, generator.randint(0, 2**32, count, dtype=np.uint32)


def _long_sentences(folded: str, least: int) -> list[int]:
    found = [words(sentence) for sentence in sentences(folded)]
    return sorted({_key(" ".join(said).encode()) for said in found if len(said) >= least})[:_SENTENCES]


def _key(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest()) >> 1


# What copies of a text are found and judged by: made once, where the page is read, and kept for the recent texts.

_MOST_BYTES = 8 * 1024 * 1024
"""Bytes of the shingles kept, those of some three thousand articles."""


@dataclass(frozen=True, slots=True)
class TextPrint:
    """The keys and the shingles of a text."""

    keys: tuple[int, ...]
    """63-bit numbers, the same on every machine; empty if the text is too short."""
    packed: bytes
    """The shingles, four bytes each: a frozenset of them takes thirty times as much."""

    @classmethod
    def of(cls, text: str | None) -> Self:
        """Make the print of a text."""
        folded = caseless(text or "")
        said = said_words(folded)
        found = shingles(said)
        return cls(_keys_of(folded, said, found), array("I", found).tobytes())

    @property
    def shingles(self) -> frozenset[int]:
        """The shingles of the text, see `likeness.shingles`."""
        return frozenset(memoryview(self.packed).cast("I"))


class TextPrints:
    """Keeps the prints of recent texts by their hashes, see `text_key`; threads may share it."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, TextPrint] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def put(self, text_hash: str, made: TextPrint) -> None:
        """Keep the print of a text, in place of those that were not used for longest."""
        with self._lock:
            self._size += len(made.packed) - len(self._kept.pop(text_hash, _NONE).packed)
            self._kept[text_hash] = made
            while self._size > _MOST_BYTES:
                self._size -= len(self._kept.popitem(last=False)[1].packed)

    def get(self, text_hash: str | None) -> TextPrint | None:
        """Return the print of the text with this hash, or `None`."""
        with self._lock:
            found = self._kept.get(text_hash or "")
            if found is not None:
                self._kept.move_to_end(text_hash or "")
            return found

    def made_for(self, text_hash: str | None, text: str | None) -> TextPrint:
        """Return the print of a text, made now if it is not kept; without a hash there is no text."""
        found = self.get(text_hash)
        if found is None:
            found = TextPrint.of(text)
            self.put(text_hash or "", found)
        return found


_NONE = TextPrint((), b"")
