"""Fingerprint a page's blocks: 64 bits for the text, 64 bits for the place, the same in every process and run.

Texts are compared without digits, so that counters and dates do not make a standing line a new one; those that are
mostly digits, the cells of a table, are compared with them. A place is the tags
and classes from the root to the element around the block; ids are left out, and digits too, as they number items.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from newsextract.reading.metadata.site_places import place_name

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline
    from newsextract.page.nesting import Integers

Keys: TypeAlias = NDArray[np.uint64]

_BITS = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_MIXERS = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31))
"""Numbers of the finaliser of SplitMix64 (Steele, Lea & Flood 2014): every bit of the input reaches every bit."""

_PERIOD = 1 << 15
"""Characters after which the weights of positions repeat; few blocks are that long."""
_WIDE_ZERO = 0xFF10


@dataclass(frozen=True)
class Fingerprints:
    """The blocks of a page, as keys of their texts and places; `lengths` are in characters."""

    texts: Keys
    places: Keys
    lengths: Integers

    @cached_property
    def keys(self) -> Keys:
        """Text and place as one key for each block."""
        return mixed(self.texts + self.places * np.uint64(_STEP))

    @cached_property
    def distinct(self) -> tuple[Keys, Integers]:
        """The distinct places in order, and for each block the index of its place among them."""
        keys, numbers = np.unique(self.places, return_inverse=True)
        return keys, numbers

    @property
    def content(self) -> int:
        """A key of the page's whole content, whatever its URL."""
        return int(np.bitwise_xor.reduce(mixed(self.keys + np.arange(len(self.texts)).astype(np.uint64))))


def fingerprint(outline: Outline) -> Fingerprints:
    """Return the fingerprints of a page's blocks."""
    texts = outline.table.texts
    lengths = np.fromiter(map(len, texts), np.intp, len(texts))
    return Fingerprints(text_keys(texts, lengths), place_keys(outline), lengths)


def text_keys(texts: list[str], lengths: Integers) -> Keys:
    """Return a key for each text; empty texts are not allowed.

    >>> one, other, third = text_keys(["12 comments", "7 comments", "comments"], np.array([11, 10, 8])).tolist()
    >>> one == other, one == third
    (True, False)
    """
    if not texts:
        return np.zeros(0, np.uint64)
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    # Below zero wraps around, so one comparison is enough.
    is_digit = (codes - np.uint32(ord("0")) < 10) | (codes - np.uint32(_WIDE_ZERO) < 10)
    starts = np.append(0, lengths.cumsum()[:-1])
    is_number = np.add.reduceat(is_digit, starts, dtype=np.intp) * 2 > lengths
    is_digit &= ~np.repeat(is_number, lengths)
    passed = (~is_digit).cumsum()
    offsets = np.repeat(np.append(0, passed)[starts], lengths)
    weights = _weights()[(passed - offsets) % _PERIOD]
    terms = np.where(is_digit, np.uint64(0), codes * weights)
    return mixed(np.add.reduceat(terms, starts))


def place_keys(outline: Outline) -> Keys:
    """Return a key for the place of each block."""
    owners, parents = outline.table.owners.tolist(), outline.parents
    keys = {-1: 0}
    elements, tags = outline.elements, outline.tags
    for owner in owners:
        pending = []
        element = owner
        while element not in keys:
            pending.append(element)
            element = parents[element]
        key = keys[element]
        for inner in reversed(pending):
            named = _name_key(tags[inner], elements[inner].get("class"))
            key = keys[inner] = (key * _STEP + named) & _BITS
    return np.array([keys[owner] for owner in owners], np.uint64)


def mixed(keys: Keys) -> Keys:
    """Return the keys with every bit of the input spread over all bits."""
    keys = (keys ^ (keys >> _SHIFTS[0])) * _MIXERS[0]
    keys = (keys ^ (keys >> _SHIFTS[1])) * _MIXERS[1]
    spread: Keys = keys ^ (keys >> _SHIFTS[2])
    return spread


def key_of(text: str) -> int:
    """Return a key of one text, digits included."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


@lru_cache(maxsize=1 << 14)
def _name_key(tag: str, classes: str | None) -> int:
    return key_of(place_name(tag, classes))


@lru_cache(maxsize=1)
def _weights() -> Keys:
    return mixed(np.arange(1, _PERIOD + 1, dtype=np.uint64) * np.uint64(_STEP)) | np.uint64(1)
