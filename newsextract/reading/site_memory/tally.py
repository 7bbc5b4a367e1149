"""Counts by key, as sorted arrays: the keys of a whole page are looked up and counted at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from newsextract.page.nesting import Booleans, Integers
    from newsextract.reading.site_memory.block_fingerprints import Keys

    Values = NDArray[np.float32]

PAGES, SEEN = 0, 1
"""Columns of every tally: the pages that hold a key, and the number of the newest of them."""


@dataclass
class Tally:
    """A row of numbers for each key, in the order of the keys."""

    width: int
    keys: Keys = field(default_factory=lambda: np.zeros(0, np.uint64))
    values: Values = field(default_factory=lambda: np.zeros((0, 0), np.float32))

    def __post_init__(self) -> None:
        if not len(self.keys):
            self.values = np.zeros((0, self.width), np.float32)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, keys: Keys) -> tuple[Integers, Booleans]:
        """Return the row of each key, and whether the key is there; the row of an absent key is arbitrary."""
        if not len(self.keys):
            return np.zeros(len(keys), np.intp), np.zeros(len(keys), np.bool_)
        rows = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
        return rows, self.keys[rows] == keys

    def column(self, keys: Keys, number: int) -> Values:
        """Return one column for these keys, 0 for absent keys."""
        if not len(self.keys):
            return np.zeros(len(keys), np.float32)
        rows, is_known = self.find(keys)
        return np.where(is_known, self.values[rows, number], np.float32(0))

    def rows(self, keys: Keys) -> tuple[Integers, Booleans]:
        """Return the row of each of these sorted, distinct keys, adding absent ones; also tell which are new."""
        before = self.keys.searchsorted(keys)
        _, is_known = self.find(keys)
        is_new = ~is_known
        if is_new.any():
            self.keys = np.insert(self.keys, before[is_new], keys[is_new])
            self.values = np.insert(self.values, before[is_new], 0, axis=0)
        return before + is_new.cumsum() - is_new, is_new

    def keep(self, rows: Booleans) -> None:
        """Drop all other rows."""
        self.keys, self.values = self.keys[rows], self.values[rows]

    def keep_best(self, count: int) -> None:
        """Drop all but this many rows: first those that one page held, and of these the oldest."""
        if len(self.keys) > count:
            order = np.lexsort((self.values[:, SEEN], self.values[:, PAGES] > 1))
            rows = np.zeros(len(self.keys), np.bool_)
            rows[order[len(order) - count :]] = True
            self.keep(rows)
