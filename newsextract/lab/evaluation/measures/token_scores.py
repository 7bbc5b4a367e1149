"""Bag-of-words precision, recall, F1 and accuracy.

With K the bag of tokens kept, G the gold's and V the page's visible ones, and |A ∩ B| = Σ min(A_t, B_t):

    precision = |K ∩ G| / |K|        recall = |K ∩ G| / |G|        F1 = 2PR / (P + R)
    accuracy  = (TP + TN) / (TP + FP + FN + TN)

with TP = |K ∩ G|, FP = |K| - TP, FN = |G| - TP and TN the page's tokens that are in none of the three. The first three
are the field's common measure; with the accuracy they are those of Salem (thesis, Innopolis University), whose
evaluation counts the tokens of the page. A page whose gold is empty and of which nothing is kept is right: 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.lab.evaluation.measures.measured_texts import harmonic_mean, overlap, share

if TYPE_CHECKING:
    from newsextract.lab.evaluation.measures.measured_texts import Text

MIN_VISIBLE = 0.5
"""Share of the gold's tokens in the visible text below which a page cannot be judged: its text came by script."""


def token_scores(kept: Text, gold: Text) -> dict[str, float]:
    """Return `token_precision`, `token_recall` and `token_f1`."""
    if not kept.tokens and not gold.tokens:
        return dict.fromkeys(("token_precision", "token_recall", "token_f1"), 1.0)
    common = overlap(kept.bag, gold.bag)
    precision, recall = share(common, len(kept.tokens)), share(common, len(gold.tokens))
    return {"token_precision": precision, "token_recall": recall, "token_f1": harmonic_mean(precision, recall)}


def token_accuracy(kept: Text, gold: Text, visible: Text) -> float:
    """Return the share of the page's tokens that were rightly kept or rightly left out."""
    right = overlap(kept.bag, gold.bag)
    wrong = len(kept.tokens) - right
    missed = len(gold.tokens) - right
    # Gold may hold tokens that the page does not show; then there are none left to be left out.
    left_out = max(len(visible.tokens) - right - wrong - missed, 0)
    total = right + wrong + missed + left_out
    return (right + left_out) / total if total else 1.0


def is_judgeable(gold: Text, visible: Text) -> bool:
    """Tell whether at least `MIN_VISIBLE` of the gold is in the page's visible text."""
    return overlap(gold.bag, visible.bag) >= MIN_VISIBLE * len(gold.tokens)
