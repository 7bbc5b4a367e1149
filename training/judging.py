"""Judge a classifier on pages it was not trained on: folds disjoint by site, or a corpus left out.

These outcomes are used to fit the confidence, and to check it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from newsextract.reading.extraction.block_classifier.selection import page_signs, select
from training.blocks import VALIDATION
from training.boosting import CONFIDENCE, boost, fill_card

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.model import BlockClassifier
    from newsextract.reading.trained_models.boosted_trees import ObliviousTrees
    from training.blocks import CorpusPage, Example, Fitting

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


def held_out(splits: Iterable[Split], fitting: Fitting, tell: Callable[[str], None] = print) -> list[Outcome]:
    """Return the outcome of each page, judged by a classifier that was not trained on its side of the split."""
    outcomes: list[Outcome] = []
    for split in splits:
        model = fitting.fit([example for example in split.train if example.is_trained_on])
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


# Write the model card: the training data, the results on unseen pages, and the known failures.

LICENCES = {
    "newspaper4k": "Apache-2.0",
    "wcxb": "CC-BY-4.0",
    "daniel": "GPL-3",
    "dragnet": "AGPL-3",
    "xmu": "none stated",
    "chaos": "research",
    "trafilatura": "Apache-2.0",
    "magic": "Apache-2.0",
    "magic_forum": "Apache-2.0",
}

_PEERS = {
    "trafilatura 2.3.1": (0.912, 0.938, 0.914, 0.949, 0.925, 0.869, 0.816, 0.884, 0.732, 0.905),
    "trafilatura, precision": (0.926, 0.914, 0.924, 0.951, 0.932, 0.878, 0.853, 0.934, 0.814, 0.932),
    "readability-lxml 0.9": (0.894, 0.893, 0.901, 0.940, 0.923, 0.906, 0.845, 0.965, 0.828, 0.928),
    "resiliparse 2.0.1": (0.871, 0.882, 0.744, 0.902, 0.839, 0.816, 0.741, 0.790, 0.605, 0.866),
    "boilerpy3 1.0.7": (0.840, 0.817, 0.817, 0.856, 0.882, 0.846, 0.838, 0.407, 0.592, 0.889),
}
"""Token F1 of other tools on the same pages, in the order of `COLUMNS`."""


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures of a card."""

    examples: Sequence[Example]
    cross: Sequence[Outcome]
    left_out: Sequence[Outcome]
    """With a corpus left out."""
    untaught: Sequence[Outcome]
    """With a language left out."""
    bins: Sequence[Bin]
    risk: float
    """The area under the risk-coverage curve."""
    model: BlockClassifier
    size: int


def write_card(path: Path, figures: Figures) -> None:
    """Write the card."""
    values = {
        "corpora": corpus_table(figures.examples),
        "features": table(("family", "features"), _families(figures)),
        "results": table(("token F1", *(f"{name}" for name in COLUMNS), "mean"), _results(figures)),
        "snippets": table(("snippets found", "wanted", "unwanted"), _snippets(figures)),
        "languages": table(
            ("language", "pages", "disjoint by site", "corpus left out", "language left out"), _languages(figures)
        ),
        "bins": table(("pages", "confidence", "F1 reached"), bin_rows(figures.bins)),
        "error": f"{error(figures.bins):.3f}",
        "risk": f"{figures.risk:.4f}",
        "terms": f"{len(figures.model.names.scores):,}",
        "trees": f"{figures.model.first.features.shape[1]} and {figures.model.second.features.shape[1]}",
        "size": f"{figures.size / 1000:.0f} kB",
    }
    fill_card(path, "card.md", values)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def corpus_table(examples: Sequence[CorpusPage], order: Callable[[str, int], Any] = lambda *_: 0) -> str:
    """Return the table of the corpora, sorted by a key of names and page counts if given."""
    pages = Counter(example.corpus for example in examples)
    rows = []
    for corpus, count in sorted(pages.items(), key=lambda item: order(*item)):
        sites = len({example.site for example in examples if example.corpus == corpus})
        use = "validation only" if corpus in VALIDATION else "training"
        rows.append((corpus, count, sites, LICENCES.get(corpus, "?"), use))
    return table(("corpus", "pages", "sites", "licence of the data", "used for"), rows)


def _families(figures: Figures) -> Iterable[Sequence[object]]:
    for family, columns in figures.examples[0].described.families.items():
        yield family, columns.stop - columns.start


def _results(figures: Figures) -> Iterable[Sequence[object]]:
    ours = {"`auto`, folds disjoint by site": figures.cross, "`auto`, corpus left out": figures.left_out}
    for name, outcomes in ours.items():
        columns = by_column(outcomes)
        shown = (f"{columns[column]:.3f}" if column in columns else "–" for column in COLUMNS)
        yield name, *shown, f"{columns['mean']:.4f}"
    for name, values in _PEERS.items():
        yield name, *(f"{value:.3f}" for value in values), f"{fmean(values):.3f}"


def _snippets(figures: Figures) -> Iterable[Sequence[object]]:
    yield "disjoint by site", *(f"{share:.1%}" for share in snippets(figures.cross))


def _languages(figures: Figures) -> Iterable[Sequence[object]]:
    found = [_by_language(outcomes) for outcomes in (figures.cross, figures.left_out, figures.untaught)]
    for language, pages in sorted(found[0].items(), key=lambda item: -len(item[1])):
        if len(pages) >= FEWEST:
            means = [f"{fmean(each[language]):.3f}" if each[language] else "–" for each in found]
            yield language or "?", len(pages), *means


def _by_language(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.f1 is not None and outcome.example.is_article:
            found[outcome.example.language].append(outcome.f1)
    return found


def bin_rows(bins: Sequence[Bin]) -> Iterable[Sequence[object]]:
    """Yield the rows of a table of bins."""
    for pages, said, true in bins:
        yield pages, f"{said:.3f}", f"{true:.3f}"
