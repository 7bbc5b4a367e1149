"""Compare bags of words: precision, recall, F1, accuracy, and the cosine of their angle.

With K the bag of tokens kept, G the gold's and V the page's visible ones, and |A ∩ B| = Σ min(A_t, B_t):

    precision = |K ∩ G| / |K|        recall = |K ∩ G| / |G|        F1 = 2PR / (P + R)
    accuracy  = (TP + TN) / (TP + FP + FN + TN)

with TP = |K ∩ G|, FP = |K| - TP, FN = |G| - TP and TN the page's tokens that are in none of the three. The first three
are the field's common measure; with the accuracy they are those of Salem (thesis, Innopolis University), whose
evaluation counts the tokens of the page. A page whose gold is empty and of which nothing is kept is right: 1.

*Exactitude* is the measure of a thesis on finding the useful content of news sites: Deturck, "Détection de contenu
utile depuis des sites d'actualité" (INALCO, 2015, section 5.2). T is the text found, T* the reference, both as vectors
of word counts; cos θ = T · T* / (‖T‖ ‖T*‖). It is the share of pages with cos θ ≥ 0.9, a threshold the author set by
reading. Also counted: T = T*, T ⊂ T* (found inside the useful content) and T* ⊂ T (found around it), both strict, as
runs of words.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.measures.measured_texts import harmonic_mean, overlap, share

if TYPE_CHECKING:
    from newsextract.lab.evaluation.measures.measured_texts import Text

MIN_VISIBLE = 0.5
"""Least share of the gold's tokens in the visible text for a page to be judged: below, its text came by script."""


def token_scores(kept: Text, gold: Text) -> dict[str, float]:
    """Return `token_precision`, `token_recall` and `token_f1`."""
    if not kept.tokens and not gold.tokens:
        return dict.fromkeys(("token_precision", "token_recall", "token_f1"), 1.0)
    common = overlap(kept.bag, gold.bag)
    precision, recall = share(common, len(kept.tokens)), share(common, len(gold.tokens))
    return {"token_precision": precision, "token_recall": recall, "token_f1": harmonic_mean(precision, recall)}


def token_accuracy(kept: Text, gold: Text, visible: Text) -> float:
    """Return the share of the page's tokens that were correctly kept or left out."""
    right = overlap(kept.bag, gold.bag)
    wrong = len(kept.tokens) - right
    missed = len(gold.tokens) - right
    # The gold may have tokens that the page does not show; then TN is 0.
    left_out = max(len(visible.tokens) - right - wrong - missed, 0)
    total = right + wrong + missed + left_out
    return (right + left_out) / total if total else 1.0


def is_judgeable(gold: Text, visible: Text) -> bool:
    """Tell whether at least `MIN_VISIBLE` of the gold is in the page's visible text."""
    return overlap(gold.bag, visible.bag) >= MIN_VISIBLE * len(gold.tokens)


EXACT_COSINE = 0.9


def cosine_scores(kept: Text, gold: Text) -> dict[str, float]:
    """Return `cosine`, `exactitude`, `equal`, `inside` and `around`; the last four are 0 or 1."""
    similarity = cosine(kept, gold)
    ours, theirs = (f" {' '.join(text.tokens)} " for text in (kept, gold))
    is_equal = ours == theirs
    return {
        "cosine": similarity,
        "exactitude": float(similarity >= EXACT_COSINE),
        "equal": float(is_equal),
        "inside": float(not is_equal and bool(kept.tokens) and ours in theirs),
        "around": float(not is_equal and bool(gold.tokens) and theirs in ours),
    }


def cosine(one: Text, other: Text) -> float:
    """Return the cosine of the angle between two vectors of word counts; 1 for two empty texts, 0 if one is."""
    if not one.tokens or not other.tokens:
        return float(not one.tokens and not other.tokens)
    if one.bag == other.bag:
        return 1.0  # exact, despite rounding
    dot = sum(count * other.bag[token] for token, count in one.bag.items() if token in other.bag)
    norms = (math.sqrt(sum(count * count for count in text.bag.values())) for text in (one, other))
    return dot / math.prod(norms)
