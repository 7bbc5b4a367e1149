"""A newsroom's day: run after run on one database, some of them killed, some at the same time, and no article twice."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from threading import Condition
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.extensions.run_register import command_of
from newsextract.storage.database.connection import open_engine, writing
from newsextract.storage.ledger.crawl_runs import Run, begin_run, end_run
from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import Reply, environment, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.scrapy_runs import Scrapy, TinySite, TinyWeb

STORIES = 150
KILLS = 10


def path_of(number: int) -> str:
    return f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html"


def slowly(reply: Reply, seconds: float) -> Callable[[str], Reply]:
    def answer(_: str) -> Reply:
        time.sleep(seconds)
        return reply

    return answer


def routes(stories: int, seconds: float = 0.0) -> dict[str, Reply | Callable[[str], Reply]]:
    """Return a site whose home page leads to sections of thirty stories each, with one among them twice."""
    pages = {path_of(number): slowly(html(story(number)), seconds) for number in range(stories)}
    paths = list(pages)
    sections = {f"/world{part}/": html(listing(*paths[part * 30 :][:30], paths[0])) for part in range(stories // 30)}
    return {"/": html(listing(*sections)), **sections, **pages}


def crawling(folder: Path, site: TinySite, *arguments: str) -> ForkedScrapy:
    command = ("crawl", "news", "-a", f"sites={site.home}", *arguments)
    with Path(os.devnull).open("r+b") as quiet:
        return ForkedScrapy(folder, command, environment(), (quiet, quiet, quiet))


def stored(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return [url for (url,) in database.execute("select url from articles")]


def exported(folder: Path) -> list[str]:
    lines = (folder / "output" / "articles.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["url"] for line in lines]


class Gate:
    """Lets so many stories out, and holds those who ask for more until it is opened again."""

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


def test_a_crawl_killed_at_any_moment_loses_no_article_and_doubles_none(tiny_web: TinyWeb, tmp_path: Path) -> None:
    gate = Gate()
    pages = {path: gate.held(html(story(number))) for number, path in enumerate(map(path_of, range(STORIES)))}
    site = tiny_web(routes(STORIES) | pages)
    moments = random.Random(20260520)  # noqa: S311 - the same each time; what it meets is not
    ends = [signal.SIGKILL] * (KILLS - 2) + [signal.SIGTERM, signal.SIGINT]
    for end in ends:
        gate.open(moments.randint(0, 7))
        crawl = crawling(tmp_path, site)
        wait_until(lambda: gate.left == 0)
        with pytest.raises(subprocess.TimeoutExpired):
            crawl.wait(moments.uniform(0, 0.2))
        crawl.signal_all(end)
        gate.open(STORIES)  # a crawl that ends in order waits for what it has asked for
        crawl.wait()
    assert 0 < len(stored(tmp_path)) < STORIES
    assert crawling(tmp_path, site).wait() == 0
    urls = stored(tmp_path)
    assert sorted(urls) == sorted(site.home[:-1] + path_of(number) for number in range(STORIES))
    assert sorted(exported(tmp_path)) == sorted(urls)


def test_two_crawlers_share_the_work(tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(60, 0.1))
    crawls = [crawling(tmp_path, site, "-s", "NEWSEXTRACT_OVERLAP=1") for _ in range(2)]
    assert [crawl.wait() for crawl in crawls] == [0, 0]
    asked = Counter(path for path in site.log if path.startswith("/2026"))
    assert (len(asked), set(asked.values())) == (60, {1})
    assert len(stored(tmp_path)) == len(exported(tmp_path)) == 60


def test_a_run_that_is_still_going_is_not_started_twice(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(30))
    engine = open_engine(f"sqlite:///{tmp_path}/output/newsextract.db")
    going = Run.here("news", command_of("news", [site.home]), {})  # of this process, which is alive
    with writing(engine) as connection:
        assert begin_run(connection, going, datetime.now(UTC), may_overlap=False) is None
    refused = crawl(tmp_path, site.home)
    assert (refused.code, refused.states, site.log) == (4, {}, [])
    assert "this crawl is still running: started 20" in refused.err
    assert f"process {os.getpid()} on" in refused.err
    with writing(engine) as connection:
        end_run(connection, [(going.id, "finished", {}, datetime.now(UTC))])
    engine.dispose()
    assert crawl(tmp_path, site.home).code == 0
    assert len(stored(tmp_path)) == 30


def feed_of(site: TinySite, *numbers: int) -> Reply:
    items = "".join(f"<item><link>{site.home[:-1]}{path_of(number)}</link></item>" for number in numbers)
    return Reply(f"<rss><channel>{items}</channel></rss>".encode(), headers={"Content-Type": "text/xml"})


def make_due(folder: Path, path: str) -> None:
    """Have a day pass for one page."""
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database, database:
        database.execute("update ledger set next_visit = date_visited where url like ?", (f"%{path}",))


def test_a_day_of_runs_asks_for_what_is_new_or_due(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({})
    link = '<link rel="alternate" type="application/rss+xml" href="/rss">'
    pages = {path_of(number): html(story(number)) for number in range(3)}
    home = html(listing(path_of(0), head=link), ETag='"home"')

    def visit(*arguments: str) -> tuple[dict[str, int], list[str]]:
        site.log.clear()
        run = crawl(tmp_path, site.home, *arguments)
        assert run.code == 0, run.err
        assert run.adds_up()
        return run.states, sorted(path for path in site.log if path.startswith("/2026"))

    site.routes = {"/": home, "/rss": feed_of(site, 0, 1), **pages}
    assert visit() == ({"article": 2, "listing": 1}, [path_of(0), path_of(1)])
    assert visit() == ({}, [])
    assert site.log == []  # nothing is due a minute later, not even robots.txt

    site.routes = {"/": home, "/rss": feed_of(site, 0, 1, 2), **pages}
    assert visit("-a", "fresh=1") == ({"article": 1, "unchanged": 1}, [path_of(2)])
    assert site.not_modified == ["/"]

    site.routes = {"/": home, "/rss": feed_of(site, 0, 1, 2), **pages, path_of(0): html(story(0, head="<!-- new -->"))}
    make_due(tmp_path, path_of(0))
    assert visit("-a", "only_new=1") == ({}, [])
    assert visit() == ({"duplicate": 1}, [path_of(0)])  # other bytes, the same article
    site.routes = {**site.routes, path_of(0): html(story(7))}
    make_due(tmp_path, path_of(0))
    assert visit() == ({"article": 1}, [path_of(0)])
    make_due(tmp_path, path_of(0))
    assert visit() == ({"unchanged": 1}, [path_of(0)])
    assert len(stored(tmp_path)) == 3
    assert len(exported(tmp_path)) == 4  # the one that changed is there in both versions


def test_a_line_that_a_crash_broke_off_is_written_again(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(30))
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


def test_what_since_leaves_out_is_there_for_a_run_without_it(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({})
    today = datetime.now(UTC).date().isoformat()
    dates = (today, "2020-01-01", "2020-01-02")
    entries = "".join(
        f"<url><loc>{site.home[:-1]}{path_of(number)}</loc><lastmod>{date}</lastmod></url>"
        for number, date in enumerate(dates)
    )
    site.routes = {
        "/": html(listing("/about"), ETag='"home"'),
        "/sitemap.xml": Reply(f"<urlset>{entries}</urlset>".encode()),
        **{path_of(number): html(story(number)) for number in range(3)},
    }
    assert crawl(tmp_path, site.home, "-a", "since=2d").states["article"] == 1
    site.log.clear()
    assert crawl(tmp_path, site.home).states == {"article": 2}
    assert "/sitemap.xml" not in site.log
    assert len(stored(tmp_path)) == 3
