"""Features of a block by itself: its characters, its tag, its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.reading.extraction.block_classifier.block_layout import TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_layout import Layout
    from newsextract.reading.extraction.block_classifier.element_names import NameScores

    Columns = Mapping[str, NDArray[np.generic]]

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
_IN = tuple(f"in_{kind}" for kind in AROUND)
"""One number counts all kinds of elements around a block: each kind, at most `LEVELS`, has bits of its own."""
_PACKED = np.zeros(len(TAGS) + 1, np.int64)
for _number, _tags in enumerate(_AROUND):
    for _tag in _tags.split():
        if _tag in TAGS:
            _PACKED[TAGS.index(_tag) + 1] = 1 << _BITS * _number


def of_characters(layout: Layout) -> Columns:
    """Return the mix of characters in the text of each block."""
    found = layout.characters
    counts = found.counts
    cased = counts[:, kinds.UPPER] + counts[:, kinds.LOWER]
    return {
        "size": np.log1p(layout.sizes),
        "link_share": link_share(layout),
        "stop_share": found.share(kinds.STOP),
        "comma_share": found.share(kinds.COMMA),
        "digit_share": found.share(kinds.DIGIT),
        "symbol_share": found.share(kinds.SYMBOL),
        "other_share": found.share(kinds.OTHER),
        "upper_share": counts[:, kinds.UPPER] / np.maximum(cased, 1),
        "stops": np.log1p(counts[:, kinds.STOP]),
        "commas": np.log1p(counts[:, kinds.COMMA]),
        "word_size": (found.lengths - counts[:, kinds.SPACE]) / (counts[:, kinds.SPACE] + 1),
        "first_kind": found.first,
        "ends_sentence": _ENDS[found.last],
        "runs": np.log1p(layout.runs),
    }


def link_share(layout: Layout) -> NDArray[np.float64]:
    """Return the share of each block's text that lies inside links, from 0 to 1."""
    share: NDArray[np.float64] = layout.link_sizes / layout.sizes
    return share


def heading_levels(layout: Layout) -> NDArray[np.intp]:
    """Return 1 to 6 for a heading, 0 for another block."""
    levels = layout.kinds[layout.lineage[0]] - _FIRST_HEADING + 1
    return np.where((levels >= 1) & (levels <= 6), levels, 0)


def of_tags(layout: Layout) -> Columns:
    """Return the tags of each block, its parent and grandparent, and how many of each kind are around it."""
    packed = _PACKED[layout.kinds][layout.lineage].sum(0)
    # The levels above the root repeat the root, which is of none of these kinds: `body` and `html` are not listed.
    depths = (layout.lineage > 0).sum(0)
    own, parent, grandparent = layout.kinds[layout.lineage[:3]]
    columns = {"tag": own, "parent_tag": parent, "grandparent_tag": grandparent, "depth": depths}
    columns["heading"] = heading_levels(layout)
    return columns | dict(zip(_IN, packed >> _SHIFTS & _MASK, strict=True))


def of_names(layout: Layout, scores: NameScores, shares: NDArray[np.float64]) -> Columns:
    """Return the scores of the names of the elements around each block: their sum, the highest and the lowest.

    Apart from that, what those say that hold less than half of the page's running text, `shares` of it: a page named
    `with-comments` tells nothing, a part of it named so does.
    """
    said = scores.table(layout.elements, layout.classes)
    sums = said[:, 0][layout.lineage]
    in_part = np.where(shares < _HALF, said[:, 0], 0.0)[layout.lineage]
    tags = scores.tags[layout.kinds[layout.lineage[:2]]]
    inline = np.zeros(len(layout.sizes))
    if layout.inline:
        blocks, holders = zip(*layout.inline, strict=True)
        inline[list(blocks)] = scores.classes([holder.get("class") for holder in holders])
    return {
        "names_0": sums[0],
        "names_1": sums[1],
        "names_2": sums[2],
        "names_near": sums[:2].sum(0),
        "names_wide": sums[:5].sum(0),
        "names_lowest": sums.min(0),
        "names_highest": sums.max(0),
        "names_against": np.minimum(sums, 0).sum(0),
        "names_for": np.maximum(sums, 0).sum(0),
        "part_names_lowest": in_part.min(0),
        "part_names_highest": in_part.max(0),
        "part_names_against": np.minimum(in_part, 0).sum(0),
        "name_lowest": said[:, 2][layout.lineage].min(0),
        "name_highest": said[:, 1][layout.lineage].max(0),
        "names_inline": inline,
        "tag_score": tags[0],
        "parent_tag_score": tags[1],
    }
