"""The tables of one WARC on a disk that fails."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("brotli", reason="wants the extra `archive`")
pytest.importorskip("pyarrow", reason="wants the extra `archive`")

from newsextract.archives.engine.file_reading import read_file
from newsextract.archives.engine.file_task import FileTask
from newsextract.archives.engine.reading_plan import ReadingPlan
from newsextract.archives.locations import expand_locations
from newsextract.archives.tables.whole_table import WholeTable
from tests.archives.archive_pages import capture, write_archive

if TYPE_CHECKING:
    from pathlib import Path


def test_a_full_disk_names_the_folder_and_leaves_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: WholeTable) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file")

    monkeypatch.setattr(WholeTable, "publish", fail)
    write_archive(tmp_path / "a.warc.gz", [capture(1)])
    (location,) = expand_locations([str(tmp_path / "a.warc.gz")])
    folder = tmp_path / "articles"
    plan = ReadingPlan()
    report = read_file(FileTask(location, str(folder), plan), lambda _: None)
    assert report.trouble == f"not written: {folder}: No space left on device"
    assert not list(folder.rglob("*.parquet"))
