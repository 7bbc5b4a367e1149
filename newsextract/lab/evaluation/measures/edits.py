"""Edit similarity: how little must be typed to turn what was kept into the gold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rapidfuzz.distance import Indel

if TYPE_CHECKING:
    from newsextract.lab.evaluation.measures.measured_texts import Text


def edit_similarity(kept: Text, gold: Text) -> float:
    """Return 1 - d / (|K| + |G|), d the least number of words inserted and deleted; 1 for two empty texts.

    Over words rather than characters: as telling for extraction, and fifty times less work on a long page.
    """
    return Indel.normalized_similarity(kept.tokens, gold.tokens)
