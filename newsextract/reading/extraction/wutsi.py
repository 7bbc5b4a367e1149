"""Wutsi's extraction of blog articles, "Algorithme d'extraction de contenu de site web": cleaning, then eatiht.

1. Cleaning: the page is seen through the mask `wutsi` of `newsextract.page.blocks`, by the published program's list.
2. Selection: the elements that directly hold a text of 20 characters or more; then, in their place, their parents.
3. Partition: each parent scores the sentences of its selected children. The best is the argmax; of equals, the first.
4. Fusion: with the argmax come all other nodes, that is parents, under the same parent. What they hold is the content.

Where the text is silent: text in inline markup belongs to its paragraph, so a link or a bold word is no node; sentences
that a node holds otherwise than through selected children do not count, or an element around much of the page would
often win; the fused nodes are kept whole, with their short texts. The images of the article are those that stand among
its blocks; they are in `.html`.

Its weakness: menus and comments whose names are not in the list count as text, and a page of short paragraphs, each in
a box of its own, loses to one box with a long text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.blocks import blocks_inside, wutsi_rule
from newsextract.page.text import SentenceIndex, as_read
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page


@register
@dataclass(frozen=True)
class Wutsi:
    """Keeps the element whose children have the most sentences, and its siblings like it, of a cleaned page."""

    name: ClassVar[str] = "wutsi"

    min_chars: int = 20
    """A text must have as many characters to be selected. Value of the source."""
    cleans: bool = True
    """Whether the page is cleaned first; `cleaning="wutsi"` does it for any other extractor."""

    def extract(self, page: Page) -> Extraction:
        """Return the blocks of the argmax and of the nodes beside it."""
        outline = page.masked(wutsi_rule).outline if self.cleans else page.outline
        scores = self._scores(outline)
        if not scores:
            return Extraction(self.name)
        best = max(sorted(scores), key=scores.__getitem__)
        family = [node for node in sorted(scores) if outline.parents[node] == outline.parents[best]]
        return Extraction(self.name, tuple(blocks_inside(outline, family)))

    def _scores(self, outline: Outline) -> Counter[int]:
        """Return the parents of the selected elements, with the sentences of those."""
        long_runs = (number for number, run in enumerate(outline.runs) if len(as_read(run)) >= self.min_chars)
        selected = {outline.owners[outline.holders[number]] for number in long_runs}
        sentences = SentenceIndex(outline.runs, {block.start for block in outline.blocks}, every_script=True)
        scores: Counter[int] = Counter()
        for element in selected:
            # Text beside `body` hangs at the root, which has no parent.
            scores[max(outline.parents[element], 0)] += sentences.within(*outline.runs_of(element))
        return scores
