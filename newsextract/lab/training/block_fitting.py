"""Fitting both classifiers of blocks to labelled pages.

The second one learns from what the first says of pages it has not seen: the sites are split into `FOLDS`, and a first
classifier trained without a fold speaks on it. Scores of names are learned the same way. What is returned was trained
on all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from newsextract.lab.training.boosting import FIRST, SECOND, boost, constant
from newsextract.lab.training.name_scores import learn_names
from newsextract.reading.extraction.block_classifier.block_model import BlockClassifier, inputs_of
from newsextract.reading.extraction.block_classifier.context_features import in_context

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from newsextract.lab.training.block_examples import Example
    from newsextract.lab.training.name_scores import Shares
    from newsextract.reading.extraction.block_classifier.block_features import Described

    Floats = NDArray[np.float64]

FOLDS = 3
_SALT = "inner"

UNTRAINED = constant(0.5)
"""Trees that say 0.5 of everything, until the real ones are there."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """What is fitted to what: the examples' shares of names, and the features to do without, for ablations."""

    shares: Mapping[int, Shares]
    blind: tuple[str, ...] = ()
    """Families of features that are not seen."""
    has_context: bool = True
    """Whether there is a second classifier; else the first one's word is final."""

    def fit(self, examples: Sequence[Example]) -> BlockClassifier:
        """Return the classifier that these examples make."""
        samples = [example.sample() for example in examples]
        held_out = [example.fold(FOLDS, _SALT) for example in examples]
        described: list[Described] = [example.described for example in examples]
        for fold in range(FOLDS):
            others = [example for example, place in zip(examples, held_out, strict=True) if place != fold]
            scores = learn_names(others, self.shares)
            for number in (number for number, place in enumerate(held_out) if place == fold):
                described[number] = self.seen(examples[number].described.named(scores))
        labels = _stack(example.labels[rows].clip(0, 1) for example, (rows, _) in zip(examples, samples, strict=True))
        weights = _stack(weights for _, weights in samples)
        rows: NDArray[np.float32] = _stack(
            page.features[chosen] for page, (chosen, _) in zip(described, samples, strict=True)
        )
        first = boost(rows, labels, weights, FIRST)
        second = UNTRAINED
        if self.has_context:
            folds = np.repeat(held_out, [len(chosen) for chosen, _ in samples])
            in_turn = [boost(rows[folds != k], labels[folds != k], weights[folds != k], FIRST) for k in range(FOLDS)]
            rows = _stack(
                in_context(page, in_turn[fold].probabilities(page.features))[chosen]
                for page, fold, (chosen, _) in zip(described, held_out, samples, strict=True)
            )
            second = boost(rows, labels, weights, SECOND)
        names = learn_names(examples, self.shares)
        return BlockClassifier(names, first, second, UNTRAINED, inputs_of(described[0]))

    def seen(self, described: Described) -> Described:
        """Return the blocks without the features that are not to be seen."""
        if not self.blind:
            return described
        features = described.features.copy()
        for family in self.blind:
            features[:, described.families[family]] = 0
        return replace(described, features=features)

    def judge(self, model: BlockClassifier, example: Example) -> tuple[Described, Floats]:
        """Return the blocks of an example as the model describes them, and their probabilities."""
        described = example.described.named(model.names)
        seen = self.seen(described)
        if not self.has_context:
            return described, model.first.probabilities(seen.features)
        return described, model.judge(seen)


_T = TypeVar("_T", np.float32, np.float64)


def _stack(arrays: Iterable[NDArray[_T]]) -> NDArray[_T]:
    return np.concatenate(list(arrays))
