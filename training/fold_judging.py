"""Judge a classifier on pages it was not trained on: folds disjoint by site, or a corpus left out.

These outcomes are used to fit the confidence, and to check it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from newsextract.reading.extraction.block_classifier.model import load, save
from newsextract.reading.extraction.block_classifier.selection import page_signs, select
from training.block_examples import VALIDATION
from training.boosting import CONFIDENCE, boost

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.model import BlockClassifier
    from newsextract.reading.trained_models.boosted_trees import ObliviousTrees
    from training.block_examples import Example
    from training.block_fitting import Fitting

    Floats = NDArray[np.float64]

CROSS_FOLDS = 3

COLUMNS = (
    "newspaper4k", "wcxb", "dragnet", "chaos", "daniel en", "daniel zh", "daniel pl", "daniel el", "daniel ru", "xmu",
)  # fmt: skip
"""The columns of the table of results, whose mean is taken."""

FEWEST = 20
"""Least pages of a corpus or a language for a meaningful mean."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of one page: the F1 reached if the text is known, and the snippets found if these are known."""

    example: Example
    f1: float | None
    includes: tuple[int, int]
    """Wanted snippets found, and their total."""
    excludes: tuple[int, int]
    signs: NDArray[np.float32]
    """The inputs of the confidence; see `page_signs`."""


class Split(NamedTuple):
    """The examples to train on and those to judge."""

    name: str
    train: list[Example]
    judged: list[Example]


def by_site(examples: Sequence[Example]) -> Iterator[Split]:
    """Yield `CROSS_FOLDS` splits; no site is on both sides."""
    for fold in range(CROSS_FOLDS):
        yield Split(
            f"fold-{fold}",
            [example for example in examples if example.fold(CROSS_FOLDS) != fold],
            [example for example in examples if example.fold(CROSS_FOLDS) == fold],
        )


def by_corpus(examples: Sequence[Example]) -> Iterator[Split]:
    """Yield splits with one corpus to judge at a time, without its sites in the training.

    Only corpora of the table's columns are judged, not those never trained on: of these, folds by site tell the same.
    """
    return _each_left_out(examples, lambda example: example.corpus)


def by_language(examples: Sequence[Example]) -> Iterator[Split]:
    """Yield splits with the pages of one language to judge at a time, without its sites in the training."""
    return _each_left_out(examples, lambda example: example.language)


def _each_left_out(examples: Sequence[Example], group: Callable[[Example], str]) -> Iterator[Split]:
    in_table = [one for one in examples if one.column in COLUMNS and one.corpus not in VALIDATION]
    for name, pages in Counter(map(group, in_table)).items():
        if name and pages >= FEWEST:
            judged = [example for example in in_table if group(example) == name]
            sites = {example.site for example in examples if group(example) == name}
            others = [one for one in examples if group(one) != name and one.site not in sites]
            yield Split(f"without-{name}", others, judged)


def held_out(
    splits: Iterable[Split], fitting: Fitting, tell: Callable[[str], None] = print, keep: Path | None = None
) -> list[Outcome]:
    """Return the outcome of each page, judged by a classifier that was not trained on its side of the split.

    The classifiers are kept in the folder `keep`, if given, and taken from there the next time: a training that was
    stopped goes on, and another choice of blocks is judged without training again. Their names tell what they were
    trained on, so other pages, features or parameters are never answered by an old one.
    """
    outcomes: list[Outcome] = []
    for split in splits:
        train = [example for example in split.train if example.is_trained_on]
        kept = keep / f"{split.name}-{fitting.fingerprint(train)}.npz" if keep else None
        if kept and kept.exists():
            model = load(str(kept))
        else:
            model = fitting.fit(train)
            if kept:
                partial = kept.with_suffix(".part")
                save(model, partial)
                partial.replace(kept)
        outcomes += (outcome_of(example, model, fitting) for example in split.judged)
        tell(f"  {split.name}: {len(split.train)} pages trained on, {len(split.judged)} judged")
    return outcomes


