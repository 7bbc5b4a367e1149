"""The trained block classifier: gives each block of a page the probability that it belongs to the article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier import features as region
from newsextract.reading.extraction.block_classifier.features import all_beside, describe
from newsextract.reading.extraction.block_classifier.layout import Features, running
from newsextract.reading.extraction.block_classifier.names import NameScores
from newsextract.reading.extraction.block_classifier.selection import SIGNS, best_segment, log_odds
from newsextract.reading.trained_models.boosted_trees import BadWeights, WeightFile, inputs_in, trees_in, write_weights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.features import Described
    from newsextract.reading.extraction.block_classifier.layout import Layout
    from newsextract.reading.trained_models.boosted_trees import Arrays, ObliviousTrees

    Floats = NDArray[np.float64]


# Features of a block in its context, from the first probabilities: the input of the second classifier.
#
# A paragraph in a list of other stories looks like one of the article's. What is around it, and whether blocks with the
# same markup are likely, tells them apart.

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
_REACHES = (*((reach, reach + 1) for reach in region.WINDOWS), (_REACH, 0), (-1, _REACH + 1))
"""Blocks before each one, and from there on to the end of a window."""
_LEVELS = 6
_OF_ANCESTORS = tuple(f"{name}_{level}" for level in range(_LEVELS) for name in ("expected", "purity", "mean"))
_MAINS = (("main", 0.5), ("most", 0.8))
_THRESHOLDS = (("wide", 0.5), ("strict", 0.8))
_OF_PAGE = ("first", "first_rank", "highest", "expected_size", "likely_blocks")
_WINDOWS = (
    *(f"first_window_{reach}" for reach in region.WINDOWS), "first_behind", "first_ahead", "expected_after",
    "expected_before",
)  # fmt: skip
_ALIKE = tuple(f"like_{name}_{value}" for name in ("tags", "class") for value in ("purity", "expected", "mean"))
_SEGMENTS = tuple(f"segment_{name}" for threshold, _ in _THRESHOLDS for name in (threshold, f"{threshold}_share"))
_FAR = 30


def in_context(described: Described, first: Floats) -> NDArray[np.float32]:
    """Return N x features from the first probability of each of N blocks."""
    columns = [part.values for part in context_features(described, first)]
    return np.concatenate((*columns, described.columns(KEPT).T), dtype=np.float32, casting="same_kind").T


def context_names(described: Described) -> tuple[str, ...]:
    """Return the names of the features that follow from the probabilities, in order."""
    parts = context_features(described, np.zeros(len(described.features)))
    return tuple(name for part in parts for name in part.names)


def context_features(described: Described, first: Floats) -> list[Features]:
    """Return the features that follow from the probabilities."""
    layout = described.layout
    expected = layout.sizes * first
    highest = max(float(first.max()), 1e-3)
    total = max(float(expected.sum()), 1e-6)
    of_page = np.empty((len(_OF_PAGE), len(first)))
    of_page[0] = first
    of_page[1] = first / highest
    of_page[2] = highest
    of_page[3] = np.log1p(total)
    of_page[4] = np.count_nonzero(first > 0.5)
    return [
        Features(_OF_PAGE, of_page),
        Features(_BESIDE, all_beside(first[None], _STEPS)),
        _windows(layout, expected, total),
        _ancestors(layout, first, expected, total),
        _alike(described, first, expected, total),
        _segments(layout, first, highest, expected, total),
        *_containers(layout, expected),
    ]


def _windows(layout: Layout, expected: Floats, total: float) -> Features:
    """Return the expected share of content in the text around each block."""
    count = len(expected)
    held, sizes = running(np.array((expected, layout.sizes)))
    values = np.empty((len(_WINDOWS), count))
    before, after = np.array(_REACHES).T[..., None]
    starts, stops = np.maximum(np.arange(count) - before, 0), np.minimum(np.arange(count) + after, count)
    values[: len(_REACHES)] = (held[stops] - held[starts]) / np.maximum(sizes[stops] - sizes[starts], 1)
    values[5] = (held[-1] - held[1:]) / total
    values[6] = held[:-1] / total
    return Features(_WINDOWS, values)


def _ancestors(layout: Layout, first: Floats, expected: Floats, total: float) -> Features:
    held, sizes, likely = layout.inside(np.array((expected, layout.sizes, first)))
    table = np.array(
        (held / total, held / np.maximum(sizes, 1), likely / np.maximum(layout.last - layout.first, 1)),
    )
    values = table.take(layout.lineage[:_LEVELS], 1).swapaxes(0, 1).reshape(len(_OF_ANCESTORS), -1)
    return Features(_OF_ANCESTORS, values)


def _alike(described: Described, first: Floats, expected: Floats, total: float) -> Features:
    values = np.empty((len(_ALIKE), len(first)))
    for row, groups in zip((0, 3), described.groups, strict=True):
        held = np.bincount(groups, expected)
        table = held / np.bincount(groups, described.layout.sizes), held / total, np.bincount(groups, first)
        values[row : row + 3] = np.array((*table[:2], table[2] / np.bincount(groups))).take(groups, 1)
    return Features(_ALIKE, values)


def _segments(layout: Layout, first: Floats, highest: float, expected: Floats, total: float) -> Features:
    """Return each block's position relative to the stretch of the page with the largest sum of log-odds."""
    values = np.empty((len(_SEGMENTS), len(first)))
    blocks = np.arange(len(first))
    bars = [threshold * min(1.0, highest) for _, threshold in _THRESHOLDS]
    odds = log_odds(np.concatenate((first, bars)))
    for row, bar in zip((0, 2), odds[len(first) :].tolist(), strict=True):
        start, stop = best_segment((odds[: len(first)] - bar) * layout.sizes)
        away = np.minimum(blocks - start, 0) + np.maximum(blocks - stop + 1, 0)
        values[row] = np.minimum(np.maximum(away, -_FAR), _FAR)
        values[row + 1] = expected[start:stop].sum() / total
    return Features(_SEGMENTS, values)


