"""Keys by which a database finds what may be a copy: two texts that are alike have some of them in common.

Two kinds. Bands of a MinHash (Broder 1997) are shared by texts whose shingles are mostly the same, however they were
edited. But of a short text within a much longer one a MinHash sees little: for that, long sentences are keys as well,
word by word. Of those the ones with the lowest hashes are kept, the same in every text that has them.

MinHash is datasketch's; it is imported when the first text comes, since that takes half a second and 50 MB, most of it
SciPy's, and only the process that writes needs it.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from newsextract.page.text_forms import caseless
from newsextract.page.words import words
from newsextract.storage.copies.likeness import said_words, sentences, shingles, weight, words_a_word

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_WORDS = 40
"""A shorter text takes no part: a caption or a teaser is like many."""

_BANDS = 24
_ROWS = 3
"""So texts that share half of their shingles meet with probability 0.96, 0.3: 0.48, 0.02: 0.0002."""
_SENTENCES = 24
_SENTENCE_WORDS = 8
"""A shorter sentence may be anybody's."""


def fingerprint(text: str | None) -> tuple[int, ...]:
    """Return the keys of a text, numbers of 63 bits, the same on every machine; none of one that is too short."""
    said = said_words(text)
    if weight(said) < LEAST_WORDS:
        return ()
    least = _SENTENCE_WORDS * words_a_word(said)
    return tuple(sorted({*_bands(shingles(said)), *_long_sentences(text or "", least)}))


def _bands(found: Iterable[int]) -> Iterable[int]:
    minhash = _empty_minhash().copy()
    minhash.update_batch(list(found))
    for number, values in enumerate(minhash.hashvalues.astype("<u4").reshape(_BANDS, _ROWS)):
        yield _key(bytes([number]) + values.tobytes())


def _long_sentences(text: str, least: int) -> list[int]:
    found = [words(sentence) for sentence in sentences(caseless(text))]
    return sorted({_key(" ".join(said).encode()) for said in found if len(said) >= least})[:_SENTENCES]


def _key(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest()) >> 1


@cache
def _empty_minhash() -> Any:
    from datasketch import MinHash  # noqa: PLC0415 - slow to import

    return MinHash(_BANDS * _ROWS, hashfunc=int)
