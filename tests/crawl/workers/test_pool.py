"""Worker processes: killed, replaced and recycled, without losing the work of others."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.workers import worker_lanes
from newsextract.crawl.workers.worker_answers import ReaderPlan, TooSlow, WorkerDied, WorkerError
from newsextract.crawl.workers.worker_pool import SPARES, Readers
from newsextract.page.page import Page
from newsextract.reading.memory import KeptMemory, unpack
from newsextract.reading.notices import KINDS, NoArticle, NoticeCode, PageState, noticed
from newsextract.settings import workers_that_pay
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.ledger.site_memory_table import SiteMemoryStore
from tests.crawl.workers.conftest import page_at
from tests.reading.site_memory.conftest import story

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future
    from pathlib import Path

    from newsextract.article import Article

STORY = "https://plain.example/news/2026/05/20/a-bridge-opens-after-many-years.html"


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no spare worker start because the machine is busy."""
    monkeypatch.setattr(worker_lanes, "LONG_SECONDS", 1000.0)


@pytest.fixture
def readers(odd: ReaderPlan) -> Iterator[Readers]:
    readers = Readers(odd, 1, seconds=100)
    yield readers
    readers.close().result(100)


def pid_of(reading: Future[Article]) -> int:
    report = reading.result(100).extraction
    assert report is not None
    return int(report.warnings[-1].rpartition(" ")[2])


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(pid: int, seconds: float) -> bool:
    """Tell whether a process ends within the time limit."""
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(pid)


def test_a_page_over_its_time_ends_and_its_worker_is_replaced(odd: ReaderPlan) -> None:
    readers = Readers(odd, 1, seconds=3)
    before = pid_of(readers.read(page_at(STORY)))
    with pytest.raises(TooSlow, match="more than 3 seconds"):
        readers.read(page_at(f"{STORY}?slow")).result(100)
    assert pid_of(readers.read(page_at(STORY))) != before
    assert wait_for_end(before, 100)
    assert readers.counts() == {"started": 2, "killed": 1, "died": 0}
    readers.close().result(100)


def test_no_page_waits_for_the_slow_ones_before_it(
    readers: Readers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_lanes, "LONG_SECONDS", 0.2)
    end = tmp_path / "end"
    slow = [readers.read(page_at(f"{STORY}?{number}&until={end}")) for number in range(2)]
    pids = [pid_of(readers.read(page_at(f"{STORY}?{number}"))) for number in range(5)]
    assert not any(reading.done() for reading in slow)
    assert readers.counts() == {"started": 1 + SPARES, "killed": 0, "died": 0}
    end.touch()
    assert {pid_of(reading) for reading in slow}.isdisjoint(pids)


def test_a_worker_that_dies_costs_one_page(readers: Readers) -> None:
    asked = [readers.read(page_at(f"{STORY}?{name}")) for name in ("0", "fatal", "1", "fatal=2", "2")]
    for fatal in (asked[1], asked[3]):
        with pytest.raises(WorkerDied):
            fatal.result(100)
    assert all(pid_of(asked[n]) for n in (0, 2, 4))


def test_a_worker_that_dies_idle_is_replaced(readers: Readers) -> None:
    first = pid_of(readers.read(page_at(STORY)))
    os.kill(first, 9)
    assert pid_of(readers.read(page_at(STORY))) != first


def test_errors_are_what_they_are_elsewhere(readers: Readers) -> None:
    wrong, untold = (readers.read(page_at(f"{STORY}?{name}")) for name in ("wrong", "untold"))
    with pytest.raises(KeyError, match="what it looked for") as caught:
        wrong.result(100)
    assert "odd_extractors.py" in "".join(caught.value.__notes__)
    with pytest.raises(WorkerError, match="Untold: one thing and another"):
        untold.result(100)
    with pytest.raises(NoArticle) as ended:
        readers.read(page_at("https://plain.example/")).result(100)
    assert (ended.value.state, ended.value.reason) == (PageState.LISTING, "home page")
    assert ended.value.reason.code is NoticeCode.OF_KIND
    assert readers.counts()["started"] == 1


