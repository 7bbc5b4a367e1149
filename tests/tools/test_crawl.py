"""How a crawl ends when nobody reads what it prints any more, and when Ctrl-C or SIGTERM ends it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import IO, TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from newsextract.crawl.database import FAILED
from newsextract.terminal import INTERRUPTED
from newsextract.tools.crawl import GOES_ON, NOT_WRITTEN, interrupted
from tests.newsroom.delivery.messages import wait_until
from tests.scrapy_process import ForkedScrapy
from tests.scrapy_runs import STORY, Reply, environment, html, listing, story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tests.scrapy_runs import TinySite, TinyWeb

ENDS_WITHIN = 60.0
"""Seconds; a crawl of one page takes three."""

PATHS = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 30)]


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"/": html(listing(STORY)), STORY: html(story())})


@pytest.fixture
def many(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"/": html(listing(*PATHS)), **{path: html(story(number)) for number, path in enumerate(PATHS)}})


def start(
    folder: Path, site: TinySite, *more: str, gone: Sequence[str] = (), out: IO[bytes] | None = None
) -> ForkedScrapy:
    """Start a crawl whose output is in files, or in a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    with (
        os.fdopen(writing, "wb") as pipe, Path(os.devnull).open("rb") as nothing,
        (folder / "out").open("wb") as kept, (folder / "err").open("wb") as err,
    ):  # fmt: skip
        streams = (nothing, pipe if "out" in gone else out or kept, pipe if "err" in gone else err)
        return ForkedScrapy(folder, ("crawl", "news", "-a", f"sites={site.home}", *more), environment(), streams)


def end(process: ForkedScrapy) -> int:
    """Return the exit code; a crawl that hangs is killed."""
    try:
        return process.wait(ENDS_WITHIN)
    finally:
        process.signal_all(signal.SIGKILL)


def stored(folder: Path) -> int:
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return int(database.execute("select count(*) from articles").fetchone()[0])


@pytest.mark.parametrize(("gone", "more"), [(("out", "err"), ()), (("out",), ("-o", "-:jsonlines"))])
def test_a_reader_that_has_gone_harms_no_crawl(
    gone: Sequence[str], more: Sequence[str], site: TinySite, tmp_path: Path
) -> None:
    assert end(start(tmp_path, site, *more, gone=gone)) == 0
    assert stored(tmp_path) == 1
    assert "Traceback" not in (tmp_path / "err").read_text()


def test_articles_that_a_full_disk_refuses_are_one_line_and_an_exit_code(many: TinySite, tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = start(tmp_path, many, "-o", "-:jsonlines", out=full)
    assert end(process) == NOT_WRITTEN
    assert stored(tmp_path) == len(PATHS)
    told = (tmp_path / "err").read_text()
    assert told.count("No space left on device") == 1
    assert "Traceback" not in told
    assert told.endswith("newsextract: a file of articles could not be written to its end, see the log\n")


def test_another_ctrl_c_ends_at_once(tiny_web: TinyWeb, tmp_path: Path) -> None:
    over = Event()
    slow = tiny_web({"/": lambda _: Reply(str(over.wait(ENDS_WITHIN)).encode())})
    process = start(tmp_path, slow)
    wait_until(lambda: len(slow.log) > 1)
    process.signal_all(signal.SIGINT)
    time.sleep(0.6)
    process.signal_all(signal.SIGINT)
    assert end(process) == INTERRUPTED
    over.set()
    told = (tmp_path / "err").read_text()
    assert told.count(GOES_ON) == 1
    assert "Traceback" not in told


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, 0)])
def test_a_stopped_crawl_keeps_what_it_has(number: signal.Signals, code: int, many: TinySite, tmp_path: Path) -> None:
    process = start(tmp_path, many, "-s", "DOWNLOAD_DELAY=0.2", "-s", "CONCURRENT_REQUESTS=2")
    wait_until(lambda: len(many.log) >= 7)
    process.signal_all(number)
    assert end(process) == code
    lines = (tmp_path / "output" / "articles.jsonl").read_text("utf-8").splitlines()
    assert 0 < stored(tmp_path) == len(lines) < len(PATHS)
    assert all(json.loads(line)["articleBody"] for line in lines)
    assert "newsextract: shutdown" in (tmp_path / "out").read_text()
    told = (tmp_path / "err").read_text()
    assert told.endswith(f"{GOES_ON}\n") == (number is signal.SIGINT)
    if number is signal.SIGINT:
        assert f"; {len(PATHS) - len(lines)} pages wait for the next run; " in told


@pytest.fixture
def over() -> Iterator[Event]:
    """Servers that hang answer when it is set."""
    event = Event()
    yield event
    event.set()


def test_a_stopped_crawl_does_not_say_that_all_is_stored_where_it_is_not() -> None:
    crawler = get_crawler(settings_dict={"NEWSEXTRACT_DATABASE": "sqlite:///a.db"})
    assert crawler.stats is not None
    assert "is stored" in interrupted(crawler)
    crawler.stats.set_value(FAILED, 2)
    assert interrupted(crawler) == f"interrupted; {GOES_ON}"


def test_ctrl_c_waits_for_no_server_that_hangs(tiny_web: TinyWeb, tmp_path: Path, over: Event) -> None:
    """It has pages that never come, drop by drop, and a little late; another site never gives its robots.txt."""

    def late(seconds: float, reply: Reply) -> Callable[[str], Reply]:
        def wait(_: str) -> Reply:
            over.wait(seconds)
            return reply

        return wait

    pages = {path: html(story(day)) for day, path in enumerate(PATHS)}
    *_, slow, dripping, silent = PATHS  # the last come first
    kinds = {silent: late(ENDS_WITHIN, pages[silent]), slow: late(1.0, pages[slow])}
    site = tiny_web({"/": html(listing(*PATHS)), **pages, **kinds})
    site.dripping.add(dripping)
    other = tiny_web({"/robots.txt": late(ENDS_WITHIN, Reply()), "/": html(listing())})
    process = start(tmp_path, site, "-a", f"sites={site.home},{other.home}", "-s", "DOWNLOAD_DELAY=0.3")
    wait_until(lambda: {silent, dripping, slow} <= set(site.log) and "/robots.txt" in other.log)
    process.signal_all(signal.SIGINT)
    asked, began = site.log + other.log, time.monotonic()
    assert end(process) == INTERRUPTED
    assert time.monotonic() - began < 5
    assert len(site.log + other.log) <= len(asked) + 1, "sent before the signal was heard"
    stories = [json.loads(line)["url"] for line in (tmp_path / "output" / "articles.jsonl").read_text().splitlines()]
    assert f"{site.home[:-1]}{slow}" in stories, "pages under way end"
    told = (tmp_path / "err").read_text()
    assert f"; {len(PATHS) - len(stories) + 1} pages wait for the next run; {GOES_ON}\n" in told
    assert not any(word in told for word in ("Traceback", "data loss", "sitemap.xml"))
    over.set()
    site.dripping.clear()
    assert end(start(tmp_path, site, "-a", f"sites={site.home},{other.home}")) == 0
    assert stored(tmp_path) == len(PATHS)
