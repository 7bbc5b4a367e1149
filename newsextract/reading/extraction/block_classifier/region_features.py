"""Features of a block's region: the elements around it, the page's main container, blocks with the same markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.page import characters as kinds
from newsextract.reading.extraction.block_classifier.block_layout import TAGS, Features, running, with_logarithms
from newsextract.reading.extraction.block_classifier.text_features import link_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.outline import Integers
    from newsextract.reading.extraction.block_classifier.block_layout import Layout

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
_OF_ALIKE = ("blocks", "share", "mean_size", "link_share")
_SHARES = tuple(f"share_{level}" for level in range(7))
_NEAR = tuple(f"{name}_{level}" for level in range(1, _NEAR_LEVELS + 1) for name in _OF_ANCESTORS)
WINDOWS = (2, 5, 10)
_OF_SURROUNDINGS = (
    *(f"{name}_{reach}" for reach in WINDOWS for name in ("window", "window_link_share")),
    "ahead", "behind", "share_after", "share_before", "weight_rank",
)  # fmt: skip
_SUMS = [0, 2, 4, 6, 7]
"""The rows whose logarithms are used."""
_AHEAD, _BEHIND = 9, 8


def prose(layout: Layout) -> tuple[NDArray[np.bool_], Floats]:
    """Return which blocks look like running text, and the weight of each: its size outside links."""
    counts = layout.characters.counts
    looks = (counts[:, kinds.STOP] + counts[:, kinds.COMMA] > 0) & (layout.sizes > _SENTENCE)
    return looks, layout.sizes * (1 - link_share(layout)) * np.where(looks, 1, _DOUBT)


def of_ancestors(layout: Layout, looks: NDArray[np.bool_], shares: Floats) -> Features:
    """Return the share of the page's running text in each element around a block, and what the nearer ones hold."""
    page_counts = np.maximum(layout.page_counts, 1)
    signs = np.array((layout.kinds[layout.lineage[0]] == _PARAGRAPH, layout.sizes > _LONG, looks), np.float64)
    paragraphs, long, running_text = layout.inside(signs)
    table = np.empty((len(_OF_ANCESTORS) - 1, len(page_counts)))
    table[0] = page_counts
    table[1] = layout.page_links / np.maximum(layout.page_sizes, 1)
    table[2] = layout.page_sizes / page_counts
    table[3] = paragraphs / page_counts
    table[4] = long
    table[5] = running_text / page_counts
    with_logarithms(table, [0, 2, 4])
    near = layout.lineage[1 : _NEAR_LEVELS + 1]
    values = np.empty((len(_SHARES) + len(_NEAR), near.shape[1]))
    values[: len(_SHARES)] = shares.take(layout.lineage[: len(_SHARES)])
    nearer = values[len(_SHARES) :].reshape(_NEAR_LEVELS, len(_OF_ANCESTORS), -1)
    nearer[:, :-1] = table.take(near, 1).swapaxes(0, 1)
    count = np.maximum(layout.last - layout.first, 1)
    nearer[:, -1] = (np.arange(near.shape[1]) - layout.first.take(near)) / count.take(near)
    return Features(_SHARES + _NEAR, values)


def container(layout: Layout, held: Floats, share: float) -> int:
    """Return the innermost element that holds this share of the page, by the heaviest child; else the root."""
    enough = ((held >= share * held[0]) & (held > 0)).nonzero()[0]
    if not len(enough):
        return 0
    # For a share below a half, two elements can qualify side by side: take the heavier.
    followers = np.append(enough[1:], len(held))
    innermost = enough[followers >= layout.stops[enough]]
    return int(innermost[held[innermost].argmax()])


def of_container(layout: Layout, main: int, name: str) -> Features:
    """Return the path of each block to a container, up to their common ancestor and down, and the side it is on."""
    lineage = layout.lineage
    names = (f"up_{name}", f"down_{name}", f"side_{name}")
    values = np.empty((3, lineage.shape[1]))
    values[0] = up = ((lineage <= main) & (main < layout.stops.take(lineage))).argmax(0)
    meeting = lineage[up, np.arange(lineage.shape[1])]
    depths = np.zeros(len(layout.tags))
    element, depth = main, 0
    while element > 0:
        depths[element] = depth
        element, depth = int(layout.parents[element]), depth + 1
    depths[0] = depth
    values[1] = depths[meeting]
    values[2] = (lineage[0] >= layout.stops[main]) * 1.0 - (lineage[0] < main)
    return Features(names, values)


def alike(layout: Layout) -> tuple[Integers, Integers]:
    """Return groups of blocks with the same markup: by all tags around, and by the nearer tags with their classes."""
    known: dict[str | None, int] = {}
    classes = [known.setdefault(name, len(known)) for name in layout.classes]
    numbers = layout.kinds.astype(np.uint64) + np.uint64(1)
    with np.errstate(over="ignore"):
        powers = np.cumprod(np.full(len(layout.lineage), _ODD))[:, None]
        by_tags = (numbers[layout.lineage] * powers * (layout.lineage > 0)).sum(0)
        named = (numbers * np.uint64(65_537) + np.array(classes, np.uint64))[layout.lineage[:_NEAR_LEVELS]]
        by_names = (named * powers[:_NEAR_LEVELS]).sum(0)
    return _numbered(by_tags), _numbered(by_names)


def _numbered(signatures: NDArray[np.uint64]) -> Integers:
    """Return a number from 0 on for each signature, the same for equal ones."""
    known: dict[int, int] = {}
    return np.array([known.setdefault(signature, len(known)) for signature in signatures.tolist()], np.intp)


def of_alike(layout: Layout, weights: Floats, groups: Integers, name: str) -> Features:
    """Return how many blocks have the same markup as each, and what they hold together."""
    counts, sizes = np.bincount(groups), np.bincount(groups, layout.sizes)
    table = np.empty((len(_OF_ALIKE), len(counts)))
    table[0] = counts
    table[1] = np.bincount(groups, weights) / max(weights.sum(), 1e-6)
    table[2] = sizes / counts
    table[3] = np.bincount(groups, layout.link_sizes) / sizes
    with_logarithms(table, [0, 2])
    return Features(tuple(f"{name}_{key}" for key in _OF_ALIKE), table.take(groups, 1))


def of_surroundings(layout: Layout, weights: Floats) -> Features:
    """Return the amount of running text before and after each block, regardless of elements."""
    count = len(weights)
    blocks = np.arange(count)
    held, sizes, links = running(np.array((weights, layout.sizes, layout.link_sizes)))
    values = np.empty((len(_OF_SURROUNDINGS), count))
    for row, reach in enumerate(WINDOWS):
        start, stop = np.maximum(blocks - reach, 0), np.minimum(blocks + reach + 1, count)
        values[2 * row] = (held[stop] - held[start]) / (stop - start)
        values[2 * row + 1] = (links[stop] - links[start]) / (sizes[stop] - sizes[start])
    total = max(held[-1], 1e-6)
    values[6] = held[np.minimum(blocks + _AHEAD, count)] - held[1:]
    values[7] = held[:-1] - held[np.maximum(blocks - _BEHIND, 0)]
    values[8] = (held[-1] - held[1:]) / total
    values[9] = held[:-1] / total
    values[10] = weights / max(weights.max(), 1e-6)
    with_logarithms(values, _SUMS)
    return Features(_OF_SURROUNDINGS, values)
