"""Crawls that end in their midst: the next run makes of it what an undisturbed crawl would have made."""

from __future__ import annotations

import json
import random
import signal
import sqlite3
import subprocess
from contextlib import closing
from threading import Condition
from typing import TYPE_CHECKING

import pytest

from newsextract import read_article
from newsextract.tools.crawl import NOT_WRITTEN
from tests.crawl.daily_site import crawling, exported, path_of, routes, stored
from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_runs import Reply, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

STORIES = 60
KILLS = 5
NOTICE = b"<p>This text is on every page of the site, and stands where the paragraphs stand, as a story's last one.</p>"


def twin_of(number: int) -> str:
    return path_of(number).replace("05/20", "05/21")


def bodies_in(folder: Path) -> dict[str, str]:
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return dict(database.execute("select url, article_body from articles").fetchall())


class Gate:
    """Serves so many stories, and holds further requests until it is opened again."""

    def __init__(self) -> None:
        self.left, self._round, self._changed = 0, 0, Condition()

    def open(self, stories: int) -> None:
        with self._changed:
            self.left, self._round = stories, self._round + 1
            self._changed.notify_all()

    def held(self, reply: Reply) -> Callable[[str], Reply]:
        def answer(_: str) -> Reply:
            with self._changed:
                asked = self._round
                self._changed.wait_for(lambda: self.left > 0 or self._round != asked)
                self.left -= self._round == asked  # who asked before may have been killed since
            return reply

        return answer


def test_a_crawl_killed_at_any_moment_leaves_what_an_undisturbed_one_does(tiny_web: TinyWeb, tmp_path: Path) -> None:
    gate = Gate()
    bodies = {number: story(number).replace(b"</body>", NOTICE + b"</body>") for number in range(STORIES)}
    twins = {twin_of(number): number for number in range(0, STORIES, 10)}
    numbers = {path_of(number): number for number in range(STORIES)} | twins
    first = routes(STORIES)
    sections = [path for path in first if path.startswith("/world")]
    lists = {"/": html(listing(*sections, "/more/")), "/more/": html(listing(*twins))}
    pages = {path: gate.held(html(bodies[number])) for path, number in numbers.items()}
    site = tiny_web(first | lists | pages)
    moments = random.Random(20260520)  # noqa: S311 - the same each time; what it meets is not
    ends = [signal.SIGKILL] * (KILLS - 2) + [signal.SIGTERM, signal.SIGINT]
    for number, end in enumerate(ends, 1):
        gate.open(moments.randint(0, 5))
        crawl = crawling(tmp_path, site)
        wait_until(lambda: gate.left == 0)
        with pytest.raises(subprocess.TimeoutExpired):
            crawl.wait(moments.uniform(0, 0.2))
        crawl.signal_all(end)
        gate.open(STORIES)  # a crawl that ends in order waits for what it has asked for
        crawl.wait()
        if number == KILLS - 2:  # those that end in order may take what is left with them, on a busy machine
            assert len(stored(tmp_path)) < STORIES
    assert crawling(tmp_path, site).wait() == 0
    paths = [url.removeprefix(site.home[:-1]) for url in stored(tmp_path)]
    assert sorted(numbers[path] for path in paths) == list(range(STORIES))  # of two addresses of one text, either
    assert sorted(exported(tmp_path)) == sorted(site.home[:-1] + path for path in paths)
    texts = bodies_in(tmp_path)
    for path in paths[::10]:
        url = site.home[:-1] + path
        assert texts[url] == read_article(bodies[numbers[path]], url).articleBody


def test_a_line_that_a_crash_broke_off_is_written_again(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(10))
    assert crawl(tmp_path, site.home).code == 0
    # As after a crash between the database and the end of the last two lines: one whole, one broken, none noted.
    lines = tmp_path / "output" / "articles.jsonl"
    *whole, last, broken = lines.read_text("utf-8").splitlines(keepends=True)
    lines.write_text("".join(whole) + last + broken[:100], "utf-8")
    in_doubt = [json.loads(line)["url"] for line in (last, broken)]
    with closing(sqlite3.connect(tmp_path / "output" / "newsextract.db")) as database, database:
        for url in in_doubt:
            database.execute(
                "update ledger set state = null, date_visited = null, next_visit = date_first_seen where url = ?",
                (url,),
            )
    site.log.clear()
    again = crawl(tmp_path, site.home)
    assert again.states == {"article": 1, "duplicate": 1}
    assert again.reasons == {"duplicate/stored and exported by a run that broke off": 1}
    assert sorted(exported(tmp_path)) == sorted(stored(tmp_path))
    assert crawl(tmp_path, site.home).states == {}


def test_what_a_full_disk_kept_from_the_lines_is_exported_by_the_next_run(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    site = tiny_web(routes(10))
    full = crawl(tmp_path, site.home, "-o", "/dev/full:jsonlines")
    assert (full.code, full.err.count("articles cannot be written"), len(full.rows)) == (NOT_WRITTEN, 1, 10)
    assert "error" not in full.states
    assert "Traceback" not in full.err
    (tmp_path / "output" / "articles.jsonl").unlink(missing_ok=True)
    assert len({line["url"] for line in crawl(tmp_path, site.home).lines}) == 10


def test_a_text_is_stored_once_whichever_run_met_it(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({})
    again = "/print/the-mayor-opens-bridge-number-1.html"
    site.routes = {"/": html(listing(path_of(1))), path_of(1): html(story(1))}
    assert crawl(tmp_path, site.home).states == {"article": 1, "listing": 1}
    site.routes = {"/": html(listing(again)), again: html(story(1))}
    run = crawl(tmp_path, site.home, "-a", "fresh=1")
    assert run.states == {"duplicate": 1, "listing": 1}
    assert run.reasons["duplicate/same text"] == 1
    assert len(stored(tmp_path)) == len(exported(tmp_path)) == 1
