"""Fit the page classifier: the weights of pages, the variants of each page, and the calibration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.kind_features import UNKNOWN, PageFeatures, of_address
from newsextract.reading.kinds import PageClassifier
from training.boosting import Recipe, boost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from newsextract.reading.trained_models.boosted_trees import ObliviousTrees
    from training.page_examples import PageExample

    Rows = NDArray[np.float32]
    Floats = NDArray[np.float64]

WEIGHTS = {
    "wcxb": 1.0, "magic_forum": 1.0, "newspaper4k": 0.5, "magic": 0.5, "dragnet": 0.3, "daniel": 0.15, "xmu": 0.15,
}  # fmt: skip
"""Weights of a page: old pages that are all articles show what articles look like in other languages and years, and
must not outweigh the pages that show the difference."""
WITHOUT_ADDRESS, BARE = 0.3, 0.2
"""Weights of a page's variants: without its URL, and without its URL and all that it declares and names. So neither a
missing URL nor the plain markup of old pages speaks for an article."""
_DECLARED = ("declared", "names")

ARTICLE = Recipe(500, depth=4, learning_rate=0.06)
LISTING = Recipe(150, depth=4, learning_rate=0.06)

_ROUNDS = 50
_RIDGE, _STEEP, _STEP = 1e-2, 30.0, 0.5


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows to train on, with their labels and weights."""

    rows: Rows
    labels: Floats
    weights: Floats

    def boost(self, recipe: Recipe) -> ObliviousTrees:
        """Return the trees that predict the labels."""
        return boost(self.rows, self.labels, self.weights, recipe)


def fit(examples: Sequence[PageExample]) -> PageClassifier:
    """Return the classifier fitted to these examples, not calibrated."""
    used = [example for example in examples if example.is_trained_on]
    others = [example for example in used if not example.is_article]
    features = [example.features for example in used if example.features]
    rows = np.array([each.row for each in features])
    is_article = np.array([example.is_article for example in used])
    typical = np.array([np.median(rows[is_article == side], axis=0) for side in (False, True)], np.float32)
    article = sample(used, "article").boost(ARTICLE)
    return PageClassifier(article, sample(others, "listing").boost(LISTING), typical, features[0].names)


def sample(examples: Sequence[PageExample], kind: str) -> Sample:
    """Return the pages as they are, without URLs, and bare; the label tells whether they are of the kind."""
    known = [(example, example.features) for example in examples if example.features]
    rows = np.array([features.row for _, features in known])
    labels = np.array([float(example.kind == kind) for example, _ in known])
    weights = np.array([WEIGHTS[example.corpus] for example, _ in known])
    hidden = rows.copy()
    hidden[:, known[0][1].places["address"]] = UNKNOWN
    plain = hidden.copy()
    for family in _DECLARED:
        plain[:, known[0][1].places[family]] = 0
    shares = (1.0, WITHOUT_ADDRESS, BARE)
    return Sample(
        np.concatenate((rows, hidden, plain)), np.tile(labels, 3), np.concatenate([weights * share for share in shares])
    )


def without_address(features: PageFeatures) -> PageFeatures:
    """Return the features that the page would have without a URL."""
    return PageFeatures({**features.families, "address": of_address(None)})


def platt(scores: Floats, labels: Floats) -> tuple[float, float]:
    """Return the slope and offset that turn scores into log-odds (Platt, 1999), by Newton's method.

    >>> slope, offset = platt(np.array([-2.0, -1, 1, 2, -1, 1]), np.array([0.0, 0, 1, 1, 1, 0]))
    >>> slope > 0, abs(offset) < 1e-6
    (True, True)
    """
    # Platt's targets: with 0 and 1, perfectly separated scores would need an infinite slope.
    right = labels.sum()
    targets = np.where(labels > 0, (right + 1) / (right + 2), 1 / (len(labels) - right + 2))
    design = np.stack((scores, np.ones(len(scores))), axis=1)
    found = np.array([1.0, 0.0])
    for _ in range(_ROUNDS):
        chances = 1 / (1 + np.exp(-(design @ found).clip(-_STEEP, _STEEP)))
        slopes = design.T @ (chances - targets) + _RIDGE * found
        curvature = (design * (chances * (1 - chances))[:, None]).T @ design + _RIDGE * np.eye(2)
        # Steps are kept short: with nearly separated scores, full steps overshoot.
        found = found - np.linalg.solve(curvature, slopes).clip(-_STEP, _STEP)
    return float(found[0]), float(found[1])


def scaled(trees: ObliviousTrees, slope: float, offset: float) -> ObliviousTrees:
    """Return trees with calibrated scores."""
    return replace(trees, leaves=trees.leaves * np.float32(slope), bias=trees.bias * slope + offset)
