"""Tell running sentences from the other strings of a page's data: labels, identifiers, code, addresses."""

from __future__ import annotations

import re

from newsextract.page.words import UNSEGMENTED, count_words
from newsextract.reading.metadata.text_folding import unescape

_TAG = re.compile(r"<[^<>]{0,2000}>")
_SENTENCE_END = re.compile(r"[.!?…։。！？؟۔।๏။៕]")
_SPACED = re.compile(r"\S\s+\S")
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
_CODE_SIGNS = re.compile(r"[{}<>;=\[\]\\|_^~`#]")
_LEAST_WORDS = 8
_MOST_CODE = 0.03
"""Share of signs that programs and style sheets are full of."""
_LONGEST_WORDS = 25
"""Characters a word: texts without spaces have more, such as keys and images."""
_LONGEST_GAPS = 15
"""Characters from space to space: no language has so many on average, values of fields set in a row do."""


def plain(markup: str) -> str:
    """Return a string of HTML without tags and entities."""
    return unescape(_TAG.sub(" ", markup)) if "<" in markup or "&" in markup else markup


def sentence_words(markup: str) -> int:
    """Return how many words a paragraph has, 0 if these are no sentences.

    >>> sentence_words("<p>The river rose by two metres in one night, says the mayor.</p>"), sentence_words("Read more")
    (12, 0)
    >>> sentence_words("https://a.example/1The river rose.id_asset=18236761index,followhttps://a.example/2.jpg")
    0
    """
    text = plain(markup)
    count = count_words(text)
    if count < _LEAST_WORDS or len(text) > count * _LONGEST_WORDS:
        return 0
    if len(_CODE_SIGNS.findall(text)) > _MOST_CODE * len(text):
        return 0
    if _UNSEGMENTED.search(text):
        return count
    if len(text) > _LONGEST_GAPS * len(text.split()):
        return 0
    return count if _SENTENCE_END.search(text) and _SPACED.search(text) else 0
