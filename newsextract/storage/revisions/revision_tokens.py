"""Splits a text into words and numbers without their typography, each with its position in the text.

These do not count, so a change only in them is cosmetic: white space, punctuation, kinds of quotes and
dashes, upper and lower case, invisible characters, compatibility forms, how a number's digits are grouped, and trifles.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from newsextract.page.text import ACCENTS, DIRECTIONS, INVISIBLE, UNSEGMENTED, caseless, split_sentences
from newsextract.storage.revisions.numerals import NUMBER, value_of
from newsextract.storage.revisions.trifles import without_trifles

_INDIC_SIGNS = "".join(
    f"{chr(block)}-{chr(block + 0x03)}{chr(block + 0x3A)}-{chr(block + 0x57)}{chr(block + 0x62)}{chr(block + 0x63)}"
    for block in range(0x900, 0xE00, 0x80)
)
"""Vowel signs, which Python does not count as letters; the blocks from Devanagari to Sinhala share a layout."""
_POINTS = "\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
"""Hebrew and Arabic signs that are optional in writing."""
_TOKEN = re.compile(
    rf"(?P<number>{NUMBER})|[{UNSEGMENTED}]|(?:[^\W\d{UNSEGMENTED}]|[{ACCENTS}{_POINTS}{_INDIC_SIGNS}])+|[%‰$€£¥₽₹°]"
)
_POINT = re.compile(f"[{_POINTS}]")
_INVISIBLE = re.compile(f"[{INVISIBLE}{DIRECTIONS}]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a number, or a sign such as `%` that changes the meaning of a number."""

    said: str
    """The compared form: a word in lower case, a number as its value."""
    start: int
    stop: int
    is_number: bool


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it is shown, and its tokens."""

    text: str
    tokens: tuple[Token, ...]

    @property
    def said(self) -> tuple[str, ...]:
        """The compared forms of its tokens."""
        return tuple(token.said for token in self.tokens)


def visible(text: str) -> str:
    """Return a text without invisible characters, in composed form, with its line feeds."""
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order.

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
    """Return the sentences of a text that have tokens, without trifles; a sentence never spans lines."""
    pieces = (
        piece.strip() for line in visible(text or "").splitlines() for piece in split_sentences(without_trifles(line))
    )
    return [Sentence(sentence, tokens) for sentence in pieces if (tokens := tokens_of(sentence))]
