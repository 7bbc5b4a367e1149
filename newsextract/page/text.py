"""Text as it is read, compared and counted: its forms, its words, its sentences."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


# Normalise text for comparison: invisible characters, white space, case and accents.
#
# Each use leaves out its own: a search what people do not type, a revision what they do not see, a story's copies what
# their editors change. Sets of characters are written as in the brackets of a regular expression.

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


# Count words the same way everywhere: in extractors, metrics and `wordCount`.
#
# A word is a sequence of letters, digits and underscores. Scripts that put no space between words (Chinese, Japanese,
# Thai, Lao, Khmer, Burmese) have no such sequences to count, so there every character counts as a word.

UNSEGMENTED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # Japanese kana and iteration marks
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Han
    "\uff66-\uff9f"  # half-width kana
    "\U0001b000-\U0001b16f\U00020000-\U0003ffff"  # supplementary kana and Han
)
"""Character class of the scripts written without spaces; Hangul has spaces and is not among them."""

_WORD = rf"[{UNSEGMENTED}]|[^\W{UNSEGMENTED}]+"
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")
_SPACED_WORD = re.compile(r"\w+")
"""The same as `_WORD` for text in scripts with spaces, and twice as fast."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]")
_ASCII_SYMBOL_OR_WORD = re.compile(r"\w+|[^\w\s]", re.ASCII)


def words(text: str) -> list[str]:
    """Return the words of a text, in order.

    >>> words("Don't panic: 新聞 2.0")
    ['Don', 't', 'panic', '新', '聞', '2', '0']
    """
    return _pattern(text).findall(text)


def count_words(text: str) -> int:
    """Return how many words a text has.

    >>> count_words("三月的新聞, twice")
    6
    """
    return len(_pattern(text).findall(text))


def _pattern(text: str) -> re.Pattern[str]:
    return _SPACED_WORD if text.isascii() or not _UNSEGMENTED.search(text) else _compiled(_WORD)


def words_and_symbols(text: str) -> list[str]:
    """Return the words and other visible signs of a text, in order.

    >>> words_and_symbols("Well, 42 %.")
    ['Well', ',', '42', '%', '.']
    """
    # The plain pattern is several times faster, and most markup-heavy text is ASCII.
    if text.isascii():
        return _ASCII_SYMBOL_OR_WORD.findall(text)
    return _compiled(rf"{_WORD}|[^\w\s]").findall(_INVISIBLE.sub("", text))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # When it is first needed: sets of thousands of characters take milliseconds, and many pages need none.
    return re.compile(pattern)


def count_words_and_symbols(text: str) -> int:
    """Return how many words and other visible signs a text has.

    >>> count_words_and_symbols("Well, 42 % said no.")
    7
    """
    return len(words_and_symbols(text))


# Find the ends of sentences by the rule of eatiht (Palacios 2014): a mark, perhaps a quote, then white space.

LATIN_MARKS = ".!?"
"""The original's sentence marks."""

WORLD_MARKS = LATIN_MARKS + "…。！？｡．։؟۔।॥။៕።՜՞"
"""The marks of Chinese, Japanese, Armenian, Arabic, Urdu, Devanagari, Burmese, Khmer and Ethiopic too."""

_UNSPACED_MARKS = "。！？｡．"
_QUOTES = "\"'"
_WORLD_QUOTES = _QUOTES + "”’»」』）)"
_BRACKETED_NUMBER = re.compile(r"\[\d*\]")
_TITLES = ("Mr", "Mrs", "Jr", "Dr", "Prof", "Sr")


@cache
def _end_pattern(marks: str, quotes: str, unspaced: str) -> re.Pattern[str]:
    no_title = "".join(rf"(?<!{title}\.)" for title in _TITLES)
    marks, quotes = re.escape(marks), re.escape(quotes)
    spaced = rf"(?:(?<=[{marks}])|(?<=[{marks}][{quotes}])){no_title}\s+"
    if not unspaced:
        return re.compile(spaced, re.IGNORECASE)
    # No white space follows the full-width marks; the sentence ends where something other than a quote follows.
    full_width = rf"(?<=[{unspaced}])(?=[^\s{quotes}])|(?<=[{unspaced}][{quotes}])(?=\S)"
    return re.compile(rf"{spaced}|{full_width}", re.IGNORECASE)


def sentence_ends(text: str, *, every_script: bool) -> list[int]:
    """Return the offsets where a sentence ends and more text follows after white space.

    >>> sentence_ends('Mr. Smith left. "Why?" No one knew.', every_script=False)
    [15, 22]
    >>> sentence_ends("他走了。“為什麼？”沒人知道。", every_script=True)
    [4, 10]
    """
    marks = (WORLD_MARKS, _WORLD_QUOTES, _UNSPACED_MARKS) if every_script else (LATIN_MARKS, _QUOTES, "")
    pattern = _end_pattern(*marks)
    return [match.start() for match in pattern.finditer(text)]


def split_sentences(line: str) -> list[str]:
    """Return the sentences of a line; joined, they are the line again.

    >>> split_sentences("One. Two！Three")
    ['One.', ' Two！', 'Three']
    """
    ends = [0, *sentence_ends(line, every_script=True), len(line)]
    return [line[start:stop] for start, stop in pairwise(ends)]


class SentenceIndex:
    """How many sentences end in any stretch of runs, each answer in logarithmic time."""

    def __init__(self, runs: Sequence[str], block_starts: Collection[int], *, every_script: bool) -> None:
        """Read the sentences of a page's runs, bracketed numbers (as of footnotes) removed."""
        # A line feed between blocks, so that a block's last sentence ends where the block does.
        runs = [("\n" if number in block_starts else "") + run for number, run in enumerate(runs)]
        removed = _Removed("".join(runs))
        self.offsets, self.last_chars = [0], []
        length = 0
        for run in runs:
            self.last_chars.append(removed.offset(length + len(run.rstrip())) - 1)
            length += len(run)
            self.offsets.append(removed.offset(length))
        self.text = removed.text
        self.ends = sentence_ends(self.text, every_script=every_script)
        self.marks = WORLD_MARKS + _WORLD_QUOTES if every_script else LATIN_MARKS + _QUOTES

    def within(self, run_start: int, run_stop: int) -> int:
        """Return how many sentences of `runs[run_start:run_stop]` end with an end mark."""
        if run_start == run_stop:
            return 0
        start, last = self.offsets[run_start], self.last_chars[run_stop - 1]
        if last < start:
            return 0
        # An end at the very start belongs to the sentence before.
        inner = bisect_right(self.ends, last) - bisect_right(self.ends, start)
        return max(inner, 0) + (self.text[last] in self.marks)


class _Removed:
    """A text without its bracketed numbers, which may lie across runs, as where the number is a link."""

    def __init__(self, text: str) -> None:
        self.text = _BRACKETED_NUMBER.sub("", text)
        self.starts: list[int] = []
        self.stops: list[int] = []
        self.totals = [0]
        for found in _BRACKETED_NUMBER.finditer(text):
            self.starts.append(found.start())
            self.stops.append(found.end())
            self.totals.append(self.totals[-1] + len(found[0]))

    def offset(self, position: int) -> int:
        """Return where a position of the text with the numbers lies in the text without them."""
        number = bisect_left(self.starts, position)
        overlap = max(self.stops[number - 1] - position, 0) if number else 0
        return position - self.totals[number] + overlap
