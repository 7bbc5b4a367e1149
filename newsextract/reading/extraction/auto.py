"""The default extractor: a trained block classifier, with fallbacks that are reported.

Each block gets a probability from its characters, its place, the elements around it and their names, then a second one
from its context; see `block_classifier` and docs/model-card.md. The idea is Pasternack & Roth's (WWW 2009): a local
classifier, then a global choice.

If the page's JSON-LD states much more of the text, that helps; then the data of its scripts. If no block
looks like an article's, the densest region is kept. `sources` and `warnings` report this.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from newsextract.page.page import Page
from newsextract.reading.embedded_article import search_data
from newsextract.reading.extraction.block_classifier.features import container, prose
from newsextract.reading.extraction.block_classifier.model import load
from newsextract.reading.extraction.block_classifier.selection import (
    BARS,
    is_advertisement,
    page_signs,
    select,
    with_whole_tables,
)
from newsextract.reading.extraction.block_classifier.units import other_units
from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.extraction.threads import read_thread
from newsextract.reading.metadata.comparing import as_markup
from newsextract.reading.metadata.declared import article_body
from newsextract.reading.notices import HYDRATION, Notice, NoticeCode, noticed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.page.blocks import Block
    from newsextract.reading.extraction.block_classifier.features import Described
    from newsextract.reading.extraction.block_classifier.selection import Floats, Mask


# Compare what a page shows of its article with a text that it holds elsewhere: in its JSON-LD, or for its scripts.

LITTLE_TEXT = 250
"""Letters: a page that shows fewer of its article may hold the rest elsewhere."""
MUCH_MORE = 1.5
"""How many times longer than what is shown a held text must be to matter."""
_HELD = 0.85
"""Share of what is shown that the held text must hold to be the same article's."""
_without_signs = re.compile(r"\W+").sub


def chars_of(blocks: Iterable[Block]) -> int:
    """Return the length of a text."""
    return sum(len(block.text) for block in blocks)


def letters(block: Block) -> str:
    """Return the letters and digits; spaces and quotation marks differ between a page and what it holds."""
    return _without_signs("", block.text).lower()


def is_of_same_article(shown: tuple[Block, ...], held: str) -> bool:
    """Return whether the letters of a held text have most of what is shown."""
    return chars_of(block for block in shown if letters(block) in held) >= _HELD * chars_of(shown)


# The body in the data that a page's scripts build it from, where the page shows none, or only how it begins.
#
# This is the step after JSON-LD, see `with_stated_body`, and before the feed, which a crawl asks where a page has no
# article.

BEGINNING = 1_200
"""Letters: so much of a text may be shown as its beginning. Where more is shown, scripts are not searched."""
_SURE = 0.7
"""The confidence from which what is shown counts as an article, and not as a teaser or what stands around one."""
_LEAST_DATA = 500
"""Characters of scripts and of their data; less holds no article."""


def with_hydrated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction, or the text in the data of the page's scripts, if the page shows little of it."""
    shown = chars_of(found.blocks)
    is_guess = next(noticed(NoticeCode.FROM_REGION, found.warnings), None) is not None
    if (shown >= BEGINNING and not is_guess) or not _has_data(page):
        return found
    article, is_cut = search_data(page)
    cut = (Notice(NoticeCode.DATA_CUT),) if is_cut else ()
    left = replace(found, warnings=(*found.warnings, *cut))
    if article is None or chars_of(article.blocks) <= MUCH_MORE * shown:
        return left
    is_doubtful = is_guess or shown < LITTLE_TEXT or found.confidence < _SURE
    if not is_doubtful and not is_of_same_article(found.blocks, "".join(map(letters, article.blocks))):
        return left
    warnings = (Notice(NoticeCode.FROM_HYDRATION, place=article.place), *cut)
    sources = {"articleBody": HYDRATION}
    return type(found)(found.extractor, article.blocks, sources=sources, warnings=warnings, held_in=article.node)


def _has_data(page: Page) -> bool:
    """Tell whether the page has a script or an attribute that is large enough to hold an article."""
    outline = page.outline
    scripts = (outline.elements[number] for number in outline.tagged("script"))
    texts = (script.text or "" for script in scripts if "ld+json" not in (script.get("type") or ""))
    if any(chars >= _LEAST_DATA for chars in accumulate(map(len, texts))):
        return True
    attributes = (text for el in outline.elements for text in el.attrib.values() if len(text) >= _LEAST_DATA)
    return any(text.lstrip()[:1] in ("{", "[") for text in attributes)


# The body that a page states in its JSON-LD, beside the one that it shows.
#
# It is taken where little is shown. Where more is shown, it tells what a classifier has missed of that: the text of a
# slide show, or of sections that look like teasers. What the page does not show is not believed then.

_MOST_SEARCHED = 20_000_000
"""Letters of the stated body times blocks that are looked for in it: some twentieths of a second."""
_LEAST_CHARS = 30
"""Shorter blocks may occur in a text by chance."""


