"""Files and folders appear whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.archives.whole_files import whole_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_takes_the_place_of_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with whole_folder(tmp_path / "out") as folder:
        (folder / "a.md").write_text("rain")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "a.md").read_text() == "rain"


def test_a_folder_with_something_in_it_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("")
    with pytest.raises(OSError, match="not empty"), whole_folder(tmp_path / "out") as folder:
        (folder / "a.md").write_text("rain")
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "mine.txt"]
