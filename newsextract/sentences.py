"""Where sentences end, by the rule of eatiht (Palacios 2014): a mark, perhaps a quote, then white space."""

from __future__ import annotations

import re

LATIN_MARKS = ".!?"
"""The original's sentence marks."""

WORLD_MARKS = LATIN_MARKS + "…。！？｡．։؟۔।॥။៕።՜՞"
"""With those of Chinese, Japanese, Armenian, Arabic, Urdu, Devanagari, Burmese, Khmer and Ethiopic."""

_UNSPACED_MARKS = "。！？｡．"
_QUOTES = "\"'"
_WORLD_QUOTES = _QUOTES + "”’»」』）)"
_TITLES = ("Mr", "Mrs", "Jr", "Dr", "Prof", "Sr")


def _end_pattern(marks: str, quotes: str, unspaced: str) -> re.Pattern[str]:
    no_title = "".join(rf"(?<!{title}\.)" for title in _TITLES)
    marks, quotes = re.escape(marks), re.escape(quotes)
    spaced = rf"(?:(?<=[{marks}])|(?<=[{marks}][{quotes}])){no_title}\s+"
    if not unspaced:
        return re.compile(spaced, re.IGNORECASE)
    # No white space follows the full-width marks; the sentence ends where something other than a quote follows.
    full_width = rf"(?<=[{unspaced}])(?=[^\s{quotes}])|(?<=[{unspaced}][{quotes}])(?=\S)"
    return re.compile(rf"{spaced}|{full_width}", re.IGNORECASE)


_LATIN_END = _end_pattern(LATIN_MARKS, _QUOTES, "")
_WORLD_END = _end_pattern(WORLD_MARKS, _WORLD_QUOTES, _UNSPACED_MARKS)


def sentence_ends(text: str, *, every_script: bool) -> list[int]:
    """Return the offsets at which a sentence ends and another text follows after white space.

    >>> sentence_ends('Mr. Smith left. "Why?" No one knew.', every_script=False)
    [15, 22]
    >>> sentence_ends("他走了。“為什麼？”沒人知道。", every_script=True)
    [4, 10]
    """
    pattern = _WORLD_END if every_script else _LATIN_END
    return [match.start() for match in pattern.finditer(text)]


def ending_chars(*, every_script: bool) -> str:
    """Return the characters that a sentence may end with."""
    return WORLD_MARKS + _WORLD_QUOTES if every_script else LATIN_MARKS + _QUOTES
