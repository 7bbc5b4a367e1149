"""Exactitude by cosine similarity, the measure of a thesis on finding the useful content of news sites.

After Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015, section 5.2). T is the text
found, T* the reference, both as vectors of word counts; cos θ = T · T* / (‖T‖ ‖T*‖). *Exactitude* is the share of pages
with cos θ ≥ 0.9, a threshold the author set by reading. Also counted: T = T*, T ⊂ T* (found inside the useful
content) and T* ⊂ T (found around it), both strict, as runs of words.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newsextract.lab.evaluation.measures.measured_texts import Text

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
        return 1.0  # which rounding might miss
    dot = sum(count * other.bag[token] for token, count in one.bag.items() if token in other.bag)
    norms = (math.sqrt(sum(count * count for count in text.bag.values())) for text in (one, other))
    return dot / math.prod(norms)
