"""A Parquet file that appears whole or not at all, written in row groups so that its size does not matter."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.whole_files import beside, put_in_place
from newsextract.storage.export import encodable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

GROUP_BYTES = 12 * 1024 * 1024
"""Of a row group before compression, as far as `size` tells; a third as much again is taken while it is written."""

GROUP_ROWS = 10_000

_ROW_BYTES = 6_000
"""What the columns of an article take beside their texts."""
_VALUE_BYTES = 64
"""What a list or a part takes itself."""


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
            self._writer.write_table(_table(self._waiting, self._schema))
            self._waiting, self.waiting_bytes = [], 0

    def note(self, name: str, value: str) -> None:
        """Add something about the file to its metadata."""
        self._writer.add_key_value_metadata({name: value})

    def publish(self) -> None:
        """Finish the file and let it appear; it is on the disk then."""
        self.flush()
        self._writer.close()
        put_in_place(self._temporary, self.path)

    def discard(self) -> None:
        """Remove what was written, unless it was published."""
        with suppress(OSError):  # the disk is full, most likely, which was said by whoever wrote
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


def row_bytes(row: Mapping[str, Any]) -> int:
    """Return about how many bytes a row of articles takes in memory, mostly its texts.

    >>> row_bytes({"headline": "Rain", "comments": [{"text": "Wet."}]}) - row_bytes({"headline": "", "comments": []})
    72
    """
    return _ROW_BYTES + sum(map(_value_bytes, row.values()))


def _value_bytes(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return 0
    return _VALUE_BYTES + sum(map(_value_bytes, value))


def _table(rows: list[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    try:
        return pa.Table.from_pylist(rows, schema)
    except UnicodeEncodeError:  # halves of characters, which JSON can state and Parquet cannot
        return pa.Table.from_pylist(_encodable(rows), schema)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {name: _encodable(inner) for name, inner in value.items()}
    return [_encodable(inner) for inner in value] if isinstance(value, list | tuple) else value
