"""The doctor's findings about a project's settings.

How the doctor finds a scrapyd that would replace the project's FEEDS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from scrapy.settings import Settings

from newsextract.tools.doctor import installation_check, project_check
from newsextract.tools.doctor.all_checks import examine, is_well
from newsextract.tools.doctor.finding import Check, Finding, Subject, Verdict, ok
from newsextract.tools.doctor.project_check import configuration_files, override_findings
from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

NOTE, OK, WARNING, FAILURE = Verdict.NOTE, Verdict.OK, Verdict.WARNING, Verdict.FAILURE
STRICT = {"NEWSEXTRACT_EXTRACTOR_OPTIONS": {"min_chars": 1000}}
ADDON = {"newsextract.addon.NewsExtract": 500}


def subject(sites: str = "", **settings: Any) -> Subject:
    return Subject(Settings(settings), sites=sites)


def worst(check: Check, examined: Subject) -> Finding:
    return max(check(examined), key=lambda finding: list(Verdict).index(finding.verdict))


@pytest.mark.parametrize(
    ("check", "settings", "verdict", "word"),
    [
        (project_check.addon, {"ADDONS": ADDON}, OK, "NewsExtract"),
        (project_check.addon, {}, FAILURE, "not in ADDONS"),
        (project_check.addon, {"ADDONS": {"newsextract.addon.NewsExtract": None}}, FAILURE, "not in ADDONS"),
        (project_check.addon, {"ADDONS": {"newsextract.adon.NewsExtract": 1}}, FAILURE, "No module named"),
        (project_check.spiders, {"SPIDER_MODULES": ["newsextract.crawl.spider"]}, OK, "news"),
        (project_check.spiders, {"ADDONS": ADDON}, FAILURE, "SPIDER_MODULES is empty"),
        (project_check.spiders, {"SPIDER_MODULES": ["newsextract.sites"]}, FAILURE, "no spider in"),
        (project_check.spiders, {"SPIDER_MODULES": ["newsextract.spyders"]}, FAILURE, "No module named"),
        (
            project_check.manners,
            {"ROBOTSTXT_OBEY": False, "USER_AGENT": "x (bot@example.com)"},
            WARNING,
            "ROBOTSTXT_OBEY",
        ),
        (project_check.manners, {"ROBOTSTXT_OBEY": True, "USER_AGENT": "x (bot@example.com)"}, OK, "robots.txt"),
        (project_check.ports, {"TELNETCONSOLE_ENABLED": True, "REMOTE_CONTROL_ENABLED": False}, WARNING, "telnet"),
        (
            project_check.ports,
            {"TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": True},
            WARNING,
            "remote control",
        ),
        (project_check.ports, {"TELNETCONSOLE_ENABLED": False, "REMOTE_CONTROL_ENABLED": False}, OK, "no telnet"),
        (
            project_check.job_folder,
            {"JOBDIR": "jobs", "NEWSEXTRACT_DATABASE": "sqlite:///a.db"},
            WARNING,
            "JOBDIR jobs",
        ),
        (installation_check.extractors, {}, OK, "auto found 180 words"),
        (installation_check.extractors, {"NEWSEXTRACT_EXTRACTOR": "msss"}, FAILURE, "there are"),
        (
            installation_check.extractors,
            {"NEWSEXTRACT_EXTRACTOR_OPTIONS": {"weights": "/no/file"}},
            FAILURE,
            "/no/file",
        ),
        (project_check.settings, {"NEWSEXTRACT_EXTRACTOR": "msss"}, FAILURE, "there are"),
        (project_check.settings, {"NEWSEXTRACT_PAGE_SECOND": 9}, FAILURE, "did you mean NEWSEXTRACT_PAGE_SECONDS?"),
        (project_check.settings, {"NEWSEXTRACT_WATCH": "watch.yml"}, FAILURE, "NEWSEXTRACT_WATCH: it needs"),
        (installation_check.extractors, {"NEWSEXTRACT_EXTRACTOR": "eatiht", **STRICT}, WARNING, "found 0 words"),
        (installation_check.weights, {}, OK, "can be read"),
        (project_check.feeds, {"FEEDS": {"a.jsonl": {"format": "jsonlines"}}}, OK, "a.jsonl"),
        (project_check.feeds, {"NEWSEXTRACT_DATABASE": "sqlite:///a.db"}, OK, "database only"),
        (project_check.feeds, {}, WARNING, "articles go nowhere"),
    ],
)
def test_judges_settings(
    check: Check, settings: dict[str, Any], verdict: Verdict, word: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    finding = worst(check, Subject(Settings(settings), folder=tmp_path))
    assert finding.verdict is verdict, finding
    assert word in finding.found
    assert bool(finding.advice) is (verdict in (WARNING, FAILURE))


def test_a_job_folder_without_a_database_is_nobodys_business() -> None:
    assert not list(project_check.job_folder(subject(JOBDIR="jobs")))


@pytest.mark.parametrize(
    ("agent", "verdict"),
    [
        ("newsextract (+https://pypi.org/project/newsextract/)", WARNING),
        ("Scrapy/2.19.0 (+https://scrapy.org)", WARNING),
        ("Mozilla/5.0", WARNING),
        ("", WARNING),
        ("courier (bot@courier.example)", OK),
        ("courier (+https://courier.example/bot)", OK),
    ],
)
def test_wants_a_user_agent_that_says_whom_to_ask(agent: str, verdict: Verdict) -> None:
    assert project_check.agent_finding(agent).verdict is verdict


def test_reads_the_list_of_sites(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_text("https://one.example\nhttps://two.example\n")
    bad.write_text("https://one.example\nwhat is this\n")
    assert worst(project_check.sites, subject(str(good))).found == f"2 in {good}"
    assert worst(project_check.sites, subject(str(bad))).verdict is FAILURE
    none = worst(project_check.sites, subject(str(tmp_path / "none.txt")))
    assert (none.verdict, none.advice) == (FAILURE, "name a file that is there, or URLs")
    assert worst(project_check.sites, subject()).verdict is NOTE


def test_says_where_it_is_when_there_is_no_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRAPY_SETTINGS_MODULE", raising=False)
    assert worst(project_check.settings, subject()).verdict is WARNING
    monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "settings.production")
    assert (
        worst(project_check.settings, subject(BOT_NAME="courier")).found
        == "settings.production, of the project courier"
    )


def test_a_check_that_breaks_down_is_a_failure_and_the_others_go_on() -> None:
    def broken(_: Subject) -> list[Finding]:
        raise ZeroDivisionError("by nothing")

    found = list(examine(subject(), {"first": broken, "second": lambda _: [ok("fine")]}))
    assert [(name, finding.verdict) for name, finding in found] == [("first", FAILURE), ("second", OK)]
    assert "ZeroDivisionError: by nothing" in found[0][1].found
    assert not is_well(found)
    assert is_well(found[1:])


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
