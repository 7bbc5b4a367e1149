"""Trains the page classifier and writes its model card.

First, for the figures, classifiers are trained without a fifth of the sites and judged on the pages that they have not
seen; and classifiers trained without a corpus are judged on that. The former outcomes calibrate the probabilities. Then
the classifier for use is trained on all.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.contract import create_extractor
from newsextract.reading.kind_features import UNKNOWN, PageFeatures, features_of, of_address
from newsextract.reading.kinds import ARTICLE_FROM, WEIGHTS, PageClassifier, chances_of, is_home, likeliest_other, save
from newsextract.reading.metadata.precedence import read_metadata
from training.blocks import VALIDATION, CorpusPage, gold_pages, site_of
from training.boosting import Recipe, add_weights_option, boost, fill_card, read_options, teller
from training.judging import bin_rows, bins_of, corpus_table, error, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from newsextract.evaluation.corpora import GoldPage
    from newsextract.reading.kinds import Chances
    from newsextract.reading.trained_models.boosted_trees import ObliviousTrees
    from training.judging import Bin

    Rows = NDArray[np.float32]
    Floats = NDArray[np.float64]


# Turn the pages of annotated corpora into examples for the page classifier, with their kinds.

LABELLED = "wcxb"
"""The corpus with pages of many kinds; those of the others are all articles, or all threads."""
CORPORA = (LABELLED, "newspaper4k", "dragnet", "daniel", "xmu", "magic", "magic_forum", "chaos")
KIND_OF = {"article": "article", "forum": "thread", "listing": "listing", "collection": "listing"}
"""The kind for each label of the corpus; all other labels are `other`."""

_EXTRACTOR = "auto"


@dataclass(frozen=True, slots=True)
class PageExample(CorpusPage):
    """A page with its kind; `features` is `None` if the extractor kept nothing."""

    label: str
    """The label in the corpus."""
    is_home: bool
    features: PageFeatures | None

    @property
    def kind(self) -> str:
        """One of the kinds that are trained: `article`, `thread`, `listing`, `other`."""
        return KIND_OF.get(self.label, "other")

    @property
    def is_article(self) -> bool:
        """Whether it is labelled an article."""
        return self.kind == "article"

    @property
    def is_trained_on(self) -> bool:
        """Whether the page may be trained on."""
        return self.corpus not in VALIDATION and self.features is not None


def read_page_examples(paths: Sequence[Path], processes: int) -> list[PageExample]:
    """Return the examples of all corpora, in order."""
    with get_context("fork").Pool(processes) as pool:
        found = pool.imap(_example, gold_pages(paths), chunksize=8)
        return [example for example in found if example is not None]


def _example(gold: GoldPage) -> PageExample | None:
    label = gold.page_type or "article"
    make = partial(PageExample, gold.corpus, gold.id, site_of(gold), gold.language or "", label, is_home(gold.url))
    try:
        page = Page(gold.html, gold.url)
        extraction = create_extractor(_EXTRACTOR).extract(page)
    except PageError:
        return None
    example = make(None)
    return replace(example, features=features_of(page, extraction, read_metadata(page))) if extraction else example


# Fit the page classifier: the weights of pages, the variants of each page, and the calibration.


_CORPUS_WEIGHTS = {
    "wcxb": 1.0, "magic_forum": 1.0, "newspaper4k": 0.5, "magic": 0.5, "dragnet": 0.3, "daniel": 0.15, "xmu": 0.15,
}  # fmt: skip
"""Weights of a page: old pages that are all articles show what articles look like in other languages and years, and
must not outweigh the pages that show the difference."""
WITHOUT_ADDRESS, BARE = 0.3, 0.2
"""Weights of a page's variants: without its URL, and without its URL and all that it declares and names. So neither a
missing URL nor the plain markup of old pages speaks for an article."""
_DECLARED = ("declared", "names")

ARTICLE = Recipe(500, depth=4, learning_rate=0.06)
THREAD = LISTING = Recipe(150, depth=4, learning_rate=0.06)

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
    article, thread = sample(used, "article").boost(ARTICLE), sample(others, "thread").boost(THREAD)
    rest = [example for example in others if example.kind != "thread"]
    return PageClassifier(article, thread, sample(rest, "listing").boost(LISTING), typical, features[0].names)


def sample(examples: Sequence[PageExample], kind: str) -> Sample:
    """Return the pages as they are, without URLs, and bare; the label tells whether they are of the kind."""
    known = [(example, example.features) for example in examples if example.features]
    rows = np.array([features.row for _, features in known])
    labels = np.array([float(example.kind == kind) for example, _ in known])
    weights = np.array([_CORPUS_WEIGHTS[example.corpus] for example, _ in known])
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


# Judge the page classifier on sites that it was not trained on.


FOLDS = 5
THRESHOLDS = (0.25, 0.3, 0.4)
"""The thresholds to compare: that of use, and one on each side of it."""
FEW = 0.4
"""The share of articles in a mix of the web that has fewer of them than the labelled corpus."""
_NOT = (0.0, 0.0, 0.0, 1.0)
_HOME = (0.0, 0.0, 1.0, 0.0)
_EDGE = 1e-6


@dataclass(frozen=True, slots=True)
class PageOutcome:
    """The probabilities of the kinds, from a classifier that has not seen the page's site."""

    example: PageExample
    chances: Chances

    @property
    def article(self) -> float:
        """The probability that it is an article."""
        return self.chances[0]

    def kind(self, article_from: float = ARTICLE_FROM) -> str:
        """Return the kind that the page is taken for."""
        return "article" if self.article >= article_from else likeliest_other(self.chances)


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
    _, thread, listing, other = outcome.chances
    return replace(outcome, chances=(article, thread * rest, listing * rest, other * rest))


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