def _containers(layout: Layout, expected: Floats) -> list[Features]:
    found, held = [], layout.inside(expected)
    for name, share in _MAINS:
        main = region.container(layout, held, share)
        inside = slice(layout.first[main], layout.last[main])
        purity = expected[inside].sum() / max(layout.sizes[inside].sum(), 1)
        found.append(region.of_container(layout, main, f"expected_{name}"))
        found.append(Features((f"purity_{name}",), np.full((1, len(expected)), purity)))
    return found


_STAGES = ("first", "second", "confidence")


@dataclass(frozen=True)
class BlockClassifier:
    """Three ensembles of trees: one on single blocks, one on blocks in their context, and one on the outcome."""

    names: NameScores
    first: ObliviousTrees
    second: ObliviousTrees
    confidence: ObliviousTrees
    inputs: tuple[str, ...]
    """The names of all features that the three were trained on, see `inputs_of`."""

    def read(self, page: Page) -> tuple[Described, Floats]:
        """Return the blocks of a page with their features and probabilities; the page must have a block."""
        described = describe(page, self.names)
        return described, self.judge(described)

    def judge(self, described: Described) -> Floats:
        """Return the probability of each block."""
        first = self.first.probabilities(described.features)
        return self.second.probabilities(in_context(described, first))


def inputs_of(described: Described) -> tuple[str, ...]:
    """Return the names of all features that the trees are given, in order."""
    return (*described.names, *context_names(described), *KEPT, *SIGNS)


def save(model: BlockClassifier, path: Path) -> None:
    """Write the weights; equal weights give equal bytes."""
    terms = sorted(model.names.scores)
    arrays: dict[str, NDArray[np.generic]] = {
        "terms": np.frombuffer("\n".join(terms).encode(), np.uint8),
        "scores": np.array([model.names.scores[term] for term in terms], np.float32),
    }
    write_weights(path, arrays, model.inputs, {stage: getattr(model, stage) for stage in _STAGES})


def _built(arrays: Arrays) -> BlockClassifier:
    terms = arrays["terms"].tobytes().decode().splitlines()
    names = NameScores(dict(zip(terms, arrays["scores"].tolist(), strict=True)))
    inputs = inputs_in(arrays)
    stages = {stage: trees_in(arrays, stage) for stage in _STAGES}
    if inputs != inputs_of(describe(Page("<p>Any</p>"), NameScores({}))):
        raise BadWeights("they were made for other features than this version's: train again with `make model`")
    return BlockClassifier(names, inputs=inputs, **stages)


WEIGHTS = WeightFile("block_weights.npz", "the block classifier", _built)
load = WEIGHTS.load
