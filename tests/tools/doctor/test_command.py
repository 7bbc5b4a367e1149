"""`scrapy doctor` as people run it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from newsextract.tools.doctor.all_checks import CHECKS
from tests.scrapy_runs import run_scrapy

if TYPE_CHECKING:
    from pathlib import Path


def test_prints_what_it_finds_within_eighty_columns_and_ends_well(tmp_path: Path) -> None:
    run = run_scrapy(tmp_path, "doctor", COLUMNS="80", HOME=str(tmp_path))
    assert (run.code, run.err) == (0, "")
    assert max(map(len, run.out.splitlines())) <= 80
    assert "USER_AGENT names the software and not you" in " ".join(run.out.split())
    assert "scrapyd will find: news" in run.out
    assert "1 warning" in run.out.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_prints_json_and_fails_where_something_fails(tmp_path: Path) -> None:
    (tmp_path / "sites.txt").write_text("https://one.example\n")
    options = ("-a", "sites=sites.txt", "-s", "NEWSEXTRACT_EXTRACTOR=msss", "-s", "ROBOTSTXT_OBEY=0")
    run = run_scrapy(tmp_path, "doctor", "--json", *options, HOME=str(tmp_path))
    assert (run.code, run.err) == (1, "")
    found = json.loads(run.out)
    verdicts = {(one["check"], one["verdict"]) for one in found}
    assert {("extractor", "failure"), ("manners", "warning"), ("sites", "ok")} <= verdicts
    assert {one["check"] for one in found} <= CHECKS.keys()
    assert all(one["advice"] for one in found if one["verdict"] in ("warning", "failure"))


def test_an_argument_it_does_not_know_is_an_error(tmp_path: Path) -> None:
    run = run_scrapy(tmp_path, "doctor", "-a", "limit=3")
    assert run.code == 2
    assert "-a limit: the doctor reads sites=FILE alone" in run.err
