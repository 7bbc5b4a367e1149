"""The doctor's findings about disks, open files, the clock, Python, packages and scrapyd."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from scrapy.settings import Settings

from newsextract.tools.doctor.finding import Subject, Verdict
from newsextract.tools.doctor.installation_check import (
    package_findings,
    python_finding,
    scrapyd_findings,
    shadow_findings,
)
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


REQUIRED = ("scrapy>=2.18", "lxml>=6.0", 'psycopg>=3.2; extra == "postgres"', 'tzdata; sys_platform == "nowhere"')


@pytest.mark.parametrize(("version", "verdict"), [((3, 11, 0), Verdict.OK), ((3, 10, 14), Verdict.FAILURE)])
def test_wants_a_python_that_is_new_enough(version: tuple[int, ...], verdict: Verdict) -> None:
    assert python_finding(version).verdict is verdict


def test_names_the_versions_when_all_are_new_enough() -> None:
    (finding,) = package_findings(REQUIRED, {"scrapy": "2.19.0", "lxml": "6.1"}.get)
    assert finding.verdict is Verdict.OK
    assert finding.found == "all 2 are new enough: scrapy 2.19.0, lxml 6.1"


def test_names_each_package_that_is_missing_or_too_old_and_how_to_get_it() -> None:
    found = list(package_findings(REQUIRED, {"scrapy": "2.11.2"}.get))
    assert [(finding.verdict, finding.found, finding.advice) for finding in found] == [
        (Verdict.FAILURE, "scrapy is 2.11.2", "pip install 'scrapy>=2.18'"),
        (Verdict.FAILURE, "lxml is not installed", "pip install 'lxml>=6.0'"),
    ]


@pytest.mark.parametrize(
    ("version", "has_pkg_resources", "verdict"),
    [
        ("1.6.0", True, Verdict.OK),
        ("1.6.0", False, Verdict.FAILURE),
        ("1.7.0", False, Verdict.OK),
        (None, False, Verdict.NOTE),
    ],
)
def test_knows_which_scrapyd_needs_an_old_setuptools(
    version: str | None, has_pkg_resources: bool, verdict: Verdict
) -> None:
    (finding,) = scrapyd_findings(version, has_pkg_resources=has_pkg_resources)
    assert finding.verdict is verdict
    assert verdict is not Verdict.FAILURE or finding.advice == "pip install 'setuptools<81'"


def test_warns_of_an_installed_newsextract_that_stands_before_the_egg() -> None:
    (finding,) = shadow_findings("0.1.0", is_editable=False)
    assert finding.verdict is Verdict.WARNING
    assert not list(shadow_findings("0.1.0", is_editable=True))
    assert not list(shadow_findings(None, is_editable=False))
