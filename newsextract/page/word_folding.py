"""Folds the words of queries and of articles alike: without case, accents and variant spellings of a letter.

A word is a run of letters and digits: apostrophes and hyphens end it, so that `élysée` is found in `l'Élysée`. In
scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) every character is a word. Marks go from Latin,
Greek, Hebrew and Arabic letters; in Cyrillic `ё` is `е`, and stress marks go, while `й` and `ї` stay the letters that
they are; the signs of Indian scripts are vowels, and stay.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from newsextract.page.text import ACCENTS, INVISIBLE, UNSEGMENTED

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS = (
    f"{ACCENTS}\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\ufe20-\ufe2f"
)
"""Removed from letters: accents, Hebrew points, Arabic vowel signs, and the stroke that only stretches a word."""
_INVISIBLE = f"{INVISIBLE}\u200c\u200d"
_VOWEL_SIGNS = "\u0900-\u0963\u0966-\u096f\u0971-\u0dff"
"""The Indian scripts, whose vowel signs are not letters to a regular expression; without their full stops."""
_KANA_MARKS = "\u3099\u309a\uff9e\uff9f"

_LETTER = rf"[^\W_{UNSEGMENTED}]|[{_VOWEL_SIGNS}]"
_WORD = re.compile(rf"[{UNSEGMENTED}][{_KANA_MARKS}]*|(?:{_LETTER})(?:{_LETTER}|[{_MARKS}{_INVISIBLE}])*", re.UNICODE)
_PLAIN_WORD = re.compile(r"[^\W_]+")
"""The same for texts without those scripts, and several times faster."""
_NOT_PLAIN = re.compile(f"[{UNSEGMENTED}{_MARKS}{_INVISIBLE}{_VOWEL_SIGNS}]")

_DROPPED = re.compile(f"[{_MARKS}{_INVISIBLE}]")
_LETTERS = {
    "ı": "i", "œ": "oe", "æ": "ae", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h", "ŧ": "t", "ĸ": "k",
    "ё": "е", "ѐ": "е", "ѝ": "и",
}  # fmt: skip
"""Letters that people type without their marks, and that Unicode does not decompose."""
_MOST_KEPT = 200_000
"""Spellings whose folding is cached: some 30 MB."""


class _Folds(dict[str, str]):
    """A cache of folded words, filled as they are met."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KEPT:
            self.clear()
        if word.isascii():
            self[word] = folded = word.lower()
        else:
            self[word] = folded = "".join(map(_fold_letter, unicodedata.normalize("NFKC", word)))
        return folded


_FOLDS = _Folds()


def fold(word: str) -> str:
    """Return a word without case and accents.

    >>> [fold(word) for word in ("Élysée", "STRASSE", "straße", "Œuvre", "ISPARTA", "ısparta", "İzmir", "ΟΔΌΣ", "Пётр")]
    ['elysee', 'strasse', 'strasse', 'oeuvre', 'isparta', 'isparta', 'izmir', 'οδοσ', 'петр']
    """
    return _FOLDS[word]


def _fold_letter(char: str) -> str:
    if not "\u0400" <= char <= "\u04ff":
        # Marks first: some of Greek would become letters.
        char = _DROPPED.sub("", unicodedata.normalize("NFD", char))
    return unicodedata.normalize("NFC", "".join(_LETTERS.get(each, each) for each in char.casefold()))


def words(text: str) -> list[str]:
    """Return the words of a text, folded.

    >>> words("L'Élysée annonce: 新聞 2.0")
    ['l', 'elysee', 'annonce', '新', '聞', '2', '0']
    """
    return [_FOLDS[word] for word in _pattern(text).findall(text)]


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of `words` in the text, in characters."""
    return (match.span() for match in _pattern(text).finditer(text))


def _pattern(text: str) -> re.Pattern[str]:
    return _PLAIN_WORD if text.isascii() or not _NOT_PLAIN.search(text) else _WORD
