"""The trained block classifier: gives each block of a page the probability that it belongs to the article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.page import Page
from newsextract.reading.extraction.block_classifier.block_features import describe
from newsextract.reading.extraction.block_classifier.block_selection import SIGNS
from newsextract.reading.extraction.block_classifier.context_features import KEPT, context_names, in_context
from newsextract.reading.extraction.block_classifier.element_names import NameScores
from newsextract.reading.trained_models.boosted_trees import BadWeights, WeightFile, inputs_in, trees_in, write_weights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_features import Described
    from newsextract.reading.trained_models.boosted_trees import Arrays, ObliviousTrees

    Floats = NDArray[np.float64]

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