# Write the model card of the page classifier: its corpora, the results on unseen sites, and the known failures.

_TRAINED = ("article", "thread", "listing", "other")


@dataclass(frozen=True, slots=True)
class CardFigures:
    """All figures of a card."""

    outcomes: Sequence[PageOutcome]
    blind: Sequence[PageOutcome]
    """The same pages without their URLs."""
    left_out: Sequence[PageOutcome]
    """The pages of each corpus, judged without it in training."""
    model: PageClassifier
    size: int


def write_card(path: Path, figures: CardFigures) -> None:
    """Write the card."""
    bins = reliability(figures.outcomes)
    values = {
        "corpora": corpus_table(
            [outcome.example for outcome in figures.outcomes], lambda corpus, count: (corpus != LABELLED, -count)
        ),
        "features": table(("family", "features"), _families(figures)),
        "scores": table(
            ("wcxb, site-disjoint", "from", "precision", "recall", "F1", "precision of few", "F1 of few"),
            _scores(figures),
        ),
        "few": f"{FEW:.0%}",
        "confusion": table(
            ("labelled as", "corpus", *_TRAINED, "share taken for articles"), _confusion(figures.outcomes)
        ),
        "recall": table(
            ("pages of", "pages", *(f"from {limit}" for limit in THRESHOLDS), "no URL", "corpus left out"),
            _recall(figures),
        ),
        "bins": table(("pages", "probability", "articles"), bin_rows(bins)),
        "error": f"{error(bins):.3f}",
        "from": str(ARTICLE_FROM),
        "trees": ", ".join(str(getattr(figures.model, kind).features.shape[1]) for kind in _TRAINED[:-1]),
        "used": str(len(set(figures.model.article.features.ravel().tolist()))),
        "all": str(len(figures.model.inputs)),
        "size": f"{figures.size / 1000:.0f} kB",
    }  # fmt: skip
    fill_card(path, "page_card.md", values)


def _families(figures: CardFigures) -> Iterable[Sequence[object]]:
    known = next(outcome.example.features for outcome in figures.outcomes if outcome.example.features)
    for family, features in known.families.items():
        yield family, len(features)


def _scores(figures: CardFigures) -> Iterable[Sequence[object]]:
    for name, outcomes in (("with URLs", figures.outcomes), ("without URLs", figures.blind)):
        for article_from in THRESHOLDS:
            found = scores(outcomes, article_from)
            few = found.among(FEW)
            shown = (f"{found.precision:.3f}", f"{found.recall:.3f}", f"**{found.f1:.3f}**")
            yield name, article_from, *shown, f"{few.precision:.3f}", f"**{few.f1:.3f}**"


