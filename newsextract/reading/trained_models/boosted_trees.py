"""Boosted oblivious trees, evaluated with numpy for many rows at once.

An oblivious tree asks the same question of all nodes of a level (Kohavi & Li, "Oblivious Decision Trees, Graphs, and
Top-Down Pruning", IJCAI 1995; as in CatBoost), so the answers of a row are the bits of its leaf's number: no branch is
taken, and an ensemble is one comparison and one look-up in a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS_AT_ONCE = 128
"""So many at a time stay in the processor's cache; more are slower, and would fill the memory on a huge page."""


@dataclass(frozen=True, slots=True)
class ObliviousTrees:
    """T trees of depth D, at most 8, over rows of features."""

    features: NDArray[np.intp]
    """D x T: the feature that each level of each tree asks for."""
    borders: NDArray[np.float32]
    """D x T: the answer is yes above this."""
    leaves: NDArray[np.float32]
    """T x 2 ** D; the answer of level d is bit d of the leaf's number."""
    bias: float

    def probabilities(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probability of each row, 0 to 1."""
        return 1 / (1 + np.exp(-self.raw(rows)))

    def raw(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the sum of the leaves of each row."""
        found = np.empty(len(rows))
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            chunk = slice(start, start + _ROWS_AT_ONCE)
            found[chunk] = self._raw(rows[chunk])
        return found

    def _raw(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        depth, count = self.features.shape
        asked = np.ascontiguousarray(rows.T).take(self.features.ravel(), axis=0)
        answers = (asked > self.borders.ravel()[:, None]).view(np.uint8).reshape(depth, count, -1)
        numbers = answers[0].copy()
        for level in range(1, depth):
            numbers += answers[level] << level
        places = numbers + (np.arange(count) << depth)[:, None]
        total: NDArray[np.float64] = self.leaves.ravel().take(places).sum(0, dtype=np.float64) + self.bias
        return total