def outcome_of(example: Example, model: BlockClassifier, fitting: Fitting) -> Outcome:
    """Return the outcome of a page with a classifier."""
    described, probabilities = fitting.judge(model, example)
    kept = select(described, probabilities)
    f1 = example.bags.f1(kept) if example.bags and example.is_judgeable else None
    text = " ".join(" ".join(example.texts[number].split()) for number in kept.nonzero()[0] if example.texts)
    found = [
        (sum(" ".join(snippet.split()) in text for snippet in snippets), len(snippets))
        for snippets in (example.includes, example.excludes)
        if example.texts or not snippets
    ]
    includes, excludes = found if len(found) == 2 else ((0, 0), (0, 0))
    return Outcome(example, f1, includes, excludes, page_signs(described, probabilities, kept))


def by_column(outcomes: Iterable[Outcome]) -> Mapping[str, float]:
    """Return the mean F1 of the articles in each column, preceded by the mean of the columns."""
    found: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.f1 is not None and outcome.example.is_article:
            found[outcome.example.column].append(outcome.f1)
    means = {column: fmean(found[column]) for column in COLUMNS if column in found}
    return {"mean": fmean(means.values()), **means} if means else {}


def snippets(outcomes: Iterable[Outcome]) -> tuple[float, float]:
    """Return the shares of the wanted and of the unwanted snippets that were found; 0 if there are none."""
    outcomes = list(outcomes)
    shares = []
    for name in ("includes", "excludes"):
        counts = [getattr(outcome, name) for outcome in outcomes]
        found, total = sum(count[0] for count in counts), sum(count[1] for count in counts)
        shares.append(found / total if total else 0.0)
    return shares[0], shares[1]


BINS = 10
_FOLDS = 5
_SALT = "confidence"


class Bin(NamedTuple):
    """A tenth of some pages, by estimate: the means of the estimates and of the true values."""

    pages: int
    said: float
    true: float


def fit_confidence(outcomes: Sequence[Outcome]) -> ObliviousTrees:
    """Return trees that estimate the F1 of pages from their signs, fitted to outcomes of pages not trained on."""
    known = [outcome for outcome in outcomes if outcome.f1 is not None]
    rows = np.concatenate([outcome.signs for outcome in known])
    reached = np.array([outcome.f1 for outcome in known], np.float64)
    return boost(rows, reached, np.ones(len(known)), CONFIDENCE)


def estimates(outcomes: Sequence[Outcome], never_fitted: Container[str] = ()) -> tuple[Floats, Floats]:
    """Return the confidence and the F1 of each page; it is estimated by trees that have not seen its site.

    Pages of the corpora in `never_fitted` are judged, but not fitted to.
    """
    known = [outcome for outcome in outcomes if outcome.f1 is not None]
    said = np.zeros(len(known))
    folds = np.array([outcome.example.fold(_FOLDS, _SALT) for outcome in known])
    for fold in np.unique(folds).tolist():
        others = [outcome for outcome, place in zip(known, folds, strict=True) if place != fold]
        trees = fit_confidence([outcome for outcome in others if outcome.example.corpus not in never_fitted])
        own = (folds == fold).nonzero()[0]
        said[own] = trees.probabilities(np.concatenate([known[number].signs for number in own]))
    return said, np.array([outcome.f1 for outcome in known], np.float64)


def risk_over_coverage(said: Floats, true: Floats) -> float:
    """Return the area under the risk-coverage curve (Geifman & El-Yaniv 2017): the mean loss of the surest pages.

    It is the mean, over all numbers of pages, of what so many of the surest pages lose of an F1 of 1.

    >>> risk_over_coverage(np.array([0.9, 0.5]), np.array([1.0, 0.5]))
    0.125
    """
    lost = (1 - true)[(-said).argsort(kind="stable")].cumsum()
    return float((lost / np.arange(1, len(lost) + 1)).mean())


def bins_of(said: Floats, true: Floats) -> list[Bin]:
    """Return the tenths of some pages by estimate; with fewer pages than `BINS`, a bin for each page."""
    tenths = np.array_split(said.argsort(kind="stable"), BINS)
    return [Bin(len(tenth), float(said[tenth].mean()), float(true[tenth].mean())) for tenth in tenths if len(tenth)]


def error(bins: Sequence[Bin]) -> float:
    """Return the mean distance of estimates and true values over the bins (expected calibration error)."""
    return sum(pages * abs(said - true) for pages, said, true in bins) / max(sum(bin_.pages for bin_ in bins), 1)
