"""Judge the page classifier on sites that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from newsextract.reading.kinds import ARTICLE_FROM, chances_of
from training.fold_judging import bins_of
from training.page_examples import LABELLED
from training.page_fitting import fit, platt, scaled, without_address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from newsextract.reading.kinds import PageClassifier
    from training.fold_judging import Bin
    from training.page_examples import PageExample

    Floats = NDArray[np.float64]

FOLDS = 5
THRESHOLDS = (0.4, 0.45, 0.5)
"""The thresholds to compare: that of use, and one on each side of it."""
FEW = 0.4
"""The share of articles in a mix of the web that has fewer of them than the labelled corpus."""
_NOT = (0.0, 0.0, 1.0)
_HOME = (0.0, 1.0, 0.0)
_EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The probabilities of article, listing and other, from a classifier that has not seen the page's site."""

    example: PageExample
    chances: tuple[float, float, float]

    @property
    def article(self) -> float:
        """The probability that it is an article."""
        return self.chances[0]

    def kind(self, article_from: float = ARTICLE_FROM) -> str:
        """Return the kind that the page is taken for."""
        if self.article >= article_from:
            return "article"
        return "listing" if self.chances[1] >= self.chances[2] else "other"


@dataclass(frozen=True, slots=True)
class Scores:
    """How well articles are told from other pages."""

    precision: float
    recall: float
    passing: float
    """The share of other pages that are taken for articles."""

    def among(self, share: float) -> Scores:
        """Return the same where this share of the pages are articles."""
        right, wrong = share * self.recall, (1 - share) * self.passing
        return replace(self, precision=right / max(right + wrong, _EDGE))

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.precision * self.recall / max(self.precision + self.recall, _EDGE)


def held_out(
    examples: Sequence[PageExample], tell: Callable[[str], None]
) -> tuple[list[PageOutcome], list[PageOutcome]]:
    """Return the outcome of every page, with and without its URL, by folds disjoint by site."""
    outcomes: list[PageOutcome] = []
    blind: list[PageOutcome] = []
    for fold in range(FOLDS):
        model = fit([example for example in examples if example.fold(FOLDS) != fold])
        judged = [example for example in examples if example.fold(FOLDS) == fold]
        outcomes += outcomes_of(model, judged)
        blind += outcomes_of(model, judged, has_address=False)
        tell(f"fold {fold + 1} of {FOLDS}: {len(judged)} pages judged")
    return outcomes, blind


def left_out(examples: Sequence[PageExample], tell: Callable[[str], None]) -> list[PageOutcome]:
    """Return the outcome of every page but the labelled ones, judged without its corpus and its sites in training."""
    outcomes: list[PageOutcome] = []
    for corpus in dict.fromkeys(example.corpus for example in examples if example.corpus != LABELLED):
        judged = [example for example in examples if example.corpus == corpus]
        sites = {example.site for example in judged}
        model = fit([each for each in examples if each.corpus != corpus and each.site not in sites])
        outcomes += outcomes_of(model, judged)
        tell(f"{corpus} left out: {len(judged)} pages judged")
    return outcomes


def outcomes_of(
    model: PageClassifier, examples: Iterable[PageExample], *, has_address: bool = True
) -> list[PageOutcome]:
    """Return a classifier's outcomes for these pages; home pages are always listings."""
    found = []
    for example in examples:
        if example.is_home and has_address:
            found.append(PageOutcome(example, _HOME))
        elif example.features is None:
            found.append(PageOutcome(example, _NOT))
        else:
            features = example.features if has_address else without_address(example.features)
            found.append(PageOutcome(example, chances_of(model, features)))
    return found


def calibration(outcomes: Iterable[PageOutcome]) -> tuple[float, float]:
    """Return the slope and offset that fit the probabilities to the labelled corpus."""
    known = [outcome for outcome in labelled(outcomes) if _EDGE < outcome.article < 1]
    return platt(_odds(known), np.array([float(outcome.example.is_article) for outcome in known]))


def calibrated(outcomes: Sequence[PageOutcome], by: Sequence[PageOutcome] = ()) -> list[PageOutcome]:
    """Return the outcomes with calibrated probabilities, fitted for each fold on the others."""
    found: list[PageOutcome] = []
    for fold in range(FOLDS):
        others = [outcome for outcome in by or outcomes if outcome.example.fold(FOLDS) != fold]
        slope, offset = calibration(others)
        found += [_moved(outcome, slope, offset) for outcome in outcomes if outcome.example.fold(FOLDS) == fold]
    return found


def calibrate(model: PageClassifier, outcomes: Sequence[PageOutcome]) -> PageClassifier:
    """Return the classifier calibrated on all outcomes."""
    return replace(model, article=scaled(model.article, *calibration(outcomes)))


def _moved(outcome: PageOutcome, slope: float, offset: float) -> PageOutcome:
    if not _EDGE < outcome.article < 1:
        return outcome
    article = float(1 / (1 + np.exp(-(_odds([outcome])[0] * slope + offset))))
    rest = (1 - article) / max(1 - outcome.article, _EDGE)
    return replace(outcome, chances=(article, outcome.chances[1] * rest, outcome.chances[2] * rest))


def _odds(outcomes: Sequence[PageOutcome]) -> Floats:
    chances = np.array([outcome.article for outcome in outcomes]).clip(_EDGE, 1 - _EDGE)
    odds: Floats = np.log(chances / (1 - chances))
    return odds


def labelled(outcomes: Iterable[PageOutcome]) -> list[PageOutcome]:
    """Return the outcomes of the corpus that has pages of all kinds."""
    return [outcome for outcome in outcomes if outcome.example.corpus == LABELLED]


def scores(outcomes: Iterable[PageOutcome], article_from: float) -> Scores:
    """Return how well articles are told from other pages, on the corpus that has both."""
    known = labelled(outcomes)
    taken = [outcome for outcome in known if outcome.article >= article_from]
    right = sum(outcome.example.is_article for outcome in taken)
    articles = sum(outcome.example.is_article for outcome in known)
    wrong = len(taken) - right
    return Scores(right / max(len(taken), 1), right / max(articles, 1), wrong / max(len(known) - articles, 1))


def recall(outcomes: Sequence[PageOutcome], article_from: float) -> float:
    """Return the share of these pages that are taken for articles."""
    return sum(outcome.article >= article_from for outcome in outcomes) / max(len(outcomes), 1)


def reliability(outcomes: Iterable[PageOutcome]) -> list[Bin]:
    """Return the tenths of the labelled pages by probability: their number, mean probability and share of articles."""
    known = labelled(outcomes)
    said = np.array([outcome.article for outcome in known])
    return bins_of(said, np.array([float(outcome.example.is_article) for outcome in known]))
