"""How far to trust what was kept of a page: an estimate of the token F1 it reaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.reading.extraction.block_classifier.block_features import Described

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]

SIGNS = (
    "highest", "mean_kept", "lowest_kept", "expected_f1", "expected_kept", "doubt", "kept_blocks", "kept_size",
    "kept_share", "stretches", "link_share", "has_headline", "page_size", "sentences",
)  # fmt: skip
"""What the estimate is made from, in this order."""


def page_signs(described: Described, probabilities: Floats, kept: Mask) -> NDArray[np.float32]:
    """Return the signs of one page, as 1 x len(`SIGNS`)."""
    layout = described.layout
    sizes = layout.sizes
    kept_size = float(sizes[kept].sum())
    expected = float((sizes * probabilities).sum())
    right = float((sizes * probabilities)[kept].sum())
    doubt = float((sizes * probabilities * (1 - probabilities)).sum())
    stretches = int((np.diff(kept.astype(np.int8), prepend=0) > 0).sum())
    nowhere, sentences = described.columns(["headline_blocks", "ends_sentence"]).T
    signs = (
        probabilities.max(),
        right / max(kept_size, 1),
        probabilities[kept].min() if kept.any() else 0.0,
        2 * right / max(kept_size + expected, 1),
        right / max(expected, 1),
        doubt / max(expected, 1),
        np.log1p(kept.sum()),
        np.log1p(kept_size),
        kept_size / max(float(sizes.sum()), 1),
        stretches,
        float(layout.link_sizes[kept].sum()) / max(kept_size, 1),
        nowhere[0] > -99,
        np.log1p(sizes.sum()),
        float((sentences[kept] == 1).mean()) if kept.any() else 0.0,
    )
    return np.array([signs], np.float32)
