"""Teaching the classifier to say how far it can be trusted, and checking what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.lab.training.boosting import CONFIDENCE, boost

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from newsextract.lab.training.fold_judging import Outcome
    from newsextract.reading.trained_models.boosted_trees import ObliviousTrees

BINS = 10
_FOLDS = 5
_SALT = "confidence"


@dataclass(frozen=True, slots=True)
class Bin:
    """A tenth of the pages, by confidence."""

    pages: int
    confidence: float
    f1: float


def fit_confidence(outcomes: Sequence[Outcome]) -> ObliviousTrees:
    """Return trees that estimate the F1 of pages from their signs, given outcomes of pages not trained on."""
    known = [outcome for outcome in outcomes if outcome.f1 is not None]
    rows = np.concatenate([outcome.signs for outcome in known])
    reached = np.array([outcome.f1 for outcome in known], np.float64)
    return boost(rows, reached, np.ones(len(known)), CONFIDENCE)


def reliability(outcomes: Sequence[Outcome], never_fitted: Container[str] = ()) -> list[Bin]:
    """Return the tenths of the pages by confidence, estimated for each by trees that have not seen its site.

    Pages of some corpora are judged, and never fitted to.
    """
    known = [outcome for outcome in outcomes if outcome.f1 is not None]
    estimates = np.zeros(len(known))
    folds = np.array([outcome.example.fold(_FOLDS, _SALT) for outcome in known])
    for fold in np.unique(folds).tolist():
        others = [outcome for outcome, place in zip(known, folds, strict=True) if place != fold]
        trees = fit_confidence([outcome for outcome in others if outcome.example.corpus not in never_fitted])
        own = (folds == fold).nonzero()[0]
        estimates[own] = trees.probabilities(np.concatenate([known[number].signs for number in own]))
    reached = np.array([outcome.f1 for outcome in known], np.float64)
    tenths = np.array_split(estimates.argsort(kind="stable"), BINS)
    return [Bin(len(tenth), float(estimates[tenth].mean()), float(reached[tenth].mean())) for tenth in tenths]


def error(bins: Sequence[Bin]) -> float:
    """Return the mean distance between confidence and F1 over the bins (the expected calibration error)."""
    return sum(bin_.pages * abs(bin_.confidence - bin_.f1) for bin_ in bins) / sum(bin_.pages for bin_ in bins)
