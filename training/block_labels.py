"""Label the blocks of an annotated page by aligning its gold with its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.text import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MIN_STRETCH = 3
"""Words in a row that must agree to count, unless they are the whole block: single words agree by chance."""

UNKNOWN = -1.0
"""The label of a block that the annotation says nothing about."""


@dataclass(frozen=True, slots=True)
class Bags:
    """The words of a page's N blocks and of its gold, as numbers, to score any choice of blocks quickly."""

    blocks: tuple[NDArray[np.int32], ...]
    gold: NDArray[np.int64]
    """How often each word is in the gold."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """The words in each block."""
        return np.array([len(block) for block in self.blocks])

    def common(self, kept: NDArray[np.bool_]) -> tuple[int, int]:
        """Return how many words some blocks share with the gold, as bags, and how many they have."""
        chosen = [self.blocks[number] for number in kept.nonzero()[0].tolist()]
        if not chosen:
            return 0, 0
        counts = np.bincount(np.concatenate(chosen), minlength=len(self.gold))
        return int(np.minimum(counts, self.gold).sum()), int(counts.sum())

    def f1(self, kept: NDArray[np.bool_]) -> float:
        """Return the token F1 of a choice of blocks, as `scrapy evaluate` computes it."""
        common, size = self.common(kept)
        total = size + int(self.gold.sum())
        return 2 * common / total if total else 1.0


def bags_of(texts: Sequence[str], gold: str) -> Bags:
    """Return the bags of a page's blocks and its gold."""
    numbers: dict[str, int] = {}
    wanted = [numbers.setdefault(word, len(numbers)) for word in words(gold.lower())]
    blocks = [[numbers.setdefault(word, len(numbers)) for word in words(text.lower())] for text in texts]
    return Bags(
        tuple(np.array(block, np.int32) for block in blocks),
        np.bincount(np.array(wanted, np.int64), minlength=len(numbers)),
    )


def text_labels(texts: Sequence[str], gold: str) -> Floats:
    """Return the share of each block's words that is in the gold, in the gold's order.

    It comes from their longest common subsequence (rapidfuzz); only stretches of `MIN_STRETCH` words count.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - of the extra `train`

    found = [words(text.lower()) for text in texts]
    sizes = np.array([len(block) for block in found])
    starts = np.concatenate(([0], sizes.cumsum()))
    agreeing = np.zeros(len(texts))
    for step in LCSseq.opcodes(words(gold.lower()), [word for block in found for word in block]):
        if step.tag != "equal":
            continue
        place = step.dest_start
        while place < step.dest_end:
            block = int(starts.searchsorted(place, side="right")) - 1
            stop = min(step.dest_end, int(starts[block + 1]))
            is_whole = place == starts[block] and stop == starts[block + 1]
            if is_whole or step.dest_end - step.dest_start >= MIN_STRETCH:
                agreeing[block] += stop - place
            place = stop
    labels: Floats = agreeing / np.maximum(sizes, 1)
    return labels


def snippet_labels(texts: Sequence[str], includes: Sequence[str], excludes: Sequence[str]) -> Floats:
    """Return 1 for blocks with a wanted snippet, 0 for those with an unwanted one, else `UNKNOWN`.

    >>> snippet_labels(["One two three.", "Share this", "Four"], ["two three"], ["share"]).tolist()
    [1.0, 0.0, -1.0]
    """
    labels = np.full(len(texts), UNKNOWN)
    folded = [" ".join(text.lower().split()) for text in texts]
    for snippets, label in ((excludes, 0.0), (includes, 1.0)):
        for snippet in (" ".join(snippet.lower().split()) for snippet in snippets):
            for number, text in enumerate(folded):
                if snippet and snippet in text:
                    labels[number] = label
    return labels
