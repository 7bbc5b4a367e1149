"""Write the model card of the page classifier: its corpora, the results on unseen sites, and the known failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.reading.kinds import ARTICLE_FROM
from training.fold_judging import error
from training.model_card import bin_rows, corpus_table, table
from training.page_examples import LABELLED
from training.page_scores import FEW, THRESHOLDS, recall, reliability, scores
from training.training_command import fill_card

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from newsextract.reading.kinds import PageClassifier
    from training.page_scores import PageOutcome

_TRAINED = ("article", "listing", "other")


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
        "trees": f"{figures.model.article.features.shape[1]} and {figures.model.listing.features.shape[1]}",
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
