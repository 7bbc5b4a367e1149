"""A text as its words without their looks, and as its shingles: all sequences of a few words, each as a number.

Punctuation, quotes, dashes and case do not count. In scripts without spaces every character is a word, so a shingle has
more of them.
"""

from __future__ import annotations

import re
from zlib import crc32

from newsextract.page.sentences import split_sentences
from newsextract.page.text_forms import caseless
from newsextract.page.words import UNSEGMENTED, words

_SHINGLE_WORDS = 4
_CHARS_A_WORD = 2
"""Of a script without spaces, about as much as a word tells elsewhere."""
_MOST_WORDS = 20_000
"""What comes after is left out: a live blog of a whole day."""

_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")


def sentences(text: str) -> list[str]:
    r"""Return the sentences of a text, each line on its own.

    >>> sentences("One. Two!\nThree")
    ['One.', 'Two!', 'Three']
    """
    return [said for line in text.splitlines() for piece in split_sentences(line) if (said := piece.strip())]


def words_a_word(said: list[str]) -> int:
    """Return how many of these words tell as much as one: two where most are characters of scripts without spaces."""
    characters = sum(len(word) == 1 and bool(_UNSEGMENTED.match(word)) for word in said[:200])
    return _CHARS_A_WORD if characters * 2 > len(said[:200]) else 1


def weight(said: list[str]) -> int:
    """Return how long a text is in words, counting characters of scripts without spaces as fewer."""
    return len(said) // words_a_word(said)


def said_words(text: str | None) -> list[str]:
    """Return the words that count."""
    return words(caseless(text or ""))[:_MOST_WORDS]


def shingles(said: list[str]) -> frozenset[int]:
    """Return the shingles of some words, as numbers of 32 bits that are the same on every machine."""
    size = _SHINGLE_WORDS * words_a_word(said)
    return frozenset(crc32(" ".join(said[at : at + size]).encode()) for at in range(max(len(said) - size + 1, 0)))
