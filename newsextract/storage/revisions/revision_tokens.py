"""A text as what it says: words and numbers without their looks, each with its place in the text.

Not part of what is said, so that a change of nothing else is cosmetic: white space, punctuation, kinds of quotes and
dashes, upper and lower case, invisible characters, compatibility forms, how a number's digits are grouped, and trifles.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from newsextract.page.sentences import split_sentences
from newsextract.page.text_forms import ACCENTS, DIRECTIONS, INVISIBLE, caseless
from newsextract.page.words import UNSEGMENTED
from newsextract.storage.revisions.numerals import NUMBER, value_of
from newsextract.storage.revisions.trifles import without_trifles

_INDIC_SIGNS = "".join(
    f"{chr(block)}-{chr(block + 0x03)}{chr(block + 0x3A)}-{chr(block + 0x57)}{chr(block + 0x62)}{chr(block + 0x63)}"
    for block in range(0x900, 0xE00, 0x80)
)
"""Vowels and the like, which Python takes for no letters; the blocks from Devanagari to Sinhala are laid out alike."""
_POINTS = "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
"""Hebrew and Arabic signs that are written or not, as one likes."""
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})|[{UNSEGMENTED}]|(?:[^\W\d{UNSEGMENTED}]|[{ACCENTS}{_POINTS}{_INDIC_SIGNS}])+|[%‰$€£¥₽₹°]"
)
_POINT = re.compile(f"[{_POINTS}]")
_INVISIBLE = re.compile(f"[{INVISIBLE}{DIRECTIONS}]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, or a sign such as `%` that changes what a number says."""

    said: str
    """What counts: a word in lower case, a number as its value."""
    start: int
    stop: int
    is_number: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is shown, and what it says."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """What counts of it."""
        return tuple(token.said for token in self.tokens)


def visible(text: str) -> str:
    """Return a text without characters that nobody sees, composed as usual, and the line feeds kept."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return what a text says, in order.

    >>> [token.said for token in tokens_of("“Don’t” pay 1 234,5 €!")]
    ['don', 't', 'pay', '1234.5', '€']
    """
    return tuple(
        Token(
            value_of(found[0]) if found["number"] else caseless(_POINT.sub("", found[0])),
            found.start(),
            found.end(),
            is_number=found["number"] is not None,
        )
        for found in _TOKEN.finditer(text)
    )


def sentences_of(text: str | None) -> list[Sentence]:
    """Return the sentences of a text that say something, each line on its own, without trifles."""
    pieces = (
        piece.strip() for line in visible(text or "").splitlines() for piece in split_sentences(without_trifles(line))
    )
    return [Sentence(sentence, tokens) for sentence in pieces if (tokens := tokens_of(sentence))]
