"""The benchmark that compares a data set with the manifest of its archives finds what differs, and only that."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("pyarrow", reason="wants pyarrow, of the extra archive")
pytest.importorskip("brotli", reason="wants the extra `archive`")

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import archive_files, archive_truth
from newsextract.cli import main
from tests.archives.archive_pages import story_page

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pages, their archives, two of each page and a third of all damaged, and what was read."""
    folder = tmp_path_factory.mktemp("truth")
    (folder / "pages").mkdir()
    for number in range(10):
        (folder / "pages" / f"{number}.html").write_bytes(story_page(number))
    with pytest.MonkeyPatch.context() as patch:
        options = ["--pages", "20", "--pages-a-file", "10", "--damaged", ".3"]
        patch.setattr(sys, "argv", ["archive_files", str(folder / "pages"), "-o", str(folder / "warcs"), *options])
        archive_files.main()
    warcs = [str(path) for path in (folder / "warcs").glob("*.warc*")]
    assert main(["archive", *warcs, "-o", str(folder / "read"), "--jobs", "1"]) == 0
    return folder


def compared(
    folder: Path, source: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[object, str]:
    arguments = [str(folder / "warcs"), str(folder / "read"), *(["--source", str(folder / source)] if source else [])]
    monkeypatch.setattr(sys, "argv", ["archive_truth", *arguments])
    with pytest.raises(SystemExit) as ended:
        archive_truth.main()
    return ended.value.code, "".join(capsys.readouterr())


def test_a_run_is_as_its_manifest_says(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    articles = json.loads((made / "read" / "summary.json").read_text("utf-8"))["articles"]
    assert articles > 10
    code, told = compared(made, "pages", monkeypatch, capsys)
    assert f"{articles} of {articles} articles compared" in told
    assert "\n0 differences" in told
    assert code == 0


@pytest.mark.parametrize(
    ("source", "told"), [("", "required: --source"), ("none.jsonl.xz", "none.jsonl.xz is not there; ")]
)
def test_a_missing_source_is_an_error(
    made: Path, source: str, told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said = compared(made, source, monkeypatch, capsys)
    assert code == 2
    assert told in said


def test_what_differs_is_named(made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    [path] = (made / "read" / "articles").glob("*/pages-00000-*.parquet")
    whole, (records, *_) = path.read_bytes(), (made / "read" / "records").glob("*.parquet")
    table = pq.read_table(path, partitioning=None)
    place = table.schema.get_field_index("headline")
    changed = pa.array(["Another headline", *table.column("headline").to_pylist()[1:]])
    pq.write_table(table.set_column(place, "headline", changed), path)
    ends = records.read_bytes()
    pq.write_table(pq.read_table(records).slice(1), records)
    try:
        code, told = compared(made, "pages", monkeypatch, capsys)
    finally:
        path.write_bytes(whole)
        records.write_bytes(ends)
    assert code == 1
    assert "headline is 'Another headline', not " in told
    assert "records: 2" in told
