"""A day of runs on one database, some at the same time: no article comes twice."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import threading
import time
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy.engine import make_url

from newsextract.article import Article
from newsextract.crawl.database import command_of
from newsextract.crawl.spider_arguments import Shard
from newsextract.storage.database import open_engine, writing
from newsextract.storage.run_lock import Run, begin_run, end_run
from tests.article_store import ArticleStore
from tests.conftest import own_database
from tests.crawl.daily_site import exported, path_of, routes, stored
from tests.crawl.parts import close, new_parts
from tests.scrapy_runs import Reply, html, listing, story
from tests.storage.test_databases import Cable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Routes, Scrapy, TinySite, TinyWeb


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


FIRST = Article(
    url="https://a.example/1",
    headline="Flood",
    articleBody="At least 12 are dead. " + " ".join(f"The river rose in street {number}." for number in range(20)),
)
SECOND = replace(FIRST, articleBody=str(FIRST.articleBody).replace("12", "15"))
LOOK = replace(SECOND, headline="FLOOD!")
COPY = replace(SECOND, url="https://b.example/1")


def stats_after(folder: Path, **settings: Any) -> dict[str, Any]:
    """Store versions and a copy, and return the resulting stats."""
    own = new_parts(NEWSEXTRACT_DATABASE=f"sqlite:///{folder}/a.db", **settings)
    database = own.database
    assert database is not None

    async def store() -> None:
        for article in (FIRST, SECOND, LOOK, COPY):
            await database.run(database.put, article)

    asyncio.run(store())
    close(own)
    stats: dict[str, Any] = own.stats.get_stats()
    return {name: value for name, value in stats.items() if name.startswith(("newsextract/rev", "newsextract/stories"))}


def test_changes_and_copies_are_counted_and_looks_are_not(tmp_path: Path) -> None:
    assert stats_after(tmp_path) == {"newsextract/revisions": 1, "newsextract/stories/linked": 2}


def test_each_can_be_switched_off(tmp_path: Path) -> None:
    assert stats_after(tmp_path, NEWSEXTRACT_STORIES=False) == {"newsextract/revisions": 1}
    (tmp_path / "b").mkdir()
    assert stats_after(tmp_path / "b", NEWSEXTRACT_REVISIONS=False) == {"newsextract/stories/linked": 2}


PATHS = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(12)]


def site_with(cable: Cable) -> Routes:
    """Return a site that takes the database down when its third story is fetched, and brings it back later."""
    mending = threading.Timer(1.5, cable.mend)

    def cutting(_path: str) -> Reply:
        if mending.ident is None:
            cable.cut()
            mending.start()
        return html(story(3))

    routes = {path: html(story(number)) for number, path in enumerate(PATHS)}
    return routes | {"/": html(listing(*PATHS)), PATHS[3]: cutting}


@pytest.mark.server
def test_a_database_that_goes_away_for_a_while_costs_nothing(tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb) -> None:
    with own_database("postgresql", tmp_path) as url:
        ArticleStore.open(url).close()
        parsed = make_url(url)
        cable = Cable(parsed.host or "127.0.0.1", parsed.port or 5432)
        through = parsed.set(host="127.0.0.1", port=cable.port).render_as_string(hide_password=False)
        settings = ("-s", f"NEWSEXTRACT_DATABASE={through}")
        started = time.monotonic()
        run = crawl(tmp_path, tiny_web(site_with(cable)).home, *settings)
        assert time.monotonic() - started > 1.5
        assert (run.code, run.states["article"]) == (0, len(PATHS)), run.err
        assert "item_error_count" not in run.stats
        assert "the database is away" in run.err
        assert "the database is back" in run.err
        store = ArticleStore.open(url)
        assert store.count() == len(PATHS)
        store.close()
        cable.cut()


def test_stored_articles_are_searched(tmp_path: Path, scrapy: Scrapy) -> None:
    url = f"sqlite:///{tmp_path}/a.db"
    store = ArticleStore.open(url)
    store.put(Article(url="https://a.example/1", headline="L'[b]Élysée", articleBody="Un pont.", datePublished="2026"))
    store.close()
    chosen = ("-s", f"NEWSEXTRACT_DATABASE={url}")
    shown = scrapy(tmp_path, "search", "elysee", '"un pont"', *chosen)
    assert (shown.code, shown.err) == (0, f"database: {tmp_path}/a.db\n")
    assert "L'[b]Élysée" in shown.out
    assert "https://a.example/1" in shown.out
    (hit,) = map(json.loads, scrapy(tmp_path, "search", "--json", "-n", "3", "PONT", *chosen).out.splitlines())
    assert (hit["site"], hit["date_published"], hit["snippet"]) == ("a.example", "2026", "Un pont.")
    nothing = scrapy(tmp_path, "search", "missing", *chosen)
    assert (nothing.code, nothing.out) == (1, "")
    wrong = scrapy(tmp_path, "search", "東京", "headlin:pont", *chosen)
    assert wrong.code == 2
    assert "newsextract search: headlin: is no field; did you mean headline:? (in quotes, it is a word)\n" in wrong.err
    assert wrong.err.endswith("\n  東京 headlin:pont\n       ^\n")
    refused = scrapy(tmp_path, "search", "pont", "-s", "NEWSEXTRACT_DATABASE=")
    assert refused.code == 2
    assert "NEWSEXTRACT_DATABASE is not set" in refused.err