def _confusion(outcomes: Sequence[PageOutcome]) -> Iterable[Sequence[object]]:
    """Yield a row for each label of the corpora that have pages of other kinds than articles."""
    mixed = {outcome.example.corpus for outcome in outcomes if not outcome.example.is_article}
    known = [outcome for outcome in outcomes if outcome.example.corpus in mixed]
    groups = Counter((outcome.example.corpus != LABELLED, outcome.example.label) for outcome in known)
    for (is_further, label), count in sorted(groups.items(), key=lambda item: (item[0][0], -item[1])):
        own = [one for one in known if one.example.label == label and (one.example.corpus != LABELLED) == is_further]
        found = Counter(outcome.kind() for outcome in own)
        counts = (found[kind] for kind in _TRAINED)
        yield label, own[0].example.corpus, *counts, f"{found['article'] / count:.1%}"


def _recall(figures: CardFigures) -> Iterable[Sequence[object]]:
    """Yield, for each column, the share that is taken for articles: of articles, or of threads if it has only these."""
    by_site, blind, left_out = (
        _by_column(outcomes) for outcomes in (figures.outcomes, figures.blind, figures.left_out)
    )
    for column, own in sorted(by_site.items()):
        at_each = (f"{recall(own, article_from):.1%}" for article_from in THRESHOLDS)
        unknown = f"{recall(left_out[column], ARTICLE_FROM):.1%}" if column in left_out else "–"
        yield column, len(own), *at_each, f"{recall(blind[column], ARTICLE_FROM):.1%}", unknown


def _by_column(outcomes: Sequence[PageOutcome]) -> dict[str, list[PageOutcome]]:
    found: dict[str, list[PageOutcome]] = defaultdict(list)
    for outcome in outcomes:
        if outcome.example.is_article or outcome.example.corpus != LABELLED:
            found[outcome.example.column].append(outcome)
    return found


_NEEDED = ("catboost", "tldextract")


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, judge, write; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.kinds", description=__doc__)
    add_weights_option(parser, WEIGHTS.packaged)
    parser.add_argument("--card", type=Path, metavar="FILE", help="write the model card there")
    options = read_options(parser, arguments, CORPORA, _NEEDED)
    if options is None:
        return 2
    _train(options.corpora, options.weights, options.card, options.jobs)
    return 0


def _train(corpora: Path, weights: Path, card: Path | None, jobs: int) -> None:
    tell = teller()
    examples = read_page_examples([corpora / f"{name}.jsonl.xz" for name in CORPORA], jobs)
    tell(f"{len(examples)} pages read")
    raw, raw_blind = held_out(examples, tell)
    outcomes, blind = calibrated(raw), calibrated(raw_blind, raw)
    for line in summary(outcomes, blind):
        tell(line)
    model = calibrate(fit(examples), raw)
    save(model, weights)
    size = weights.stat().st_size
    tell(f"{weights.name}: {size:,} bytes")
    if card:
        unknown = calibrated(left_out(examples, tell), raw)
        write_card(card, CardFigures(outcomes, blind, unknown, model, size))


def summary(outcomes: Sequence[PageOutcome], blind: Sequence[PageOutcome]) -> list[str]:
    """Return the figures that tell whether a training went well."""
    lines = []
    for name, judged in (("with URLs", outcomes), ("without", blind)):
        for article_from in THRESHOLDS:
            found = scores(judged, article_from)
            few = found.among(FEW)
            told = f"precision {found.precision:.3f}, recall {found.recall:.3f}, F1 {found.f1:.4f}; {few.f1:.4f} of few"
            lines.append(f"articles against the rest, {name}, from {article_from}: {told}")
    columns = dict.fromkeys(outcome.example.column for outcome in outcomes if outcome.example.is_article)
    for column in columns:
        own = [outcome for outcome in outcomes if outcome.example.column == column and outcome.example.is_article]
        lines.append(
            f"recall of {column}: " + ", ".join(f"{recall(own, limit):.3f} from {limit}" for limit in THRESHOLDS)
        )
    return [*lines, f"probabilities off by {error(reliability(outcomes)):.3f} in the mean over tenths"]


if __name__ == "__main__":
    sys.exit(main())
