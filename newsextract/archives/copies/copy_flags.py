"""For each article of a run, of which other it is a copy; the tables of one WARC at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from newsextract.archives.copies.article_order import ranks_of
from newsextract.archives.copies.candidate_pairs import candidate_pairs
from newsextract.archives.copies.exact_copies import NONE, exact_originals
from newsextract.archives.copies.near_copies import near_originals

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.archives.copies.print_table import RunPrints


@dataclass(frozen=True)
class FileFlags:
    """The copies among the articles of one WARC: by their place in its prints, the record ids of their originals."""

    name: str
    exact: dict[int, str | None] = field(default_factory=dict)
    near: dict[int, str | None] = field(default_factory=dict)


class RunFlags(Sequence[FileFlags]):
    """The flags of all files, each made when it is asked for; they take some 40 bytes an article until then."""

    def __init__(self, prints: RunPrints, scratch: Path) -> None:
        self._prints = prints
        self._starts = [0, *accumulate(prints.rows)]
        self._ranks = ranks_of(prints)
        self._exact = exact_originals(prints, self._ranks)
        pairs = candidate_pairs(prints, self._ranks, self._exact == NONE)
        near = near_originals(prints, self._ranks, pairs, scratch)
        # The copy of a near copy is one, too: of what is neither, the originals remain.
        self._near = np.where(self._exact == NONE, near, near[np.maximum(self._exact, 0)])
        self._ids = _Ids(prints, self._ranks, np.concatenate((self._exact, self._near)))

    def __len__(self) -> int:
        return len(self._prints.files)

    def __getitem__(self, number: int) -> FileFlags:  # type: ignore[override]  # nobody takes slices
        ranks = self._ranks[self._starts[number] : self._starts[number + 1]]
        name = self._prints.files[number].stem
        return FileFlags(name, self._named(self._exact[ranks]), self._named(self._near[ranks]))

    @property
    def exact(self) -> int:
        """How many articles have the same text as an earlier one."""
        return int((self._exact != NONE).sum())

    @property
    def near(self) -> int:
        """How many others are near copies of an earlier one."""
        return int(((self._near != NONE) & (self._exact == NONE)).sum())

    def _named(self, originals: NDArray[np.int64]) -> dict[int, str | None]:
        return {row: self._ids.of(int(originals[row])) for row in np.flatnonzero(originals != NONE).tolist()}


class _Ids:
    """The record ids of some articles by their ranks."""

    def __init__(self, prints: RunPrints, ranks: NDArray[np.int64], wanted: NDArray[np.int64]) -> None:
        numbers = np.unique(wanted[wanted != NONE])
        found_ranks, ids = [np.empty(0, np.int64)], []
        for batch in prints.batches("record_id"):
            at = ranks[batch.first : batch.first + batch.table.num_rows]
            is_wanted = np.isin(at, numbers)
            found_ranks.append(at[is_wanted])
            ids.append(batch.table.column("record_id").filter(pa.array(is_wanted)))
        self._ranks = np.concatenate(found_ranks)
        order = np.argsort(self._ranks)
        self._ranks = self._ranks[order]
        self._ids = pc.take(pa.chunked_array(ids, pa.string()), pa.array(order))

    def of(self, rank: int) -> str | None:
        found: str | None = self._ids[int(np.searchsorted(self._ranks, rank))].as_py()
        return found
