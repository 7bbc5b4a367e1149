"""Find the ends of sentences by the rule of eatiht (Palacios 2014): a mark, perhaps a quote, then white space."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline

LATIN_MARKS = ".!?"
"""The original's sentence marks."""

WORLD_MARKS = LATIN_MARKS + "…。！？｡．։؟۔।॥။៕።՜՞"
"""The marks of Chinese, Japanese, Armenian, Arabic, Urdu, Devanagari, Burmese, Khmer and Ethiopic too."""

_UNSPACED_MARKS = "。！？｡．"
_QUOTES = "\"'"
_WORLD_QUOTES = _QUOTES + "”’»」』）)"
_BRACKETED_NUMBER = re.compile(r"\[\d*\]")
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
    """Return the offsets where a sentence ends and more text follows after white space.

    >>> sentence_ends('Mr. Smith left. "Why?" No one knew.', every_script=False)
    [15, 22]
    >>> sentence_ends("他走了。“為什麼？”沒人知道。", every_script=True)
    [4, 10]
    """
    pattern = _WORLD_END if every_script else _LATIN_END
    return [match.start() for match in pattern.finditer(text)]


def split_sentences(line: str) -> list[str]:
    """Return the sentences of a line; joined, they are the line again.

    >>> split_sentences("One. Two！Three")
    ['One.', ' Two！', 'Three']
    """
    ends = [0, *sentence_ends(line, every_script=True), len(line)]
    return [line[start:stop] for start, stop in pairwise(ends)]


def ending_chars(*, every_script: bool) -> str:
    """Return the characters that may end a sentence."""
    return WORLD_MARKS + _WORLD_QUOTES if every_script else LATIN_MARKS + _QUOTES


class SentenceIndex:
    """How many sentences end in any stretch of runs, each answer in logarithmic time."""

    def __init__(self, outline: Outline, *, every_script: bool) -> None:
        """Read the sentences of a page, bracketed numbers (as of footnotes) removed."""
        starts = {block.start for block in outline.blocks}
        # A line feed between blocks, so that a block's last sentence ends where the block does.
        runs = [("\n" if number in starts else "") + run for number, run in enumerate(outline.runs)]
        removed = _Removed("".join(runs))
        self.offsets, self.last_chars = [0], []
        length = 0
        for run in runs:
            self.last_chars.append(removed.offset(length + len(run.rstrip())) - 1)
            length += len(run)
            self.offsets.append(removed.offset(length))
        self.text = removed.text
        self.ends = sentence_ends(self.text, every_script=every_script)
        self.marks = ending_chars(every_script=every_script)

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
