"""A table is written in row groups by what its rows weigh, and appears whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.tables.whole_table import GROUP_BYTES, WholeTable, row_bytes

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = pa.schema([("text", pa.string()), ("parts", pa.list_(pa.struct([("name", pa.string())])))])


def test_heavy_rows_make_small_groups(tmp_path: Path) -> None:
    table = WholeTable(tmp_path / "a.parquet", SCHEMA)
    for _ in range(5):
        row = {"text": "a" * (GROUP_BYTES // 2), "parts": []}
        table.add(row, row_bytes(row))
    assert not table.path.exists()
    table.publish()
    written = pq.ParquetFile(table.path).metadata
    assert [written.row_group(number).num_rows for number in range(written.num_row_groups)] == [2, 2, 1]


def test_what_lies_in_parts_is_weighed() -> None:
    assert row_bytes({"parts": [{"name": "a" * 10_000}]}) > row_bytes({"parts": []}) + 10_000


def test_halves_of_characters_are_replaced_and_the_rest_stays(tmp_path: Path) -> None:
    table = WholeTable(tmp_path / "a.parquet", SCHEMA)
    table.add({"text": "rain \ud83d", "parts": [{"name": "\udc00 桥"}]}, 1)
    table.add({"text": None, "parts": None}, 1)
    table.publish()
    assert pq.read_table(table.path).to_pylist() == [
        {"text": "rain ?", "parts": [{"name": "? 桥"}]},
        {"text": None, "parts": None},
    ]


def test_nothing_is_left_of_a_table_that_is_discarded(tmp_path: Path) -> None:
    table = WholeTable(tmp_path / "a.parquet", SCHEMA)
    table.add({"text": "rain", "parts": []}, GROUP_BYTES)
    table.discard()
    assert list(tmp_path.iterdir()) == []
