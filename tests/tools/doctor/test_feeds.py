"""How the doctor finds a scrapyd that would replace the project's FEEDS."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsextract.tools.doctor.finding import Verdict
from newsextract.tools.doctor.project_check import configuration_files, override_findings
from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("etc/scrapyd.conf", "etc/conf.d/50-items", "here/scrapyd.conf", "home/.scrapyd.conf", "here/scrapy.cfg")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def files(folder: Path) -> tuple[Path, ...]:
    return configuration_files(folder / "here", folder / "home", folder / "etc")


@pytest.mark.parametrize("name", NAMES)
def test_finds_items_dir_wherever_scrapyd_reads_it(name: str, tmp_path: Path) -> None:
    write(tmp_path / name, "[scrapyd]\nitems_dir = items\n")
    (finding,) = override_findings(files(tmp_path))
    assert finding.verdict is Verdict.WARNING
    assert f"items_dir = items in {tmp_path / name}" in finding.found


def test_the_last_file_wins(tmp_path: Path) -> None:
    write(tmp_path / "here/scrapyd.conf", "[scrapyd]\nitems_dir = items\n")
    write(tmp_path / "home/.scrapyd.conf", "[scrapyd]\nitems_dir =\n")
    assert not list(override_findings(files(tmp_path)))


def test_an_empty_items_dir_and_no_file_at_all_are_fine(tmp_path: Path) -> None:
    assert not list(override_findings(files(tmp_path)))
    assert not list(override_findings([PROJECT / "scrapyd.conf"]))


def test_a_file_that_scrapyd_cannot_read_is_a_failure(tmp_path: Path) -> None:
    write(tmp_path / "here/scrapyd.conf", "items_dir = items\n")
    (finding,) = override_findings(files(tmp_path))
    assert finding.verdict is Verdict.FAILURE
    assert "here/scrapyd.conf" in finding.found


def test_the_configuration_we_ship_has_no_password_and_stays_on_this_machine() -> None:
    lines = (PROJECT / "scrapyd.conf").read_text().splitlines()
    assert {"bind_address = 127.0.0.1", "username =", "password =", "items_dir ="} <= set(lines)
