"""Normalise text for comparison: invisible characters, white space, case and accents.

Each use leaves out its own: a search what people do not type, a revision what they do not see, a story's copies what
their editors change. Sets of characters are written as in the brackets of a regular expression.
"""

from __future__ import annotations

import re
import unicodedata

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphens, and characters that allow or forbid a line break."""
DIRECTIONS = "\u200b-\u200f\u202a-\u202e"
"""Joiners, and marks of the direction of text."""
ACCENTS = "\u0300-\u036f"
"""The combining marks of Latin, Greek and Cyrillic letters."""

CONTROLS = r"\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
"""Characters without a shape that are no white space: a terminal takes some for commands."""

_CONTROLS = re.compile(f"[{CONTROLS}]+")
_NO_LETTERS = re.compile(r"[\W_]+")


def as_read(text: str) -> str:
    r"""Return the text on one line, without invisible and control characters, its white space folded to single spaces.

    >>> as_read("  a\u00ad\u200bb \n c\xa0")
    'ab c'
    """
    text = text.strip()
    # All white space but the space, and invisible characters, count as not printable; most text is folded already.
    if text.isprintable():
        return " ".join(text.split()) if "  " in text else text
    if not text.isascii():
        for char in INVISIBLE:
            if char in text:
                text = text.replace(char, "")
    return " ".join(without_controls(text).split())


def without_controls(text: str) -> str:
    r"""Return the text without control characters, but for white space.

    >>> without_controls("a\x1b[31mb\nc")
    'a[31mb\nc'
    """
    return text if text.isprintable() else _CONTROLS.sub("", text)


def caseless(text: str) -> str:
    """Return the text with case and compatibility forms folded.

    >>> caseless("STRASSE, ﬁnance, Ｔｏｋｙｏ") == caseless("straße, Finance, Tokyo")
    True
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def unmarked(decomposed: str) -> str:
    """Return a decomposed text without its combining marks.

    >>> unmarked(unicodedata.normalize("NFD", "Élysée"))
    'Elysee'
    """
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def letters_of(text: str) -> str:
    """Return the letters and digits of a name in lower case, the form in which names are compared.

    >>> letters_of("The Daily-Plain")
    'thedailyplain'
    """
    return _NO_LETTERS.sub("", text).casefold()
