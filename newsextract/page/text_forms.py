"""Forms of text that mean the same, brought to one: the parts that every comparison of texts is made of.

Each use leaves out its own: a search what people do not type, a revision what they do not see, a story's copies what
their editors change. Sets of characters are written as in the brackets of a regular expression.
"""

from __future__ import annotations

import re
import unicodedata

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
"""Soft hyphens, and what says where a line may break or may not."""
DIRECTIONS = "\u200b-\u200f\u202a-\u202e"
"""Joiners, and what says in which direction text runs."""
ACCENTS = "\u0300-\u036f"
"""The marks of Latin, Greek and Cyrillic letters, where they stand beside them."""

_NO_LETTERS = re.compile(r"[\W_]+")


def as_read(text: str) -> str:
    r"""Return the text on one line, with nothing invisible in it, and one space where it has white space.

    >>> as_read("  a\u00ad\u200bb \n c\xa0")
    'ab c'
    """
    text = text.strip()
    # All white space but the space, and all that is invisible, counts as not printable; most text is folded already.
    if text.isprintable():
        return " ".join(text.split()) if "  " in text else text
    if not text.isascii():
        for char in INVISIBLE:
            if char in text:
                text = text.replace(char, "")
    return " ".join(text.split())


def caseless(text: str) -> str:
    """Return the text without case and without compatibility forms.

    >>> caseless("STRASSE, ﬁnance, Ｔｏｋｙｏ") == caseless("straße, Finance, Tokyo")
    True
    """
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def unmarked(decomposed: str) -> str:
    """Return a decomposed text without the marks of its letters.

    >>> unmarked(unicodedata.normalize("NFD", "Élysée"))
    'Elysee'
    """
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def letters_of(text: str) -> str:
    """Return the letters and digits of a name in lower case, by which names are compared.

    >>> letters_of("The Daily-Plain")
    'thedailyplain'
    """
    return _NO_LETTERS.sub("", text).casefold()
