"""Measures how alike two texts are, and finds the sentences that only one of them has.

A text is compared by its shingles: all sequences of a few words, each as a number. Punctuation, quotes, dashes and case
do not count. In scripts without spaces every character is a word, so a shingle has more of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from zlib import crc32

from newsextract.page.text import UNSEGMENTED, caseless, split_sentences, words

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
_KNOWN = 0.6
"""The share of a sentence's word sequences that the other text has too, from which on the sentence adds nothing."""
_RUN_WORDS = 3


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


def weight(said: list[str]) -> int:
    """Return how long a text is in words, counting characters of scripts without spaces as fewer."""
    return len(said) // words_a_word(said)


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


def text_shingles(text: str | None) -> frozenset[int]:
    """Return the shingles of a text."""
    return shingles(said_words(caseless(text or "")))


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
    return likeness_by_counts(len(one & other), len(one), len(other))


def likeness_by_counts(common: int, one: int, other: int) -> Likeness:
    """Return how alike two texts are, by how many shingles they share and have."""
    if not common:
        return Likeness(0.0, 0.0)
    return Likeness(round(common / (one + other - common), 3), round(common / min(one, other), 3))


def text_likeness(one: str | None, other: str | None) -> Likeness:
    """Return how alike two texts are."""
    return likeness(text_shingles(one), text_shingles(other))


def additions(first: str | None, other: str | None) -> list[str]:
    """Return the sentences of the other text that the first one does not have, in order.

    >>> additions("The mayor opened the bridge.", "“The mayor opened the bridge!” Nobody came to see it.")
    ['Nobody came to see it.']
    """
    known = _runs(said_words(caseless(first or "")))
    return [sentence for sentence in sentences(other or "") if not _is_known(words(caseless(sentence)), known)]


def _runs(said: list[str]) -> set[tuple[str, ...]]:
    return {tuple(said[at : at + size]) for size in range(1, _RUN_WORDS + 1) for at in range(len(said) - size + 1)}


def _is_known(said: list[str], known: set[tuple[str, ...]]) -> bool:
    size = min(_RUN_WORDS, len(said))
    sequences = [tuple(said[at : at + size]) for at in range(len(said) - size + 1)] if size else []
    return sum(sequence in known for sequence in sequences) >= _KNOWN * len(sequences)
