"""Keys by which a database finds possible copies: similar texts share some of them.

Two kinds. Bands of a MinHash (Broder 1997) are shared by texts whose shingles are mostly the same, however they were
edited. But of a short text within a much longer one a MinHash sees little: for that, long sentences are keys as well,
word by word. Of those the ones with the lowest hashes are kept, the same in every text that has them.

The hashes of a MinHash are those of the package datasketch from 2.0 on, since stored keys are compared with new ones.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.text import caseless, words
from newsextract.storage.copies.likeness import said_words, sentences, shingles, weight, words_a_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

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


def fingerprint(text: str | None) -> tuple[int, ...]:
    """Return the keys of a text, 63-bit numbers, the same on every machine; an empty tuple if it is too short."""
    folded = caseless(text or "")
    said = said_words(folded)
    return keys_of(folded, said, shingles(said))


def keys_of(folded: str, said: list[str], found: Collection[int]) -> tuple[int, ...]:
    """Return the fingerprint of a text of which the caseless form, the words and the shingles are known."""
    if weight(said) < LEAST_WORDS:
        return ()
    least = _SENTENCE_WORDS * words_a_word(said)
    return tuple(sorted({*_bands(found), *_long_sentences(folded, least)}))


def band_keys(said: list[str], found: Collection[int]) -> tuple[int, ...]:
    """Return the keys of a text without those of its sentences, which take as long as all else.

    A text is found by them unless it is a small part of the other.
    """
    return () if weight(said) < LEAST_WORDS else tuple(_bands(found))


def _bands(found: Iterable[int]) -> Iterable[int]:
    for number, values in enumerate(_minhash(found).astype("<u4").reshape(_BANDS, _ROWS)):
        yield _key(bytes([number]) + values.tobytes())


def _minhash(found: Iterable[int]) -> NDArray[np.uint32]:
    """Return the lowest value of each hash function over some 32-bit numbers.

    Each function multiplies by an odd number and adds another, modulo 2^32: no two numbers get the same value.
    """
    factors, summands = _hash_functions()
    mixed = _mixed(np.fromiter(found, np.uint32))
    lowest = np.full(len(factors), 2**32 - 1, np.uint32)
    for start in range(0, len(mixed), _AT_ONCE):
        values = mixed[start : start + _AT_ONCE, np.newaxis] * factors + summands
        np.minimum(lowest, values.min(axis=0), out=lowest)
    return lowest


def _mixed(numbers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Spread numbers over all 32 bits, by the finalizer of MurmurHash3 (Appleby 2011)."""
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        numbers = (numbers ^ (numbers >> np.uint32(shift))) * np.uint32(factor)
    return numbers ^ (numbers >> np.uint32(16))


@cache
def _hash_functions() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return the factor and the summand of each hash function; numpy promises that this generator never changes."""
    generator = np.random.RandomState(1)
    count = _BANDS * _ROWS
    factors = generator.randint(0, 2**31, count, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, generator.randint(0, 2**32, count, dtype=np.uint32)


def _long_sentences(folded: str, least: int) -> list[int]:
    found = [words(sentence) for sentence in sentences(folded)]
    return sorted({_key(" ".join(said).encode()) for said in found if len(said) >= least})[:_SENTENCES]


def _key(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest()) >> 1
