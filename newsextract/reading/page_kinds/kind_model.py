"""The trained classifier of pages: from features to the probabilities of article, listing and anything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.trained_models.boosted_trees import BadWeights, WeightFile, inputs_in, trees_in, write_weights

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.trained_models.boosted_trees import Arrays, ObliviousTrees

    Floats = NDArray[np.float64]
    Rows = NDArray[np.float32]

_STAGES = ("article", "listing")


@dataclass(frozen=True)
class PageClassifier:
    """Two ensembles of trees: one tells articles from the rest, one listings from the rest of the rest."""

    article: ObliviousTrees
    listing: ObliviousTrees
    typical: Rows
    """2 x features: the medians of pages that are no articles, and of articles; what reasons are measured against."""
    inputs: tuple[str, ...]
    """The names of the features that it was trained on."""

    def chances(self, rows: Rows) -> Floats:
        """Return the probabilities of article, listing and other for each row; they add up to 1."""
        article, listing = self.article.probabilities(rows), self.listing.probabilities(rows)
        return np.array([article, (1 - article) * listing, (1 - article) * (1 - listing)]).T


def save(model: PageClassifier, path: Path) -> None:
    """Write the weights, the same bytes for the same weights."""
    write_weights(path, {"typical": model.typical}, model.inputs, {stage: getattr(model, stage) for stage in _STAGES})


def _built(arrays: Arrays) -> PageClassifier:
    inputs, typical = inputs_in(arrays), arrays["typical"].astype(np.float32)
    stages = {stage: trees_in(arrays, stage) for stage in _STAGES}
    if typical.shape != (2, len(inputs)):
        raise BadWeights("typical pages and features do not fit: train again with `make kinds`")
    return PageClassifier(typical=typical, inputs=inputs, **stages)


WEIGHTS = WeightFile("page_weights.npz", "the classifier of pages", _built)
load = WEIGHTS.load


def require_fit(model: PageClassifier, names: tuple[str, ...]) -> None:
    """Raise `BadWeights` unless the classifier was trained on these features."""
    if model.inputs != names:
        raise BadWeights("they were made for other features than this version's: train again with `make kinds`")
