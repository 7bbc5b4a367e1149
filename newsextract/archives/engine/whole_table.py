"""A Parquet file that appears whole or not at all, written in row groups so that its size does not matter."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.whole_files import beside, sync

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GROUP_BYTES = 12 * 1024 * 1024
"""Of a row group before compression, as far as `size` tells; a third as much again is taken while it is written."""

GROUP_ROWS = 10_000


class WholeTable:
    """A table under way: `add` rows, then `publish` it; `discard` leaves nothing.

    `repeats` names the columns whose values repeat, or says whether all do.
    """

    def __init__(self, path: Path, schema: pa.Schema, *, repeats: Sequence[str] | bool = True) -> None:
        self.path = path
        self.rows = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own: a worker that is thought dead may still be writing the same table.
        self._temporary = beside(path)
        self._schema = schema
        # A dictionary of values that are all different, such as texts, costs time and saves nothing.
        self._writer = pq.ParquetWriter(self._temporary, schema, compression="zstd", use_dictionary=repeats)
        self._waiting: list[Mapping[str, Any]] = []
        self.waiting_bytes = 0
        """How much the rows weigh that are not written yet."""

    def add(self, row: Mapping[str, Any], size: int) -> None:
        """Add a row that weighs so many bytes."""
        self._waiting.append(row)
        self.rows += 1
        self.waiting_bytes += size
        if self.waiting_bytes >= GROUP_BYTES or len(self._waiting) >= GROUP_ROWS:
            self.flush()

    def add_batch(self, batch: pa.Table | pa.RecordBatch) -> None:
        """Write rows that are a table already, as a row group."""
        self.flush()
        self._writer.write_batch(batch) if isinstance(batch, pa.RecordBatch) else self._writer.write_table(batch)
        self.rows += batch.num_rows

    def flush(self) -> None:
        """Write the rows that wait, as a row group."""
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, self._schema))
            self._waiting, self.waiting_bytes = [], 0

    def note(self, name: str, value: str) -> None:
        """Add something about the file to its metadata."""
        self._writer.add_key_value_metadata({name: value})

    def publish(self) -> None:
        """Finish the file and let it appear; it is on the disk then."""
        self.flush()
        self._writer.close()
        sync(self._temporary)
        self._temporary.replace(self.path)
        sync(self.path.parent)

    def discard(self) -> None:
        """Remove what was written, unless it was published."""
        with suppress(OSError):  # the disk is full, most likely, which was said by whoever wrote
            self._writer.close()
        self._temporary.unlink(missing_ok=True)
