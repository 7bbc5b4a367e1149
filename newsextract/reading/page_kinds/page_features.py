"""The features of a page: what its kind is judged by, as one row of numbers.

No feature reads the words of the text, so that they hold in any language. Words are looked for in addresses, where the
press's languages are listed, and in the names of elements, which are English everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate, chain
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.page_kinds.declared_features import of_head, of_metadata, of_types
from newsextract.reading.page_kinds.markup_features import of_names, of_names_around, of_tags, tag_numbers
from newsextract.reading.page_kinds.page_text_features import of_flow, of_kept, of_page, of_place, read_texts
from newsextract.reading.page_kinds.url_features import of_address

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """What is known of one page, by family and name."""

    families: Mapping[str, Mapping[str, float]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(chain.from_iterable(self.families.values()))

    @property
    def row(self) -> NDArray[np.float32]:
        """The values, in order."""
        values = chain.from_iterable(family.values() for family in self.families.values())
        return np.array(list(values), np.float32)

    @property
    def places(self) -> dict[str, slice]:
        """Where each family stands in the row."""
        stops = list(accumulate(map(len, self.families.values())))
        return dict(zip(self.families, map(slice, [0, *stops], stops), strict=False))


def features_of(page: Page, extraction: Extraction, metadata: Metadata) -> PageFeatures:
    """Return the features of a page of which something was kept.

    Where it came without an address, the one that it calls its own stands in.
    """
    outline = page.outline
    tags = tag_numbers(outline)
    texts = read_texts(outline, tags)
    around = _around(extraction)
    families = {
        "address": of_address(page.url or metadata.canonicalUrl),
        "declared": {**of_types(metadata, around), **of_head(outline), **of_metadata(metadata)},
        "names": {**of_names(outline), **of_names_around(around)},
        "tags": of_tags(tags),
        "text": {**of_page(texts), **of_flow(texts), **of_kept(texts, extraction)},
        "place": of_place(texts, extraction.blocks),
    }
    return PageFeatures(families)


def _around(extraction: Extraction) -> list[HtmlElement]:
    """Return the elements around the longest block kept."""
    block = max(extraction.blocks, key=lambda block: len(block.text))
    return [block.outline.elements[number] for number in block.outline.lineage(block.owner)]
