"""`make crawl` without SITES: two days of the demo, and what is there to see afterwards."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.article import Article
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.tools.demo.__main__ import FIRST_PORT
from newsextract.tools.demo.demo_server import HOST
from newsextract.tools.demo.two_days import BETWEEN
from newsextract.tools.demo_days.two_visits import RULES
from tests.scrapy_process import SECONDS
from tests.scrapy_runs import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

DEMO = (sys.executable, "-m", "newsextract.tools.demo_days")

NEXT_DAY = """
import sys
from datetime import timedelta
from newsextract.tools.demo_days import both_days as demo
tomorrow = demo.last_midnight() + timedelta(days=1)
demo.last_midnight = lambda: tomorrow
sys.exit(demo.main([]))
"""


def live(folder: Path, command: tuple[str, ...] = DEMO, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=2 * SECONDS, check=False
    )


@contextmanager
def taken(ports: Iterable[int]) -> Iterator[None]:
    """Listen at these ports; at those that another program has, it does."""
    with ExitStack() as stack:
        for port in ports:
            with suppress(OSError):
                stack.enter_context(socket.create_server((HOST, port)))
        yield


def ports_of(folder: Path) -> list[int]:
    ports: list[int] = json.loads((folder / "output" / "newsextract.demo.json").read_text())["ports"]
    return ports


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def told(folder: Path) -> str:
    with taken(range(FIRST_PORT, FIRST_PORT + 4)):
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


def test_a_run_on_another_day_with_other_ports_free_visits_the_same_second_day(told: str, folder: Path) -> None:
    before = rows(folder, "select id, content_hash from articles order by id")
    again = live(folder, (sys.executable, "-c", NEXT_DAY))
    assert again.returncode == 0, again.stderr
    assert "is there already" in again.stdout
    assert "Day 1" not in again.stdout
    assert again.stdout.partition("make desk")[2] == told.partition("make desk")[2]
    assert rows(folder, "select id, content_hash from articles order by id") == before


def test_says_so_when_another_program_has_its_ports(told: str, folder: Path) -> None:
    assert told
    with taken(ports_of(folder)[1:2]):
        done = live(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert ", ".join(map(str, ports_of(folder))) in done.stderr
    assert "NEWSEXTRACT_OUTPUT=demo" in done.stderr


def test_after_ctrl_c_the_next_run_finishes_the_first_day(told: str, tmp_path: Path) -> None:
    process = subprocess.Popen(
        DEMO, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        until = time.monotonic() + SECONDS
        while not articles_in(tmp_path) and time.monotonic() < until:
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        stopped, _ = process.communicate(timeout=SECONDS)
    finally:
        process.kill()
    assert process.returncode == 130
    assert stopped.endswith("The first day is not finished: the same command goes on with it.\n")
    done = live(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Day 1 of 2 once more")
    assert sights_in(done.stdout) == sights_in(told)


def articles_in(folder: Path) -> int:
    try:
        return len(rows(folder, "select id from articles"))
    except sqlite3.Error:  # there is no database yet
        return 0


def sights_in(told: str) -> str:
    """Return what there is to see, without the ports."""
    seen = told.partition("make desk")[2].partition("Commands")[0]
    return " ".join(re.sub(r"127\.0\.0\.1:\d+", "SITE", seen).split())


def test_the_times_of_other_articles_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "output").mkdir()
    store = ArticleStore.open(f"sqlite:///{tmp_path}/output/newsextract.db")
    store.put(Article(url="https://a.example/1", articleBody="The bridge is closed."))
    store.close()
    query = "select date_first_seen from articles where site = 'a.example'"
    before = rows(tmp_path, query)
    done = live(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "has other articles, too: visiting only the second day." in done.stdout
    assert rows(tmp_path, query) == before


def test_without_a_database_there_is_one_crawl(tmp_path: Path) -> None:
    done = live(tmp_path, NEWSEXTRACT_DATABASE="sqlite://")
    assert (done.returncode, "Day" in done.stdout) == (0, False)