def with_stated_body(page: Page, found: Extraction) -> Extraction:
    """Return the extraction with what the page's JSON-LD states and the extraction lacks."""
    shown = chars_of(found.blocks)
    if shown >= LITTLE_TEXT and not _states_body(page):
        return found
    markup = as_markup(article_body(page) or "")
    body = Page(markup, page.url).blocks if markup else ()
    if chars_of(body) <= MUCH_MORE * shown:
        return found
    if shown >= LITTLE_TEXT:
        return _completed(page, found, "".join(map(letters, body)))
    warning = Notice(NoticeCode.FROM_JSON_LD)
    return type(found)(found.extractor, body, None, {"articleBody": "json_ld"}, (warning,))


def _completed(page: Page, found: Extraction, held: str) -> Extraction:
    """Return the extraction with the page's other blocks of a stated text, if that is the text of the same article."""
    if len(held) * len(page.blocks) > _MOST_SEARCHED:
        return found
    known = "\n".join(map(letters, found.blocks))
    added = []
    for block in page.blocks:
        said = letters(block)
        if len(said) >= _LEAST_CHARS and said in held and said not in known:
            known += f"\n{said}"
            added.append(block)
    if not added or not is_of_same_article(found.blocks, held):
        return found
    blocks = tuple(sorted((*found.blocks, *added), key=lambda block: block.start))
    warning = Notice(NoticeCode.ADDED_FROM_JSON_LD, blocks=len(added))
    return replace(found, blocks=blocks, warnings=(*found.warnings, warning))


def _states_body(page: Page) -> bool:
    """Tell whether JSON-LD names a body; most pages have none, and their JSON-LD need not be read."""
    scripts = map(page.outline.elements.__getitem__, page.outline.tagged("script"))
    marked = (script for script in scripts if "ld+json" in script.get("type", "").lower())
    return any('"articleBody"' in (script.text or "") for script in marked)


_DENSEST_SHARE = 0.4
"""Share of the page's running text that the densest region holds."""

_OF_A_GUESS = 0.5
"""Factor on the likeliest block's probability that gives the confidence if no block was chosen."""
_LEAST_OWN = 100
"""Letters to be left where other stories or comments are left out: with fewer, they may be what the page is for."""
MAX_BLOCKS = 20_000
"""Article pages have some hundreds. Of a larger page so many are classified: more would fill the memory."""


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
            shown = self._of_blocks(page.without_blocks(np.arange(count) >= MAX_BLOCKS))
            warning = Notice(NoticeCode.TOO_MANY_BLOCKS, blocks=count, read=MAX_BLOCKS)
            return replace(shown, warnings=(*shown.warnings, warning))
        shown = self._of_blocks(page) if count else Extraction(self.name)
        return with_hydrated_body(page, with_stated_body(page, shown))

    def _of_blocks(self, page: Page) -> Extraction:
        model = load(self.weights)
        described, probabilities = model.read(page)
        layout = described.layout
        kept = select(described, probabilities, BARS[self.prefer])
        if thread := read_thread(page, layout.numbers[kept].tolist()):
            estimate = float(model.confidence.probabilities(page_signs(described, probabilities, kept))[0])
            blocks = page.outline.blocks_at(thread[0].nonzero()[0].tolist())
            return Extraction(self.name, blocks, estimate, posts=thread[1])
        probabilities, kept, warnings = self._without_others(page, described, probabilities, kept)
        if probabilities.max() < self.min_probability or not kept.any():
            densest = container(layout, layout.inside(prose(layout)[1]), _DENSEST_SHARE)
            region = page.outline.blocks_at(layout.numbers[layout.first[densest] : layout.last[densest]].tolist())
            estimate = float(probabilities.max()) * _OF_A_GUESS
            sources = {"articleBody": "densest_region"}
            return Extraction(self.name, region, estimate, sources, (Notice(NoticeCode.FROM_REGION),))
        estimate = float(model.confidence.probabilities(page_signs(described, probabilities, kept))[0])
        chosen = page.outline.blocks_at(layout.numbers[kept].tolist())
        # A cell of a table of data that begins with such a word is what the table is about.
        blocks = with_whole_tables(tuple(block for block in chosen if not is_advertisement(block)) or chosen)
        return Extraction(self.name, blocks, estimate, warnings=warnings)

    def _without_others(
        self, page: Page, described: Described, probabilities: Floats, kept: Mask
    ) -> tuple[Floats, Mask, tuple[Notice, ...]]:
        """Return the choice without other stories and comments, if it is another and leaves a text of its own."""
        is_other, count = other_units(page, described, kept)
        if count:
            weighed = np.where(is_other, 0.0, probabilities)
            left = select(described, weighed, BARS[self.prefer])
            if weighed.max() >= self.min_probability and described.layout.sizes[left].sum() >= _LEAST_OWN:
                return weighed, left, (Notice(NoticeCode.OTHER_UNITS, units=count),)
        return probabilities, kept, ()
