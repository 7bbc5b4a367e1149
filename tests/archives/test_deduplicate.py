"""The recipe of the docs that leaves duplicates out of a data set."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.archives.archive_pages import text_of

RECIPE = Path(__file__).parents[2] / "docs" / "how-to" / "deduplicate.py"


def test_the_earliest_of_the_same_and_of_nearly_the_same_text_is_left(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="wants duckdb, by which the recipe works")
    pytest.importorskip("pyarrow", reason="wants the extra `archive`")
    text = "\n".join(text_of(1))
    rows = {
        "later": (text, "2026-05-03"),
        "first": (text, "2026-05-01"),
        "longer": (f"{text}\nNothing else is known about it.", "2026-05-02"),
        "other": ("\n".join(text_of(2)), "2026-05-04"),
        "without": (None, "2026-05-05"),
    }
    table = {
        "warc_record_id": list(rows),
        "article_body": [body for body, _ in rows.values()],
        "warc_date": [datetime.fromisoformat(f"{date}T00:00:00+00:00") for _, date in rows.values()],
    }
    folder = tmp_path / "set" / "articles" / "month=2026-05"
    folder.mkdir(parents=True)
    pq.write_table(pa.table(table), folder / "a.parquet")
    subprocess.run([sys.executable, RECIPE, tmp_path / "set", tmp_path / "left.parquet"], check=True)
    left = pq.read_table(tmp_path / "left.parquet").column("warc_record_id").to_pylist()
    assert sorted(left) == ["first", "other", "without"]
