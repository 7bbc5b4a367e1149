"""Write the model card of the page classifier: its corpora, the results on unseen sites, and the known failures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.lab.training.fold_judging import error
from newsextract.lab.training.model_card import bin_rows, corpus_table, table
from newsextract.lab.training.page_examples import LABELLED
from newsextract.lab.training.page_scores import HALF, labelled, recall, reliability, scores
from newsextract.lab.training.training_command import fill_card
from newsextract.reading.page_kinds.page_kind import ARTICLE_FROM

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from newsextract.lab.training.page_scores import PageOutcome
    from newsextract.reading.page_kinds.kind_model import PageClassifier

_TRAINED = ("article", "listing", "other")
_THRESHOLDS = (HALF, ARTICLE_FROM)


@dataclass(frozen=True, slots=True)
class CardFigures:
    """All figures of a card."""

    outcomes: Sequence[PageOutcome]
    blind: Sequence[PageOutcome]
    """The same pages without their URLs."""
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
        "scores": table(("wcxb, site-disjoint", "taken from", "precision", "recall", "F1"), _scores(figures)),
        "confusion": table(("labelled as", *_TRAINED), _confusion(figures.outcomes)),
        "recall": table(
            ("articles of", "pages", f"from {HALF}", f"from {ARTICLE_FROM}", "no URL"), _recall(figures)
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
        for article_from in _THRESHOLDS:
            found = scores(outcomes, article_from)
            yield name, article_from, f"{found.precision:.3f}", f"{found.recall:.3f}", f"**{found.f1:.3f}**"


def _confusion(outcomes: Sequence[PageOutcome]) -> Iterable[Sequence[object]]:
    found = Counter((outcome.example.label, outcome.kind()) for outcome in labelled(outcomes))
    labels = Counter(outcome.example.label for outcome in labelled(outcomes))
    for label, _ in labels.most_common():
        yield label, *(found[label, kind] for kind in _TRAINED)


def _recall(figures: CardFigures) -> Iterable[Sequence[object]]:
    articles, blind = (
        [outcome for outcome in outcomes if outcome.example.is_article]
        for outcomes in (figures.outcomes, figures.blind)
    )
    for column in sorted({outcome.example.column for outcome in articles}):
        own = [outcome for outcome in articles if outcome.example.column == column]
        unseen = [outcome for outcome in blind if outcome.example.column == column]
        at_both = (f"{recall(own, article_from):.1%}" for article_from in _THRESHOLDS)
        yield column, len(own), *at_both, f"{recall(unseen, ARTICLE_FROM):.1%}"
