"""A day of runs on one database, some at the same time: no article comes twice."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.crawl.database import command_of
from newsextract.crawl.spider_arguments import Shard
from newsextract.storage.database import open_engine, writing
from newsextract.storage.run_lock import Run, begin_run, end_run
from tests.crawl.daily_site import exported, path_of, routes, stored
from tests.scrapy_runs import Reply, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinySite, TinyWeb


def test_shards_share_the_sites_and_each_runs_once(tiny_web: TinyWeb, tmp_path: Path, crawl: Scrapy) -> None:
    sites = [tiny_web(routes(10)) for _ in range(4)]
    homes = ",".join(site.home for site in sites)
    found = 0
    for number in (1, 2):
        run = crawl(tmp_path, homes, "-a", f"shard={number}/2")
        own = [site.home for site in sites if Shard(number, 2).has(site.home)]
        assert (run.code, run.states.get("article", 0)) == (0, 10 * len(own))
        found += len(own)
    assert found == 4
    assert len(stored(tmp_path)) == len(exported(tmp_path)) == 40
    assert all(Counter(site.log)[path_of(0)] == 1 for site in sites)
    engine = open_engine(f"sqlite:///{tmp_path}/output/newsextract.db")
    going = Run.here("news", command_of("news", [site.home for site in sites], "2/2"), {})
    with writing(engine) as connection:
        assert begin_run(connection, [(going, datetime.now(UTC))]) == [None]
    engine.dispose()
    assert crawl(tmp_path, homes, "-a", "shard=1/2").code == 0
    refused = crawl(tmp_path, homes, "-a", "shard=/2", JOB_COMPLETION_INDEX="1")
    assert refused.code == 4
    assert "still running (shard 2/2)" in refused.err


def test_a_run_that_is_still_going_is_not_started_twice(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(routes(10))
    engine = open_engine(f"sqlite:///{tmp_path}/output/newsextract.db")
    going = Run.here("news", command_of("news", [site.home]), {})  # of this process, which is alive
    with writing(engine) as connection:
        assert begin_run(connection, [(going, datetime.now(UTC))]) == [None]
    refused = crawl(tmp_path, site.home)
    assert (refused.code, refused.states, site.log) == (4, {}, [])
    assert "this crawl is still running: started 20" in refused.err
    assert f"process {os.getpid()} on" in refused.err
    with writing(engine) as connection:
        end_run(connection, [(going.id, "finished", {}, datetime.now(UTC))])
    engine.dispose()
    assert crawl(tmp_path, site.home).code == 0
    assert len(stored(tmp_path)) == 10


def feed_of(site: TinySite, *numbers: int) -> Reply:
    items = "".join(f"<item><link>{site.home[:-1]}{path_of(number)}</link></item>" for number in numbers)
    return Reply(f"<rss><channel>{items}</channel></rss>".encode(), headers={"Content-Type": "text/xml"})


def make_due(folder: Path, path: str) -> None:
    """Let a day pass for one page."""
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
