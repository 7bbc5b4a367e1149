"""Near copies: candidates whose texts are alike by the rules that hold for a crawl's copies.

The original of a copy is the first of its group: of three articles of which each is a copy of the one before it, that
is the first for both others. So an original is never a copy itself.
"""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from typing import TYPE_CHECKING, Self

import numpy as np

from newsextract.archives.copies.exact_copies import NONE
from newsextract.storage.likeness import likeness_by_counts

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.archives.copies.print_table import RunPrints

_SHINGLE_BYTES = 4
_CACHED = 4_096
"""Texts whose shingles are kept in memory, some two kilobytes each."""


def near_originals(
    prints: RunPrints, ranks: NDArray[np.int64], pairs: NDArray[np.int64], scratch: Path
) -> NDArray[np.int64]:
    """Return for each rank that of its original, `NONE` if it has none; `pairs` are those of `candidate_pairs`.

    Shingles are kept in a file in the folder `scratch` meanwhile.
    """
    originals = np.full(len(prints), NONE, np.int64)
    with _Shingles(prints, ranks, np.unique(pairs), scratch) as shingles:
        for later, earlier in pairs.tolist():  # ordered: the original of the earlier one is known by now
            if originals[later] == NONE and shingles.are_copies(later, earlier):
                known = int(originals[earlier])
                originals[later] = earlier if known == NONE else known
    return originals


class _Shingles:
    """The shingles of some articles by rank, sorted, in a file without a name."""

    def __init__(self, prints: RunPrints, ranks: NDArray[np.int64], wanted: NDArray[np.int64], scratch: Path) -> None:
        self._wanted = wanted
        self._starts = np.zeros(len(wanted), np.int64)
        self._counts = np.zeros(len(wanted), np.int64)
        self._file = tempfile.TemporaryFile(dir=scratch, prefix="_shingles")  # noqa: SIM115 - until the end of the block
        self._read = lru_cache(_CACHED)(self._read_one)
        self._write(prints, ranks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def are_copies(self, one: int, other: int) -> bool:
        """Tell whether one of two articles is a copy of the other."""
        these, those = self._read(one), self._read(other)
        common = len(np.intersect1d(these, those, assume_unique=True))
        return likeness_by_counts(common, len(these), len(those)).is_copy

    def _write(self, prints: RunPrints, ranks: NDArray[np.int64]) -> None:
        if not len(self._wanted):
            return
        start = 0
        for batch in prints.batches("shingles"):
            at = ranks[batch.first : batch.first + batch.table.num_rows]
            places = np.minimum(np.searchsorted(self._wanted, at), len(self._wanted) - 1)
            for row in np.flatnonzero(self._wanted[places] == at).tolist():
                packed = np.sort(np.frombuffer(batch.table.column("shingles")[row].as_py(), np.uint32))
                self._file.write(packed.tobytes())
                self._starts[places[row]], self._counts[places[row]] = start, len(packed)
                start += len(packed)
        self._file.flush()

    def _read_one(self, rank: int) -> NDArray[np.uint32]:
        place = int(np.searchsorted(self._wanted, rank))
        size, start = int(self._counts[place]) * _SHINGLE_BYTES, int(self._starts[place]) * _SHINGLE_BYTES
        return np.frombuffer(os.pread(self._file.fileno(), size, start), np.uint32)
