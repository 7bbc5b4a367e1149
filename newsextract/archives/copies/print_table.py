"""The prints of a run: a Parquet file for each WARC, whose rows are the articles in the order of the file.

Its rows of one month are, in this order, the rows of the table of articles of that month.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PRINTS = pa.schema(
    [
        pa.field("month", pa.string(), nullable=False),
        pa.field("record_id", pa.string()),
        pa.field("date", pa.string()),
        pa.field("digest", pa.binary(), nullable=False),
        pa.field("keys", pa.list_(pa.uint64()), nullable=False),
        pa.field("shingles", pa.binary(), nullable=False),
    ]
)

FOLDER = "_prints"
"""Readers of data sets pass over folders that begin like this."""

BATCH_ROWS = 2_000
"""Some six megabytes, if all of a print is read."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of the prints; the numbers count the articles of all files, from 0 on."""

    first: int
    """The number of the first row."""
    table: pa.RecordBatch


class RunPrints:
    """The prints of all files of a run, by the names of the files."""

    def __init__(self, folder: Path) -> None:
        self.files: Sequence[Path] = sorted((folder / FOLDER).glob("[!._]*.parquet"))
        self.rows = [pq.read_metadata(path).num_rows for path in self.files]

    def __len__(self) -> int:
        return sum(self.rows)

    def batches(self, *columns: str) -> Iterator[Batch]:
        """Yield these columns of all rows, in an order that is the same each time."""
        first = 0
        for path in self.files:
            with pq.ParquetFile(path, pre_buffer=False) as file:
                for table in file.iter_batches(BATCH_ROWS, columns=list(columns), use_threads=False):
                    yield Batch(first, table)
                    first += table.num_rows
