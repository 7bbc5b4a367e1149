"""`make crawl` without SITES: two days of the demo, and what is there to see afterwards."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.tools.demo.two_days import BETWEEN
from newsextract.tools.demo_days.__main__ import RULES
from tests.scrapy_process import SECONDS
from tests.scrapy_runs import environment

if TYPE_CHECKING:
    from pathlib import Path

DEMO = (sys.executable, "-m", "newsextract.tools.demo_days")


def live(folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        DEMO, cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=2 * SECONDS, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def told(folder: Path) -> str:
    done = live(folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return database.execute(query).fetchall()


def test_says_what_there_is_to_see_and_what_to_try(told: str) -> None:
    assert told.index("Day 1 of 2.") < told.index("Day 2 of 2: 26 hours later.") < told.index("make desk")
    seen = " ".join(told.partition("make desk")[2].split())
    for sentence in (
        "The Calder Courier has changed “Old Harbour Bridge in Port Calder to stay closed for five weeks”",
        "The Calder Mirror has removed “Deputy mayor to resign over the bridge, sources say”",
        "6 stories have copies",
        "the rule “harbour bridge” matches 5 articles",
        "the rule “resignations” matches 1 article ",
        "have the same text as others under another headline: a wall",
    ):
        assert sentence in seen
    # Nothing else has changed: what is read in another way on the second day would look so, too.
    assert seen.count("has changed") == 1
    for command in ("scrapy search harbour bridge", "scrapy health", f"scrapy watch {RULES}", "make crawl SITES="):
        assert command in seen


def test_the_second_crawl_came_a_day_later(told: str, folder: Path) -> None:
    assert told
    (first,), (second,) = rows(folder, "select date_started from runs order by date_started")
    gap = datetime.fromisoformat(second) - datetime.fromisoformat(first)
    assert gap >= BETWEEN
    ((seen,),) = rows(folder, "select min(date_first_seen) from articles")
    assert first <= seen < second
    # What the pages state stays as it is.
    ((stated,),) = rows(folder, "select count(*) from articles where date_published_utc > date_first_seen")
    assert stated == 0


def test_the_desk_shows_that_a_page_was_removed(told: str, folder: Path) -> None:
    pytest.importorskip("datasette", reason="datasette is not installed: pip install 'newsextract[desk]'")
    from newsextract.newsroom.desk.article_detail import article

    assert told
    ((key,),) = rows(folder, "select id from articles where headline like 'Deputy mayor%'")
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        page = article(database, key)
    assert page is not None
    assert page.removal is not None
    assert page.removal.reason == "HTTP 410"


def test_a_second_run_goes_on_with_the_second_day(told: str, folder: Path) -> None:
    before = rows(folder, "select id, content_hash from articles order by id")
    again = live(folder)
    assert again.returncode == 0, again.stderr
    assert "is there already" in again.stdout
    assert "Day 1" not in again.stdout
    assert again.stdout.partition("make desk")[2] == told.partition("make desk")[2]
    assert rows(folder, "select id, content_hash from articles order by id") == before


def test_without_a_database_there_is_one_crawl(tmp_path: Path) -> None:
    done = live(tmp_path, NEWSEXTRACT_DATABASE="sqlite://")
    assert (done.returncode, "Day" in done.stdout) == (0, False)
