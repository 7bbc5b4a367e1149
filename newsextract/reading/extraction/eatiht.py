"""Eatiht, "extract article text in hypertext" (Palacios 2014): the article is where the sentences are.

1. Select the elements inside `body` that directly hold a text of more than 20 characters, inline markup aside.
2. Cut the text under each into sentences, bracketed numbers (as of footnotes) removed.
3. Histogram of sentences over the *parents* of the selected elements; its argmax is the article's element.
4. The content is what was selected under it, itself included.

The second version (Palacios, January 2015) cuts no sentences. A selected element's branches are the texts under it; its
average branch length is theirs, and the average of these over all selected elements is the threshold: elements whose
texts together are longer pass (a high-pass filter), and the histogram counts those that do over their parents. All that
was selected under the argmax is the content, with or without an end mark.

On blocks: kept is each block, or part of one, that lies in an element selected under the argmax and ends a sentence.
Unlike the original, blocks have white space between them even where the source has none, "under" means descendants
rather than a prefix of the path as a string, and text in nested selected elements is returned once (though still
counted twice). What a page does not show, the original counts, too, such as the data of a script inside `noscript`.

Its weakness: one comment, rule for comments or footer with many sentences wins over an article in several parts, of
which one part at most is kept; the first version also loses lines without an end mark, as headings and items of lists.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.blocks import blocks_inside
from newsextract.page.text import SentenceIndex, as_read
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page


_NOT_SELECTED = frozenset("script style i b strong span a".split())
_AROUND = frozenset(("html", "body", "head", "title"))
"""Not inside `body`; text directly in it is not selected either."""


@register
@dataclass(frozen=True)
class Eatiht:
    """Keeps the sentences under the element whose children hold the most of them."""

    name: ClassVar[str] = "eatiht"

    min_chars: int = 20
    """A text node must be longer than this to be selected. Value of the original."""
    every_script: bool = True
    """Sentence marks of all scripts end a sentence; with `False` only the original's `. ? ! " '` do."""

    version: int = 1
    """2 counts texts instead of sentences, and only those that pass the filter: see the module's docstring."""

    def __post_init__(self) -> None:
        if self.version not in (1, 2):
            raise ValueError("`version` must be 1 or 2")

    def extract(self, page: Page) -> Extraction:
        """Return the blocks with sentences (of version 2: all blocks) under the argmax."""
        outline = page.outline
        selected = self._select(outline)
        sentences = SentenceIndex(
            outline.runs, {block.start for block in outline.blocks}, every_script=self.every_script
        )
        if self.version == 1:
            votes = {element: sentences.within(*outline.runs_of(element)) for element in selected}
        else:
            votes = dict.fromkeys(_high_pass(outline, selected), 1)
        histogram: Counter[int] = Counter()
        for element, count in votes.items():
            if count:
                histogram[outline.parents[element]] += count
        if not histogram:
            return Extraction(self.name)
        best = histogram.most_common(1)[0][0]
        under = selected[bisect_left(selected, best) : bisect_left(selected, outline.stops[best])]
        blocks = blocks_inside(outline, under)
        if self.version == 1:
            blocks = (block for block in blocks if sentences.within(block.start, block.stop))
        return Extraction(self.name, tuple(blocks))

    def _select(self, outline: Outline) -> list[int]:
        """Return the elements that directly hold a long text, in the order of the page."""
        # The parser gives every page a `body`, and puts nothing but what is in it there.
        may_be = [tag not in _NOT_SELECTED and tag not in _AROUND for tag in outline.tags]
        held = zip(outline.holders, outline.runs, strict=True)
        return sorted(
            {
                holder
                for holder, run in held
                if may_be[holder] and len(run) > self.min_chars and len(as_read(run)) > self.min_chars
            }
        )


def _high_pass(outline: Outline, selected: list[int]) -> list[int]:
    """Return the elements whose text is longer than the average over all of their average branch lengths."""
    totals = [0, *accumulate(len(run) for run in outline.runs)]
    bounds = {element: outline.runs_of(element) for element in selected}
    lengths = {element: totals[stop] - totals[start] for element, (start, stop) in bounds.items()}
    averages = [lengths[element] // (stop - start) for element, (start, stop) in bounds.items()]
    threshold = sum(averages) // len(averages) if averages else 0
    return [element for element, length in lengths.items() if length > threshold]
