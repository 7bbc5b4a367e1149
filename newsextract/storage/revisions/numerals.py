"""Converts the world's spellings of numbers to one, so that only different values differ."""

from __future__ import annotations

import re
import unicodedata

_SPACES = "\u00a0\u2007\u2009\u202f "
_ARABIC = "\u066b\u066c"
"""The decimal and the thousands separator of Arabic digits."""

_GROUPED = rf"\d{{1,3}}(?:[{_SPACES}](?=\d{{3}}(?!\d))\d{{3}})+(?:[.,\u066b]\d+)?"
_PLAIN = rf"\d+(?:[.,'’{_ARABIC}]\d+)*"
NUMBER = rf"(?:(?<![^\s(\[])[-−–])?(?:{_GROUPED}|{_PLAIN})"
"""A number as one token: its digits, what separates them, and a minus; clock times and scores are several numbers."""

_THOUSANDS = re.compile(r"-?(?!0)\d{1,3}(?:([.,'])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")


def value_of(written: str) -> str:
    """Return a number in ASCII digits, without thousands separators and with a decimal point.

    Three digits after the only separator count as thousands, which is right for most numbers in news.

    >>> [value_of(written) for written in ("1,234", "1 234", "1.234,5", "١٢", "−3,5", "1.234.567", "０.5", "3.5.26")]
    ['1234', '1234', '1234.5', '12', '-3.5', '1234567', '0.5', '3.5.26']
    """
    text = "".join(_ascii(char) for char in written)
    if _THOUSANDS.fullmatch(text):
        separator = next(char for char in text if char in ".,'")
        whole = text.replace(separator, "")
        return whole.replace(",", ".")
    return text.replace(",", ".")


def _ascii(char: str) -> str:
    digit = unicodedata.digit(char, None)
    if digit is not None:
        return str(digit)
    if char in _SPACES:
        return ""
    return {"−": "-", "–": "-", "\u066b": ".", "\u066c": "", "’": "'"}.get(char, char)
