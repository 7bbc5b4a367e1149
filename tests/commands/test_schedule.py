"""`scrapy schedule`: timers whose crawls leave their articles where those of the terminal do."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tests.scrapy_process import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy

SITES = "sites:\n  - url: https://a.example/\n"


def cron_words(out: str) -> list[str]:
    (line,) = (line for line in out.splitlines() if " crawl news " in line)
    return shlex.split(line.replace("\\%", "%"))


def test_cron_uses_the_folder_and_the_database_in_force(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text(SITES)
    schedule = ("schedule", "sites.yml", "--cron", "--project", str(PROJECT))
    words = cron_words(scrapy(tmp_path, *schedule, NEWSEXTRACT_OUTPUT="my output").out)
    folder = str(tmp_path / "my output")
    assert words[words.index("mkdir") :][:3] == ["mkdir", "-p", folder]
    assert f"NEWSEXTRACT_OUTPUT={folder}" in words
    assert words[-2] == f"{folder}/newsextract.log"
    other = scrapy(tmp_path, *schedule, "-s", "NEWSEXTRACT_DATABASE=sqlite:///news.db")
    assert f"NEWSEXTRACT_DATABASE=sqlite:///{tmp_path}/news.db" in cron_words(other.out)
    units = scrapy(tmp_path, "schedule", "sites.yml", "--systemd", "--project", str(PROJECT), NEWSEXTRACT_OUTPUT="o")
    assert f"Environment=NEWSEXTRACT_OUTPUT={tmp_path}/o\n" in units.out


def test_no_password_gets_into_a_crontab(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text(SITES)
    url = "postgresql://reader:secret@127.0.0.1/news"
    run = scrapy(tmp_path, "schedule", "sites.yml", "--project", str(PROJECT), NEWSEXTRACT_DATABASE=url)
    assert run.code == 2
    assert "NEWSEXTRACT_DATABASE: its password would stand in the crontab" in run.err
    assert "secret" not in run.out + run.err


def test_a_crontab_for_several_scrapyds_runs_this_command(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text(SITES)
    schedule = ("schedule", "sites.yml", "--project", str(PROJECT), "--scrapyd", "http://a:6800/,http://b:6800")
    run = scrapy(tmp_path, *schedule, NEWSEXTRACT_DATABASE="postgresql://reader@db.example/news")
    assert run.code == 0
    (line,) = (line for line in run.out.splitlines() if " --now" in line)
    words = shlex.split(line.replace("\\%", "%"))[5:]
    assert words[:3] == ["cd", str(PROJECT), "&&"]
    assert "NEWSEXTRACT_DATABASE=postgresql://reader@db.example/news" in words
    at = words.index("schedule")
    assert words[at:] == [
        "schedule", str(tmp_path / "sites.yml"), "--scrapyd", "http://a:6800,http://b:6800", "--now", ">", "/dev/null",
    ]  # fmt: skip


def test_what_does_not_go_together_is_refused(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text(SITES)
    for options, told in (
        (("--now",), "--now gives the crawl to a scrapyd"),
        (("--now", "--scrapyd", "http://a:6800", "--cron"), "leave out --cron"),
        (("--systemd", "--scrapyd", "http://a:6800"), "leave out --systemd"),
        (("--scrapyd", "http://a:6800,http://b:6800"), "SQLite is a file of one machine"),
        (("--scrapyd", "http://a:6800,http://a:6800"), "is there twice"),
    ):
        run = scrapy(tmp_path, "schedule", "sites.yml", *options)
        assert (run.code, told in run.err) == (2, True), run.err