def test_a_site_keeps_its_worker(odd: ReaderPlan) -> None:
    readers = Readers(odd, 2)
    sites = [f"https://{name}.example" for name in "abcdef"]
    pids = [
        {pid_of(readers.read(page_at(f"{site}/2026/05/20/story-{n}-of-this.html"))) for n in range(3)} for site in sites
    ]
    readers.close().result(100)
    assert all(len(each) == 1 for each in pids)
    assert len(set.union(*pids)) == 2


def test_a_recycled_worker_loses_nothing_of_what_it_learned(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path}/articles.db"
    readers = Readers(ReaderPlan("mss", database=database), 1, pages=4)
    read = [readers.read(story(number)) for number in range(10)]
    assert all(reading.result(100).articleBody for reading in read)
    readers.close().result(100)
    assert readers.counts() == {"started": 3, "killed": 0, "died": 0}
    store = ArticleStore.open(database)
    _, packed, _ = SiteMemoryStore(store.engine).load("plain.example") or KeptMemory(0, b"")
    store.close()
    assert unpack(packed).pages == 10


def test_what_a_worker_notices_arrives_as_a_value() -> None:
    readers = Readers(ReaderPlan("mss", kinds=KINDS), 1)
    pages = [story(number, layout="story" if number < 12 else "modern") for number in range(16)]
    read = [future.result(60) for future in [readers.read(page) for page in pages]]
    readers.close().result(60)
    warnings = read[-1].extraction.noticed if read[-1].extraction else ()
    assert [one.values for one in noticed(NoticeCode.LAYOUT_CHANGED, warnings)] == [{"shape": "/news/0"}]


def test_nothing_runs_on_after_the_end(odd: ReaderPlan) -> None:
    readers = Readers(odd, 2)
    asked = [readers.read(page_at(f"https://{name}.example/2026/05/20/a-story-of-five.html")) for name in "abcd"]
    readers.close().result(100)
    assert all(reading.done() for reading in asked)
    assert not any(is_running(pid_of(reading)) for reading in asked)


def test_a_thread_answers_as_a_process_does(odd: ReaderPlan) -> None:
    readers = Readers(odd, 0)
    assert pid_of(readers.read(page_at(STORY))) == os.getpid()
    with pytest.raises(KeyError, match="what it looked for"):
        readers.read(page_at(f"{STORY}?wrong")).result(100)
    page = Page(
        '<link rel=alternate type=application/rss+xml href=/rss><a href="/b">A headline</a>', "https://a.example/"
    )
    survey = readers.survey(page).result(100)
    assert [link.url for link in survey.links] == ["https://a.example/b"]
    assert survey.feeds == ("https://a.example/rss",)
    broken = readers.read_sitemap(
        b"<urlset><url><loc>https://a.example/1</loc></url>", "https://a.example/s.xml"
    ).result(100)
    assert [entry.url for entry in broken.entries] == ["https://a.example/1"]
    assert "broken XML" in str(broken.trouble)
    readers.close().result(100)


def test_a_page_of_several_is_known_by_its_links(odd: ReaderPlan) -> None:
    readers = Readers(odd, 0)
    first, second = "https://a.example/a-story-of-five.html", "https://a.example/a-story-of-five.html?page=2"
    page = Page(f"<link rel=canonical href={first}><a href='?page=3'>3</a>", second)
    place = readers.paginate(page, first).result(100)
    assert (place.first_page, place.next_page) == (first, f"{first}?page=3")
    readers.close().result(100)


def test_one_processor_is_not_shared_by_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {}
    for count in (1, 2, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, count=count: set(range(count)), raising=False)
        counts[count] = workers_that_pay()
    assert counts == {1: 0, 2: 2, 64: 8}


def test_a_memory_that_cannot_be_kept_costs_no_article(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    readers = Readers(replace(ReaderPlan("mss"), database=f"sqlite:///{tmp_path}/articles.db"), 1)
    (tmp_path / "articles.db").write_text("no database any more")
    (tmp_path / "articles.db-wal").unlink(missing_ok=True)
    assert readers.read(story(1)).result(100).articleBody
    readers.close().result(100)
    assert "what is known of the sites cannot be read for now" in caplog.text
