"""Several crawls of the same sites on one database: each host has one visitor at a time, and nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.storage.database.connection import make_engine
from tests.conftest import own_database
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import Reply, environment, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.scrapy_runs import TinySite, TinyWeb

PAGES = 14
DELAY = 0.4
TOLERANCE = 0.1
"""Seconds: requests are logged when they arrive, on a machine that may be busy."""
SETTINGS = {
    "NEWSEXTRACT_OVERLAP": 1, "DOWNLOAD_DELAY": DELAY, "DOWNLOAD_DELAY_JITTER": 0, "NEWSEXTRACT_WORKERS": 1,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "RETRY_TIMES": 0, "NEWSEXTRACT_TDMREP": 0,
}  # fmt: skip


class Sites:
    """Sites of some articles each, with the times of their requests."""

    def __init__(self, web: TinyWeb, count: int) -> None:
        self.times: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
        self.homes = []
        for number in range(count):
            site = web({})
            pages = {
                f"/2026/05/20/the-mayor-opens-bridge-{number}-{page}.html": number * 100 + page for page in range(PAGES)
            }
            replies = {path: html(story(page)) for path, page in pages.items()}
            replies |= {"/": html(listing(*pages)), "/robots.txt": Reply(b"", 404)}
            site.routes = {path: self._logged(site, reply) for path, reply in replies.items()}
            self.homes.append(site.home)

    def _logged(self, site: TinySite, reply: Reply) -> Callable[[str], Reply]:
        def answer(path: str) -> Reply:
            self.times[site.name].append((time.monotonic(), path))
            return reply

        return answer

    @property
    def articles(self) -> Counter[tuple[str, str]]:
        """How often each article was asked for."""
        return Counter((site, path) for site, asked in self.times.items() for _, path in asked if "/2026/" in path)

    @property
    def shortest(self) -> float:
        """The shortest time between two requests to a site."""
        return min(b - a for asked in self.times.values() for (a, _), (b, _) in pairwise(sorted(asked)))

    def wait_for(self, articles: int) -> None:
        deadline = time.monotonic() + 100
        while self.articles.total() < articles:
            assert time.monotonic() < deadline, "the crawls stand still"
            time.sleep(0.05)


@pytest.fixture(params=["sqlite", "postgresql"])
def shared_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with own_database(request.param, tmp_path) as url:
        yield url


def node(folder: Path, name: str, database: str, homes: Sequence[str]) -> ForkedScrapy:
    own = folder / name
    own.mkdir()
    given = [part for pair in SETTINGS.items() for part in ("-s", "{}={}".format(*pair))]
    command = ("crawl", "news", "-a", f"sites={','.join(homes)}", "-a", "discover=links", *given)
    with Path(os.devnull).open("r+b") as quiet, (own / "log.txt").open("wb") as log:
        return ForkedScrapy(own, command, environment(NEWSEXTRACT_DATABASE=database), (quiet, quiet, log))


def kill(crawl: ForkedScrapy) -> None:
    """End a crawl without a word, if it has not ended."""
    crawl.signal_all(signal.SIGKILL)
    crawl.wait()


def stored(database: str) -> int:
    engine = make_engine(database)
    with engine.connect() as connection:
        count: int = connection.exec_driver_sql("select count(*) from articles").scalar_one()
    engine.dispose()
    return count


def test_nodes_share_sites_and_keep_the_delay_when_one_dies_and_one_joins(
    tiny_web: TinyWeb, tmp_path: Path, shared_database: str
) -> None:
    sites = Sites(tiny_web, 6)
    with ExitStack() as stack:
        nodes = [node(tmp_path, f"node{number}", shared_database, sites.homes) for number in range(2)]
        for each in nodes:
            stack.callback(kill, each)
        sites.wait_for(10)
        kill(nodes[0])
        nodes.append(node(tmp_path, "joining", shared_database, sites.homes))
        stack.callback(kill, nodes[-1])
        assert [each.wait() for each in nodes[1:]] == [0, 0]
    assert len(sites.articles) == 6 * PAGES
    # What the killed one had asked for and not stored is asked for again.
    assert sites.articles.total() - len(sites.articles) <= 2 * len(sites.homes)
    assert sites.shortest > DELAY - TOLERANCE
    assert stored(shared_database) == 6 * PAGES


def test_sites_of_another_crawl_are_left_to_it(tiny_web: TinyWeb, tmp_path: Path) -> None:
    sites = Sites(tiny_web, 2)
    database = f"sqlite:///{tmp_path}/shared.db"
    with ExitStack() as stack:
        all_of_them = node(tmp_path, "all", database, sites.homes)
        stack.callback(kill, all_of_them)
        sites.wait_for(3)
        one = node(tmp_path, "one", database, sites.homes[:1])
        stack.callback(kill, one)
        assert one.wait() == 0
        assert sites.articles.total() < 2 * PAGES, "it did not wait for the end of the other"
        assert all_of_them.wait() == 0
    assert set(sites.articles.values()) == {1}
    assert len(sites.articles) == stored(database) == 2 * PAGES
    with closing(sqlite3.connect(tmp_path / "shared.db")) as connection:
        left = connection.execute(
            "select count(run_id) from site_leases union all select count(run_id) from host_leases"
        )
        assert left.fetchall() == [(0,), (0,)]
