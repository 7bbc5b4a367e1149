"""Eatiht, "extract article text in hypertext" (Palacios 2014): the article is where the sentences are.

1. Select the elements that directly hold a text of more than 20 characters, inline markup aside.
2. Cut the text under each into sentences, bracketed numbers (as of footnotes) removed.
3. Histogram of sentences over the *parents* of the selected elements; its argmax is the article's element.
4. The content is what was selected under it.

On blocks: a block is kept when it lies in an element selected under the argmax and ends a sentence. Unlike the
original, blocks have white space between them even where the source has none, "under" means descendants rather than a
prefix of the path as a string, and text in nested selected elements is returned once (though still counted twice).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from newsextract.blocks import fold
from newsextract.extraction import Extraction, register
from newsextract.sentences import ending_chars, sentence_ends

if TYPE_CHECKING:
    from newsextract.blocks import Outline
    from newsextract.page import Page

_BRACKETED_NUMBER = re.compile(r"\[\d*\]")
_NOT_SELECTED = frozenset("script style i b strong span a".split())


@register
@dataclass(frozen=True)
class Eatiht:
    """Keeps the sentences under the element whose children hold the most of them."""

    name: ClassVar[str] = "eatiht"

    min_chars: int = 20
    """A text node must be longer than this to be selected. Value of the original."""
    every_script: bool = True
    """Sentence marks of all scripts end a sentence; with `False` only the original's `. ? ! " '` do."""

    def extract(self, page: Page) -> Extraction:
        """Return the blocks with sentences under the argmax."""
        outline = page.outline
        selected = self._select(outline)
        sentences = _Sentences(outline, every_script=self.every_script)
        histogram: Counter[int] = Counter()
        for element in selected:
            histogram[outline.parents[element]] += sentences.within(*_runs(outline, element))
        if not histogram or max(histogram.values()) == 0:
            return Extraction(self.name)
        best = histogram.most_common(1)[0][0]
        return Extraction(self.name, tuple(outline.blocks[i] for i in self._under(outline, best, selected, sentences)))

    def _select(self, outline: Outline) -> list[int]:
        """Return the elements that directly hold a long text, in the order of the page."""
        holders = {
            holder
            for holder, run in zip(outline.holders, outline.runs, strict=True)
            if len(run) > self.min_chars and outline.tags[holder] not in _NOT_SELECTED and self._is_long(run)
        }
        return sorted(holders)

    def _is_long(self, run: str) -> bool:
        return len(fold(run)) > self.min_chars

    def _under(self, outline: Outline, best: int, selected: list[int], sentences: _Sentences) -> list[int]:
        """Return the numbers of the blocks with sentences in the elements selected under the best."""
        starts = [block.start for block in outline.blocks]
        kept: set[int] = set()
        reached = 0
        for element in selected[bisect_left(selected, best + 1) : bisect_left(selected, outline.stops[best])]:
            run_start, run_stop = _runs(outline, element)
            for number in range(bisect_left(starts, max(run_start, reached)), bisect_left(starts, run_stop)):
                block = outline.blocks[number]
                if sentences.within(block.start, block.stop):
                    kept.add(number)
            reached = max(reached, run_stop)
        return sorted(kept)


def _runs(outline: Outline, element: int) -> tuple[int, int]:
    return outline.run_starts[element], outline.run_stops[element]


class _Sentences:
    """How many sentences end in any stretch of runs, each answer in logarithmic time."""

    def __init__(self, outline: Outline, *, every_script: bool) -> None:
        starts = {block.start for block in outline.blocks}
        # A line feed between blocks, so that a block's last sentence ends where the block does.
        texts = [
            ("\n" if number in starts else "") + _BRACKETED_NUMBER.sub("", run)
            for number, run in enumerate(outline.runs)
        ]
        self.offsets = [0, *accumulate(map(len, texts))]
        self.text = "".join(texts)
        self.ends = sentence_ends(self.text, every_script=every_script)
        self.marks = ending_chars(every_script=every_script)

    def within(self, run_start: int, run_stop: int) -> int:
        """Return how many sentences of `runs[run_start:run_stop]` end with an end mark."""
        start, stop = self.offsets[run_start], self.offsets[run_stop]
        if start == stop:
            return 0
        inner = bisect_left(self.ends, stop) - bisect_left(self.ends, start)
        return inner + (self.text[stop - 1] in self.marks)
