"""Features of a block by itself: its characters, its tag, its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.reading.extraction.block_classifier.block_layout import TAGS, Features, with_logarithms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_layout import Layout
    from newsextract.reading.extraction.block_classifier.element_names import NameScores

_ENDS = np.zeros(kinds.OTHER + 1)
_ENDS[[kinds.STOP, kinds.COLON, kinds.ELLIPSIS]] = 1, 2, 3
_FIRST_HEADING = TAGS.index("h1") + 1
_AROUND = (
    "article", "main", "nav", "aside", "footer", "header", "form", "figure figcaption", "table", "ul ol dl",
    "blockquote", "section",
)  # fmt: skip
AROUND = ("article", "main", "nav", "aside", "footer", "header", "form", "figure", "table", "list", "quote", "section")

_HALF = 0.5
_BITS = 5
_MASK = (1 << _BITS) - 1
_SHIFTS = _BITS * np.arange(len(AROUND))[:, None]
"""One number counts all kinds of elements around a block: each kind, at most `LEVELS`, has bits of its own."""
_PACKED = np.zeros(len(TAGS) + 1, np.int64)
for _number, _tags in enumerate(_AROUND):
    for _tag in _tags.split():
        if _tag in TAGS:
            _PACKED[TAGS.index(_tag) + 1] = 1 << _BITS * _number

_OF_CHARACTERS = (
    "size", "link_share", "stop_share", "comma_share", "digit_share", "symbol_share", "other_share", "upper_share",
    "stops", "commas", "word_size", "first_kind", "ends_sentence", "runs",
)  # fmt: skip
_SHARES = [kinds.STOP, kinds.COMMA, kinds.DIGIT, kinds.SYMBOL, kinds.OTHER]
_COUNTS = [0, 8, 9, 13]
"""The rows whose logarithms are used."""
_OF_TAGS = ("tag", "parent_tag", "grandparent_tag", "depth", "heading", *(f"in_{kind}" for kind in AROUND))
_OF_NAMES = (
    "names_0", "names_1", "names_2", "names_near", "names_wide", "names_lowest", "names_highest", "names_against",
    "names_for", "part_names_lowest", "part_names_highest", "part_names_against", "name_lowest", "name_highest",
    "names_inline", "tag_score", "parent_tag_score",
)  # fmt: skip


def of_characters(layout: Layout) -> Features:
    """Return the mix of characters in the text of each block."""
    found, counts = layout.characters, layout.characters.counts.T
    values = np.empty((len(_OF_CHARACTERS), len(layout.sizes)))
    values[0] = layout.sizes
    values[1] = link_share(layout)
    values[2:7] = counts[_SHARES] / found.lengths
    values[7] = counts[kinds.UPPER] / np.maximum(counts[kinds.UPPER] + counts[kinds.LOWER], 1)
    values[8:10] = counts[[kinds.STOP, kinds.COMMA]]
    values[10] = (found.lengths - counts[kinds.SPACE]) / (counts[kinds.SPACE] + 1)
    values[11] = found.first
    values[12] = _ENDS[found.last]
    values[13] = layout.runs
    with_logarithms(values, _COUNTS)
    return Features(_OF_CHARACTERS, values)


def link_share(layout: Layout) -> NDArray[np.float64]:
    """Return the share of each block's text that lies inside links, from 0 to 1."""
    share: NDArray[np.float64] = layout.link_sizes / layout.sizes
    return share


def heading_levels(layout: Layout) -> NDArray[np.intp]:
    """Return 1 to 6 for a heading, 0 for another block."""
    levels = layout.kinds[layout.lineage[0]] - _FIRST_HEADING + 1
    return np.where((levels >= 1) & (levels <= 6), levels, 0)


def of_tags(layout: Layout) -> Features:
    """Return the tags of each block, its parent and grandparent, and how many of each kind are around it."""
    values = np.empty((len(_OF_TAGS), len(layout.sizes)))
    values[:3] = layout.kinds.take(layout.lineage[:3])
    # The levels above the root repeat the root, which is of none of these kinds: `body` and `html` are not listed.
    values[3] = (layout.lineage > 0).sum(0)
    values[4] = heading_levels(layout)
    values[5:] = _PACKED[layout.kinds].take(layout.lineage).sum(0) >> _SHIFTS & _MASK
    return Features(_OF_TAGS, values)


def of_names(layout: Layout, scores: NameScores, shares: NDArray[np.float64]) -> Features:
    """Return the scores of the names of the elements around each block: their sum, the highest and the lowest.

    Apart from that, what those say that hold less than half of the page's running text, `shares` of it: a page named
    `with-comments` tells nothing, a part of it named so does.
    """
    said = scores.table(layout.elements, layout.classes).T
    sums, highest, lowest = said.take(layout.lineage, 1)
    in_part = np.where(shares < _HALF, said[0], 0.0).take(layout.lineage)
    values = np.empty((len(_OF_NAMES), len(layout.sizes)))
    values[:3] = sums[:3]
    values[3] = sums[:2].sum(0)
    values[4] = sums[:5].sum(0)
    values[5] = sums.min(0)
    values[6] = sums.max(0)
    values[7] = np.minimum(sums, 0).sum(0)
    values[8] = np.maximum(sums, 0).sum(0)
    values[9] = in_part.min(0)
    values[10] = in_part.max(0)
    values[11] = np.minimum(in_part, 0).sum(0)
    values[12] = lowest.min(0)
    values[13] = highest.max(0)
    values[14] = 0.0
    if layout.inline:
        blocks, holders = zip(*layout.inline, strict=True)
        values[14, list(blocks)] = scores.classes([holder.get("class") for holder in holders])
    values[15:17] = scores.tags[layout.kinds.take(layout.lineage[:2])]
    return Features(_OF_NAMES, values)
