"""Features of a block's region: the elements around it, the page's main container, blocks with the same markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.reading.extraction.block_classifier.block_layout import TAGS, running
from newsextract.reading.extraction.block_classifier.text_features import link_share

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from newsextract.page.nesting import Integers
    from newsextract.reading.extraction.block_classifier.block_layout import Layout

    Columns = Mapping[str, NDArray[np.generic]]
    Floats = NDArray[np.float64]

_PARAGRAPH = TAGS.index("p") + 1
_SENTENCE = 40
"""Letters from which on a block with a comma or a full stop is taken for running text."""
_LONG = 80
_DOUBT = 0.1
"""The weight of text that does not look like running text."""
_ODD = np.uint64(1_000_003)
_NEAR_LEVELS = 4
_OF_ANCESTORS = ("blocks", "link_share", "mean_size", "paragraphs", "long", "prose", "place")
_SHARES = tuple(f"share_{level}" for level in range(7))
_NEAR = tuple(f"{name}_{level}" for level in range(1, _NEAR_LEVELS + 1) for name in _OF_ANCESTORS)
WINDOWS = (2, 5, 10)


def prose(layout: Layout) -> tuple[NDArray[np.bool_], Floats]:
    """Return which blocks look like running text, and the weight of each: its size outside links."""
    counts = layout.characters.counts
    looks = (counts[:, kinds.STOP] + counts[:, kinds.COMMA] > 0) & (layout.sizes > _SENTENCE)
    return looks, layout.sizes * (1 - link_share(layout)) * np.where(looks, 1, _DOUBT)


def shares_of(layout: Layout, weights: Floats) -> Floats:
    """Return the share of the page's running text in each element, from 0 to 1."""
    shares: Floats = layout.inside(weights) / max(weights.sum(), 1e-6)
    return shares


def of_ancestors(layout: Layout, looks: NDArray[np.bool_], shares: Floats) -> Columns:
    """Return the share of the page's running text in each element around a block, and what the nearer ones hold."""
    count = np.maximum(layout.last - layout.first, 1)
    page_counts = np.maximum(layout.page_counts, 1)
    signs = np.array((layout.kinds[layout.lineage[0]] == _PARAGRAPH, layout.sizes > _LONG, looks), np.float64)
    paragraphs, long, running_text = layout.inside(signs)
    table = np.array(
        (
            np.log1p(page_counts),
            layout.page_links / np.maximum(layout.page_sizes, 1),
            np.log1p(layout.page_sizes / page_counts),
            paragraphs / page_counts,
            np.log1p(long),
            running_text / page_counts,
        )
    )
    near = layout.lineage[1 : _NEAR_LEVELS + 1]
    values = np.empty((_NEAR_LEVELS, len(_OF_ANCESTORS), near.shape[1]))
    values[:, :-1] = table[:, near].swapaxes(0, 1)
    values[:, -1] = (np.arange(near.shape[1]) - layout.first[near]) / count[near]
    return {
        **dict(zip(_SHARES, shares[layout.lineage[: len(_SHARES)]], strict=True)),
        **dict(zip(_NEAR, values.reshape(len(_NEAR), -1), strict=True)),
    }


def container(layout: Layout, weights: Floats, share: float) -> int:
    """Return the innermost element that holds this share of the weights, by the heaviest child; else the root."""
    held = layout.inside(weights)
    enough = ((held >= share * held[0]) & (held > 0)).nonzero()[0]
    if not len(enough):
        return 0
    # For a share below a half, two elements can qualify side by side: take the heavier.
    followers = np.append(enough[1:], len(held))
    innermost = enough[followers >= layout.stops[enough]]
    return int(innermost[held[innermost].argmax()])


def of_container(layout: Layout, main: int, name: str) -> Columns:
    """Return the path of each block to a container, up to their common ancestor and down, and the side it is on."""
    lineage = layout.lineage
    up = np.argmax((lineage <= main) & (main < layout.stops[lineage]), 0)
    meeting = lineage[up, np.arange(lineage.shape[1])]
    depths = np.zeros(len(layout.tags))
    element, depth = main, 0
    while element > 0:
        depths[element] = depth
        element, depth = int(layout.parents[element]), depth + 1
    depths[0] = depth
    side = np.where(lineage[0] < main, -1, np.where(lineage[0] >= layout.stops[main], 1, 0))
    return {f"up_{name}": up, f"down_{name}": depths[meeting], f"side_{name}": side}


def alike(layout: Layout) -> tuple[Integers, Integers]:
    """Return groups of blocks with the same markup: by all tags around, and by the nearer tags with their classes."""
    numbers = layout.kinds.astype(np.uint64) + np.uint64(1)
    known: dict[str | None, int] = {}
    classes = [known.setdefault(name, len(known)) for name in layout.classes]
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(len(layout.lineage), _ODD))[:, None]
        by_tags = (numbers[layout.lineage] * powers * (layout.lineage > 0)).sum(0)
        named = (numbers * np.uint64(65_537) + np.array(classes, np.uint64))[layout.lineage[:_NEAR_LEVELS]]
        by_names = (named * powers[:_NEAR_LEVELS]).sum(0)
    return np.unique(by_tags, return_inverse=True)[1], np.unique(by_names, return_inverse=True)[1]


def of_alike(layout: Layout, weights: Floats, groups: Integers, name: str) -> Columns:
    """Return how many blocks have the same markup as each, and what they hold together."""
    counts = np.bincount(groups)
    sizes = np.bincount(groups, layout.sizes)
    table = {
        "blocks": np.log1p(counts),
        "share": np.bincount(groups, weights) / max(weights.sum(), 1e-6),
        "mean_size": np.log1p(sizes / counts),
        "link_share": np.bincount(groups, layout.link_sizes) / sizes,
    }
    return {f"{name}_{key}": values[groups] for key, values in table.items()}


def of_surroundings(layout: Layout, weights: Floats) -> Columns:
    """Return the amount of running text before and after each block, regardless of elements."""
    count = len(weights)
    blocks = np.arange(count)
    held, sizes, links = running(weights), running(layout.sizes), running(layout.link_sizes)
    columns: dict[str, NDArray[np.generic]] = {}
    for reach in WINDOWS:
        start, stop = np.maximum(blocks - reach, 0), np.minimum(blocks + reach + 1, count)
        columns[f"window_{reach}"] = np.log1p((held[stop] - held[start]) / (stop - start))
        columns[f"window_link_share_{reach}"] = (links[stop] - links[start]) / (sizes[stop] - sizes[start])
    total = max(held[-1], 1e-6)
    return columns | {
        "ahead": np.log1p(held[np.minimum(blocks + 9, count)] - held[1:]),
        "behind": np.log1p(held[:-1] - held[np.maximum(blocks - 8, 0)]),
        "share_after": (held[-1] - held[1:]) / total,
        "share_before": held[:-1] / total,
        "weight_rank": weights / max(weights.max(), 1e-6),
    }
