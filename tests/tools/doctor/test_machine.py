"""What the doctor says of disks, open files and the clock."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from scrapy.settings import Settings

from newsextract.tools.doctor.finding import Subject, Verdict
from newsextract.tools.doctor.machine_check import (
    MEGABYTE,
    clock_finding,
    files_finding,
    output,
    place_finding,
    space_finding,
    written_places,
)

OK, WARNING, FAILURE = Verdict.OK, Verdict.WARNING, Verdict.FAILURE


@pytest.mark.parametrize(("megabytes", "verdict"), [(99, FAILURE), (100, WARNING), (1023, WARNING), (1024, OK)])
def test_a_disk_must_have_room(megabytes: int, verdict: Verdict) -> None:
    assert space_finding(Path("/srv"), megabytes * MEGABYTE).verdict is verdict


def test_a_folder_that_will_be_made_is_examined_above(tmp_path: Path) -> None:
    assert place_finding(tmp_path / "new" / "folder").verdict is not FAILURE
    assert not (tmp_path / "new").exists()


def test_a_file_in_the_way_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    finding = place_finding(tmp_path / "file" / "folder")
    assert finding.verdict is FAILURE
    assert f"{tmp_path / 'file'} cannot be written" in finding.found


def test_knows_every_place_that_is_written() -> None:
    targets = ("a/x.jsonl", "file:///b/x.jsonl", "/c/%(name)s/x.jsonl", "s3://d/x.jsonl", "stdout:")
    feeds: dict[str, dict[str, str]] = {target: {} for target in targets}
    settings = Settings({"FEEDS": feeds, "NEWSEXTRACT_DATABASE": "sqlite:////e/x.db", "JOBDIR": "f"})
    assert {str(place) for place in written_places(settings, Path("/here"))} == {"/here/a", "/b", "/c", "/e", "/here/f"}


@pytest.mark.parametrize("url", ["", "postgresql://host/news", "no url", "sqlite://"])
def test_a_database_elsewhere_is_no_place_here(url: str) -> None:
    assert not written_places(Settings({"NEWSEXTRACT_DATABASE": url}), Path("/here"))


def test_says_where_relative_output_goes() -> None:
    feeds: dict[str, dict[str, str]] = {
        name: {} for name in ("output/a.jsonl", "/srv/a.jsonl", "s3://bucket/a.jsonl", "-")
    }
    (finding,) = output(Subject(Settings({"FEEDS": feeds}), Path("/here")))
    assert finding.found == "output/a.jsonl is relative to where a crawl is started, here /here"
    assert not list(output(Subject(Settings({"FEEDS": {"/srv/a.jsonl": {}}}))))


@pytest.mark.parametrize(("limit", "verdict"), [(None, OK), (1024, OK), (320, OK), (319, WARNING)])
def test_wants_files_enough_for_all_connections(limit: int | None, verdict: Verdict) -> None:
    assert files_finding(limit, 64).verdict is verdict


@pytest.mark.parametrize(("year", "verdict"), [(1970, FAILURE), (2024, FAILURE), (2025, OK)])
def test_a_clock_must_not_stand_before_this_was_written(year: int, verdict: Verdict) -> None:
    assert clock_finding(datetime(year, 6, 1, tzinfo=UTC)).verdict is verdict
