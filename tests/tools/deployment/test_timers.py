from __future__ import annotations

import configparser
import re
import shlex
import shutil
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.sites.site_list.site import Site
from newsextract.tools.deployment.timers import (
    Crawl,
    crontab,
    rhythm_of,
    scrapyd_crontab,
    shortest_schedule,
    systemd_service,
    systemd_timer,
)

if TYPE_CHECKING:
    from pathlib import Path

CRAWL = Crawl((sys.executable, "-m", "scrapy"), "/srv/my news/100%", '/srv/it\'s "here"/$sites.yml')

HALF_HOUR = timedelta(minutes=30)


def unit(text: str) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, comment_prefixes=("#",))
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    return parser


def test_the_shortest_schedule_is_that_of_a_site_that_is_visited() -> None:
    home = "https://a.example/"
    sites = [
        Site(home),
        Site(home, schedule=timedelta(hours=2)),
        Site(home, schedule=HALF_HOUR),
        Site(home, schedule=timedelta(minutes=15), enabled=False),
    ]
    assert shortest_schedule(sites) == HALF_HOUR
    assert shortest_schedule(sites[:1]) is None


@pytest.mark.parametrize("minutes", [15, 20, 29, 30, 45, 60, 90, 120, 300, 720, 1439, 1440, 4320, 10080])
def test_a_rhythm_is_never_slower_than_asked(minutes: int) -> None:
    asked = timedelta(minutes=minutes)
    assert asked / 7 < rhythm_of(asked).interval <= asked


def test_says_what_a_calendar_cannot() -> None:
    told = crontab(CRAWL, timedelta(minutes=45))
    assert "\n7-59/30 * * * * " in told
    assert "# The shortest schedule is 45m, which a calendar timer cannot express: it becomes 1h." in told
    assert "cannot" not in crontab(CRAWL, HALF_HOUR)
    assert "cannot" not in crontab(CRAWL, timedelta(days=3))
    assert "No site has a schedule" in crontab(CRAWL, None)


def test_a_crontabs_command_survives_cron_and_the_shell() -> None:
    line = crontab(CRAWL, HALF_HOUR).splitlines()[-1]
    command = line.removeprefix("7-59/30 * * * * ")
    assert "%" not in re.sub(r"\\%", "", command)
    words = shlex.split(command.replace("\\%", "%"))
    assert words[:2] == ["cd", CRAWL.project]
    assert words[words.index("crawl") :][:4] == ["crawl", "news", "-a", f"sites={CRAWL.sites}"]
    assert words[-3:] == [">>", "output/newsextract.log", "2>&1"]


def test_scrapyd_is_asked_by_curl_without_a_password_on_the_command_line() -> None:
    told = scrapyd_crontab("http://localhost:6800/", "watch", "/srv/sites.yml", HALF_HOUR)
    words = shlex.split(told.splitlines()[-1])[5:]
    assert words[0] == "curl"
    assert {"project=watch", "spider=news", "sites=/srv/sites.yml", "http://localhost:6800/schedule.json"} < set(words)
    assert "--netrc-optional" in words
    assert "machine localhost login" in told


def test_the_service_runs_once_and_yields_to_other_work() -> None:
    service = unit(systemd_service(CRAWL, "news"))["Service"]
    assert (service["Type"], service["User"], service["Nice"]) == ("oneshot", "news", "10")
    assert service["WorkingDirectory"] == "/srv/my news/100%%"
    assert service["ExecStart"].endswith(r'''-m scrapy crawl news -a "sites=/srv/it's \"here\"/$$sites.yml"''')


def test_the_timer_makes_up_for_what_was_missed() -> None:
    timer = unit(systemd_timer(HALF_HOUR))
    assert dict(timer["Timer"]) == {
        "OnCalendar": "*-*-* *:07/30:00",
        "Persistent": "true",
        "RandomizedDelaySec": "180",
        "FixedRandomDelay": "true",
    }
    assert timer["Install"]["WantedBy"] == "timers.target"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_understands_them(tmp_path: Path) -> None:
    folder = tmp_path / 'my "news" 100% $HOME'
    folder.mkdir()
    crawl = Crawl((sys.executable, "-m", "scrapy"), str(folder), str(folder / "sites.yml"))
    service = tmp_path / "newsextract.service"
    service.write_text(systemd_service(crawl, "root"))
    (tmp_path / "newsextract.timer").write_text(systemd_timer(HALF_HOUR))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(service), str(tmp_path / "newsextract.timer")],
        capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    assert "newsextract" not in done.stderr
    for minutes in (15, 20, 30, 60, 120, 1440, 10080):
        calendar = rhythm_of(timedelta(minutes=minutes)).calendar
        subprocess.run(["systemd-analyze", "calendar", calendar], capture_output=True, timeout=100, check=True)
