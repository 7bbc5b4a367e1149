"""Features of a block in its context, from the first probabilities: the input of the second classifier.

A paragraph in a list of other stories looks like one of the article's. What is around it, and whether blocks with the
same markup are likely, tells them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.extraction.block_classifier import region_features as region
from newsextract.reading.extraction.block_classifier.block_layout import running
from newsextract.reading.extraction.block_classifier.block_selection import best_segment, log_odds
from newsextract.reading.extraction.block_classifier.place_features import all_beside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_features import Described
    from newsextract.reading.extraction.block_classifier.block_layout import Layout

    Columns = Mapping[str, NDArray[np.generic]]
    Floats = NDArray[np.float64]

KEPT = (
    "size", "link_share", "heading", "tag", "parent_tag", "ends_sentence", "same_text", "same_start", "names_near",
    "names_wide", "names_lowest", "names_highest", "names_against",
    "part_names_lowest", "part_names_against", "in_figure", "in_list", "in_table", "in_quote",
    "headline_blocks", "title_likeness", "article_number", "article_blocks", "article_share", "headings_before",
    "digit_share", "stops", "like_class_blocks", "share_1", "place",
)  # fmt: skip
"""Features of the first classifier that the second uses too."""

_STEPS = (-4, -3, -2, -1, 1, 2, 3, 4)
_BESIDE = tuple(f"first{step:+d}" for step in _STEPS)
_REACH = 6
_LEVELS = 6
_OF_ANCESTORS = tuple(f"{name}_{level}" for level in range(_LEVELS) for name in ("expected", "purity", "mean"))
_MAINS = {"main": 0.5, "most": 0.8}
_THRESHOLDS = {"wide": 0.5, "strict": 0.8}
_FAR = 30


def in_context(described: Described, first: Floats) -> NDArray[np.float32]:
    """Return N x features from the first probability of each of N blocks."""
    columns = np.array(list(context_columns(described, first).values()), np.float32)
    return np.concatenate((columns, described.columns(KEPT).T)).T


def context_columns(described: Described, first: Floats) -> Columns:
    """Return the features that follow from the probabilities."""
    layout = described.layout
    expected = layout.sizes * first
    highest = max(float(first.max()), 1e-3)
    count = len(first)
    total = max(float(expected.sum()), 1e-6)
    return {
        "first": first,
        "first_rank": first / highest,
        "highest": np.full(count, highest),
        "expected_size": np.full(count, np.log1p(total)),
        "likely_blocks": np.full(count, (first > 0.5).sum()),
        **dict(zip(_BESIDE, all_beside([first], _STEPS), strict=True)),
        **_windows(layout, expected, total),
        **_ancestors(layout, first, expected, total),
        **_alike(described, first, expected, total),
        **_segments(layout, first, highest, expected, total),
        **_containers(layout, expected),
    }


def _windows(layout: Layout, expected: Floats, total: float) -> Columns:
    """Return the expected share of content in the text around each block."""
    count = len(expected)
    blocks = np.arange(count)
    held, sizes = running(expected), running(layout.sizes)

    def purity(start: NDArray[np.intp], stop: NDArray[np.intp]) -> Floats:
        share: Floats = (held[stop] - held[start]) / np.maximum(sizes[stop] - sizes[start], 1)
        return share

    around = {
        f"first_window_{reach}": purity(np.maximum(blocks - reach, 0), np.minimum(blocks + reach + 1, count))
        for reach in region.WINDOWS
    }
    return around | {
        "first_behind": purity(np.maximum(blocks - _REACH, 0), blocks),
        "first_ahead": purity(blocks + 1, np.minimum(blocks + _REACH + 1, count)),
        "expected_after": (held[-1] - held[1:]) / total,
        "expected_before": held[:-1] / total,
    }


def _ancestors(layout: Layout, first: Floats, expected: Floats, total: float) -> Columns:
    held, sizes, likely = layout.inside(np.array((expected, layout.sizes, first)))
    table = np.array(
        (held / total, held / np.maximum(sizes, 1), likely / np.maximum(layout.last - layout.first, 1)),
    )
    values = table[:, layout.lineage[:_LEVELS]].swapaxes(0, 1).reshape(len(_OF_ANCESTORS), -1)
    return dict(zip(_OF_ANCESTORS, values, strict=True))


def _alike(described: Described, first: Floats, expected: Floats, total: float) -> Columns:
    columns: dict[str, NDArray[np.generic]] = {}
    for name, groups in zip(("tags", "class"), described.groups, strict=True):
        held = np.bincount(groups, expected)
        columns[f"like_{name}_purity"] = (held / np.bincount(groups, described.layout.sizes))[groups]
        columns[f"like_{name}_expected"] = (held / total)[groups]
        columns[f"like_{name}_mean"] = (np.bincount(groups, first) / np.bincount(groups))[groups]
    return columns


def _segments(layout: Layout, first: Floats, highest: float, expected: Floats, total: float) -> Columns:
    """Return each block's position relative to the stretch of the page with the largest sum of log-odds."""
    columns: dict[str, NDArray[np.generic]] = {}
    blocks = np.arange(len(first))
    odds = log_odds(first)
    for name, threshold in _THRESHOLDS.items():
        start, stop = best_segment((odds - log_odds(np.array(threshold * min(1.0, highest)))) * layout.sizes)
        away = np.where(blocks < start, blocks - start, np.where(blocks >= stop, blocks - stop + 1, 0))
        columns[f"segment_{name}"] = away.clip(-_FAR, _FAR)
        columns[f"segment_{name}_share"] = np.full(len(first), expected[start:stop].sum() / total)
    return columns


def _containers(layout: Layout, expected: Floats) -> Columns:
    columns: dict[str, NDArray[np.generic]] = {}
    for name, share in _MAINS.items():
        main = region.container(layout, expected, share)
        columns |= region.of_container(layout, main, f"expected_{name}")
        inside = slice(layout.first[main], layout.last[main])
        purity = expected[inside].sum() / max(layout.sizes[inside].sum(), 1)
        columns[f"purity_{name}"] = np.full(len(expected), purity)
    return columns
