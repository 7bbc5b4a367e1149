"""Writes the flags of copies into the tables of articles of one WARC, or leaves the copies out; a task of a worker.

A table that says the same already stays as it is: whichever moment an interrupted run ended at, the next one marks what
is left.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.engine.output_layout import OutputFolder
from newsextract.archives.tables.whole_table import WholeTable
from newsextract.processes.limits import use_one_thread

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from newsextract.archives.copies.copy_flags import FileFlags

EXACT, NEAR = "duplicate_of", "near_duplicate_of"
"""The columns."""

_KEPT_NOTE = b"newsextract.kept"
"""In the metadata of a table that copies were dropped from: which of the file's articles are left, a bit each."""

_GROUP_ROWS = 2_000


@dataclass(frozen=True)
class MarkTask:
    """The flags of one WARC, and whether its copies are dropped."""

    folder: str
    flags: FileFlags
    drops: bool


@dataclass(frozen=True)
class Marked:
    """How many tables were written anew, and how many articles were dropped from all tables of the WARC by now."""

    tables: int
    dropped: int


def mark_copies(task: MarkTask, _: Callable[[object], None]) -> Marked:
    """Mark the copies of one WARC."""
    use_one_thread()
    pa.set_cpu_count(1)
    folder = OutputFolder(task.folder)
    months = pq.read_table(folder.prints_of(task.flags.name), columns=["month"], use_threads=False).column("month")
    of_row = months.to_numpy()
    tables = dropped = 0
    for month, path in folder.months_of(task.flags.name).items():
        rows = np.flatnonzero(of_row == month)
        wanted = _Wanted(rows, task.flags, drops=task.drops)
        kept = _kept(path, len(rows))
        dropped += int((wanted.is_dropped | ~kept).sum())
        if not wanted.is_said_by(path, kept):
            wanted.write(path, kept)
            tables += 1
    return Marked(tables, dropped)


class _Wanted:
    """What a table is to say of its articles, in the order in which they were read."""

    def __init__(self, rows: NDArray[np.int64], flags: FileFlags, *, drops: bool) -> None:
        self._columns = {
            EXACT: [flags.exact.get(row) for row in rows.tolist()],
            NEAR: [flags.near.get(row) for row in rows.tolist()],
        }
        is_copy = [row in flags.exact or row in flags.near for row in rows.tolist()]
        self.is_dropped = np.array(is_copy, np.bool_) & drops

    def is_said_by(self, path: Path, kept: NDArray[np.bool_]) -> bool:
        """Return whether the table says so already; `kept` are the articles that it has."""
        if (self.is_dropped & kept).any():
            return False
        said = pq.read_table(path, columns=[EXACT, NEAR], use_threads=False, partitioning=None)
        places = np.flatnonzero(kept).tolist()
        return all(
            said.column(name).to_pylist() == [values[place] for place in places]
            for name, values in self._columns.items()
        )

    def write(self, path: Path, kept: NDArray[np.bool_]) -> None:
        """Write the table anew."""
        places = np.flatnonzero(kept)
        with pq.ParquetFile(path, pre_buffer=False) as file:
            table = WholeTable(path, file.schema_arrow)
            try:
                start = 0
                for batch in file.iter_batches(_GROUP_ROWS, use_threads=False):
                    table.add_batch(self._changed(batch, places[start : start + batch.num_rows]))
                    start += batch.num_rows
                if self.is_dropped.any() or not kept.all():
                    table.note(_KEPT_NOTE.decode(), b64encode(np.packbits(kept & ~self.is_dropped).tobytes()).decode())
                table.publish()
            finally:
                table.discard()

    def _changed(self, batch: pa.RecordBatch, places: NDArray[np.int64]) -> pa.RecordBatch:
        for name, values in self._columns.items():
            index = batch.schema.get_field_index(name)
            column = pa.array([values[place] for place in places.tolist()], batch.schema.field(index).type)
            batch = batch.set_column(index, batch.schema.field(index), column)
        return batch.filter(pa.array(~self.is_dropped[places]))


def _kept(path: Path, rows: int) -> NDArray[np.bool_]:
    """Return which of the articles that were read a table still has."""
    note = (pq.read_metadata(path).metadata or {}).get(_KEPT_NOTE)
    if note is None:
        return np.ones(rows, np.bool_)
    return np.unpackbits(np.frombuffer(b64decode(note), np.uint8), count=rows).astype(np.bool_)
