"""Wutsi's extraction of blog articles, "Algorithme d'extraction de contenu de site web": cleaning, then eatiht.

1. Cleaning: the page is seen through the mask `wutsi` of `newsextract.page.masks`.
2. Selection: the elements that directly hold a text of more than 20 characters.
3. Each scores the sentences under it; the best is the argmax.
4. Fusion: with the argmax come all selected elements under the same parent. That is the content.

The text does not say what happens to a text of 20 characters or fewer beside the selected ones: it is left out. The
images of the article are those that stand among its blocks; they are in `.html`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.ancestry import blocks_inside
from newsextract.page.masks import wutsi_rule
from newsextract.page.sentences import SentenceIndex
from newsextract.page.text_forms import as_read
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page


@register
@dataclass(frozen=True)
class Wutsi:
    """Keeps the element with the most sentences, and its siblings with text, of a cleaned page."""

    name: ClassVar[str] = "wutsi"

    min_chars: int = 20
    """A text must be longer than this to be selected. Value of the source."""
    cleans: bool = True
    """Whether the page is cleaned first."""

    def extract(self, page: Page) -> Extraction:
        """Return the blocks of the argmax and of the selected elements beside it."""
        outline = page.masked(wutsi_rule).outline if self.cleans else page.outline
        selected = self._select(outline)
        if not selected:
            return Extraction(self.name)
        sentences = SentenceIndex(outline, every_script=True)
        best = max(selected, key=lambda element: sentences.within(*outline.runs_of(element)))
        family = [element for element in selected if outline.parents[element] == outline.parents[best]]
        return Extraction(self.name, tuple(blocks_inside(outline, family)))

    def _select(self, outline: Outline) -> list[int]:
        """Return the block-level elements that hold a long text, in the order of the page.

        Text in inline markup belongs to its paragraph: a link or bold word is not a node of its own.
        """
        long_runs = (number for number, run in enumerate(outline.runs) if len(as_read(run)) > self.min_chars)
        return sorted({outline.owners[outline.holders[number]] for number in long_runs})
