"""The default extractor: a trained block classifier, with fallbacks that are reported.

Each block gets a probability from its characters, its place, the elements around it and their names, then a second one
from its context; see `block_classifier` and docs/model-card.md. The idea is Pasternack & Roth's (WWW 2009): a local
classifier, then a global choice.

If the page's JSON-LD states much more of the text, that helps, see `stated_body`; then the data of its scripts, see
`hydrated_body`; if no block looks like an article's,
the densest region is kept. `sources` and `warnings` report this.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from newsextract.reading.extraction.block_classifier.block_model import load
from newsextract.reading.extraction.block_classifier.block_selection import BARS, page_signs, select, with_evidence
from newsextract.reading.extraction.block_classifier.region_features import container, prose
from newsextract.reading.extraction.block_classifier.whole_tables import with_whole_tables
from newsextract.reading.extraction.contract import Extraction, create_extractor, register
from newsextract.reading.extraction.hydrated_body import with_hydrated_body
from newsextract.reading.extraction.stated_body import with_stated_body
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.block_classifier.block_features import Described
    from newsextract.reading.extraction.block_classifier.block_selection import Floats, Mask

_DENSEST_SHARE = 0.4
"""Share of the page's running text that the densest region holds."""

_OF_A_GUESS = 0.5
"""Factor on the likeliest block's probability that gives the confidence if no block was chosen."""
MAX_BLOCKS = 20_000
"""Article pages have some hundreds. Of a larger page so many are classified: more would fill the memory."""
_ENDS = 0.9
"""Share of these blocks: a text that ends before is taken to end there."""


@register
@dataclass(frozen=True)
class Auto:
    """Keeps the blocks that a trained classifier takes for the article's."""

    name: ClassVar[str] = "auto"

    weights: str = ""
    """A file of weights made by `make model`, to use instead of the package's; empty: the package's."""
    min_probability: float = 0.1
    """If no block reaches this probability, the densest region is kept."""
    prefer: str = "balance"
    """`precision` keeps fewer blocks and is rarely wrong, `recall` misses fewer, `balance` has the best F1."""

    def __post_init__(self) -> None:
        if self.prefer not in BARS:
            raise ValueError(f"`prefer` is one of {', '.join(sorted(BARS))}, not {self.prefer!r}")
        if not 0 <= self.min_probability <= 1:
            raise ValueError("`min_probability` must be between 0 and 1")
        load(self.weights)

    def extract(self, page: Page) -> Extraction:
        """Return the blocks of the article, with an estimate of the token F1 that they reach."""
        count = len(page.outline.table.texts)
        if count > MAX_BLOCKS:
            return self._of_many(page, count)
        shown = self._of_blocks(page) if count else Extraction(self.name)
        return with_hydrated_body(page, with_stated_body(page, shown))

    def _of_many(self, page: Page, count: int) -> Extraction:
        """Return what the classifier keeps of the first blocks of the stretch that `mss` chooses.

        A text that goes on to the last of them, as a book does, goes on to the end of the stretch; a story with tens of
        thousands of comments does not.
        """
        warning = Notice(NoticeCode.TOO_MANY_BLOCKS, blocks=count)
        stretch = create_extractor("mss").extract(page).blocks
        if stretch:
            starts = page.outline.table.starts
            first = max(int(starts.searchsorted(stretch[0].start, "right")) - 1, 0)
            gone = np.ones(count, np.bool_)
            gone[first : first + MAX_BLOCKS] = False
            judged = self._of_blocks(page.without_blocks(gone))
            kept = starts.searchsorted([block.start for block in judged.blocks]).tolist()
            if kept and kept[-1] < first + _ENDS * MAX_BLOCKS:
                blocks = page.outline.blocks_at(kept)
                return Extraction(self.name, blocks, judged.estimate, {"articleBody": "mss"}, (warning,))
        return Extraction(self.name, stretch, None, {"articleBody": "mss"}, (warning,))

    def _of_blocks(self, page: Page) -> Extraction:
        model = load(self.weights)
        described, alone = model.read(page)
        layout = described.layout
        likelihoods = np.full(len(page.outline.table.texts), np.nan)
        likelihoods[layout.numbers] = alone
        probabilities, kept = self._choose(page, described, alone)
        if probabilities.max() < self.min_probability or not kept.any():
            densest = container(layout, layout.inside(prose(layout)[1]), _DENSEST_SHARE)
            region = page.outline.blocks_at(layout.numbers[layout.first[densest] : layout.last[densest]].tolist())
            estimate = float(probabilities.max()) * _OF_A_GUESS
            sources = {"articleBody": "densest_region"}
            return Extraction(self.name, region, estimate, sources, (Notice(NoticeCode.FROM_REGION),), likelihoods)
        estimate = float(model.confidence.probabilities(page_signs(described, probabilities, kept))[0])
        blocks = with_whole_tables(page.outline.blocks_at(layout.numbers[kept].tolist()))
        return Extraction(self.name, blocks, estimate, likelihoods=likelihoods)

    def _choose(self, page: Page, described: Described, alone: Floats) -> tuple[Floats, Mask]:
        """Return the probabilities, with the site's evidence added, and the blocks to keep.

        If the site's evidence would leave nothing, the page alone decides.
        """
        bars = BARS[self.prefer]
        if page.evidence:
            seen = described.layout.numbers
            weighed = with_evidence(alone, page.evidence.odds[seen], page.evidence.repeated[seen])
            kept = select(described, weighed, bars)
            if kept.any() and weighed.max() >= self.min_probability:
                return weighed, kept
        return alone, select(described, alone, bars)
