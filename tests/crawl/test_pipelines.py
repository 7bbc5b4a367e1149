"""What the pipelines make of pages and articles, one by one, with worker processes and with threads."""

from __future__ import annotations

import asyncio
import errno
import json
import subprocess
import sys
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.utils.test import get_crawler

from newsextract import read_article
from newsextract.article import Article
from newsextract.crawl.database import Database
from newsextract.crawl.outcome import SAME_UNDER_HEADLINES, PageDropped
from newsextract.crawl.pipelines import WARNING, JudgingPipeline, ReadingPipeline, StoringNewPipeline
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.crawl.spider import NewsSpider
from newsextract.newsroom.health.report import SITES_DEGRADED
from newsextract.page.page import Page
from newsextract.reading.notices import PageState
from newsextract.sites.site import Site, SiteIndex
from newsextract.tools.crawl import NOT_WRITTEN, exit_code
from tests.crawl.parts import parts
from tests.scrapy_runs import html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb


HOME = "https://example.com/"
PATHS = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 20)]


def judging(*sites: Site) -> JudgingPipeline:
    return JudgingPipeline(SiteIndex(sites))


def passed(pipeline: Any, item: Any) -> Any:
    return asyncio.run(pipeline.process_item(item))


def dropped(pipeline: Any, item: Any) -> tuple[PageState, str]:
    with pytest.raises(PageDropped) as caught:
        passed(pipeline, item)
    return caught.value.outcome.state, caught.value.outcome.reason


def test_reading_leaves_other_items_alone_and_chooses_by_site() -> None:
    site = Site("https://www.example.com/", extractor="eatiht")
    with parts(site, NEWSEXTRACT_EXTRACTOR="mss") as own:
        pipeline = ReadingPipeline(own)
        urls = ("https://sport.example.com/a-b-c-d-e", "https://example.org/a-b-c-d-e")
        assert [passed(pipeline, Page(story(), url)).extraction.extractor for url in urls] == ["eatiht", "mss"]
        assert passed(pipeline, {"their": "item"}) == {"their": "item"}
        assert dropped(pipeline, Page("", HOME)) == (PageState.EMPTY, "no main content")
        assert dropped(pipeline, Page(story(), HOME)) == (PageState.LISTING, "home page")


def test_duplicates_are_dropped_by_address_and_by_text() -> None:
    pipeline = judging()
    passed(pipeline, read_article(story(1), "https://example.com/a"))
    same_place = read_article(story(2), "http://www.example.com/a/?utm_medium=x")
    same_text = read_article(story(1), "https://example.com/b")
    assert dropped(pipeline, same_place) == (PageState.DUPLICATE, "same canonical URL")
    assert dropped(pipeline, same_text) == (PageState.DUPLICATE, "same text")
    elsewhere = read_article(story(1), "https://other.example/a")
    assert passed(pipeline, elsewhere) is elsewhere
    assert passed(pipeline, {"their": "item"}) == {"their": "item"}


def test_a_canonical_url_makes_a_duplicate_only_on_the_same_site_and_of_the_same_text() -> None:
    def page(number: int, url: str, canonical: str) -> Article:
        return read_article(story(number, head=f'<link rel="canonical" href="https://{canonical}">'), f"https://{url}")

    pipeline = judging(Site("https://a.example/", more_starts=("https://b.test/",)))
    for new in (
        page(1, "a.example/1", "a.example/1"),
        page(1, "copies.example/1", "a.example/1"),
        page(2, "a.example/2", "a.example/1"),
        page(3, "a.example/3", "a.example/4"),
        page(4, "a.example/4", "a.example/3"),
    ):
        assert passed(pipeline, new) is new
    for known in (page(1, "m.a.example/1", "a.example/1"), page(1, "b.test/1", "a.example/1")):
        assert dropped(pipeline, known) == (PageState.DUPLICATE, "same canonical URL")


def test_articles_in_another_language_than_their_sites_are_dropped() -> None:
    pipeline = judging(Site("https://a.example/", languages=("pt", "no")))
    for number, language in enumerate(("pt-BR", "nb", None)):
        article = Article(f"https://www.a.example/{number}", articleBody=str(number), inLanguage=language)
        assert passed(pipeline, article) is article
    assert dropped(pipeline, Article("https://a.example/9", inLanguage="en")) == (PageState.OTHER, "another language")
    elsewhere = Article("https://b.example/", inLanguage="en")
    assert passed(pipeline, elsewhere) is elsewhere


def items(*headlines: str, body: str = "A text that stands everywhere.") -> list[Article]:
    return [Article(url=f"https://a.example/{n}", headline=each, articleBody=body) for n, each in enumerate(headlines)]


def test_the_third_headline_makes_an_interstitial_and_the_text_of_another_site_does_not_count() -> None:
    pipeline = judging()
    first, *again, third = items("One", "one ", "ONE", "Two", "One", "Two", "Three")
    elsewhere = Article(url="https://b.example/", headline="Three", articleBody=first.articleBody)
    assert passed(pipeline, first) is first
    assert passed(pipeline, elsewhere) is elsewhere
    assert {dropped(pipeline, item) for item in again} == {(PageState.DUPLICATE, "same text")}
    assert dropped(pipeline, third) == (SAME_UNDER_HEADLINES.state, SAME_UNDER_HEADLINES.reason)


def test_an_interstitial_is_an_alarm_and_no_article(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    pages = {path: html(story(1).replace(b"Bridge 1", f"Bridge {n}".encode())) for n, path in enumerate(PATHS)}
    site = tiny_web({"/": html(listing(*PATHS)), **pages})
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_WORKERS=0")
    assert run.code == SITES_DEGRADED
    assert run.states == {"article": 1, "duplicate": 1, "blocked": 8, "listing": 1}
    assert run.reasons["blocked/same text under other headlines"] == 8
    assert "8 of 11 pages have the same text" in run.out
    (row,) = run.rows
    assert WARNING in json.loads(row["warnings"])
    assert run.adds_up()


def test_a_full_disk_is_one_line_and_leaves_pages_to_the_next_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawler: Any = get_crawler(
        settings_dict={"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db"}, spidercls=NewsSpider
    )
    database = Database.open(crawler, SiteIndex(()))
    assert database is not None
    database.thread.patience_seconds = 0

    def full(_connection: object, _arguments: object) -> list[None]:
        raise OSError(errno.ENOSPC, "the disk is full")

    database.put = full  # type: ignore[assignment,method-assign]
    pipeline = StoringNewPipeline(database)
    for number in range(3):
        assert dropped(pipeline, Article(f"https://a.example/{number}")) == (PageState.ERROR, "not written")
        database.send(full, None)
    database.send(lambda _, arguments: [None for _ in arguments], None)
    database.send(full, None)  # now and then there is room: that is not told each time
    database.thread.close(10)
    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == [
        "nothing is stored until the database is back; the next run reads it again: [Errno 28] the disk is full"
    ]


def test_an_unchanged_article_is_dropped_and_what_cannot_be_written_makes_the_exit_code(tmp_path: Path) -> None:
    crawler: Any = get_crawler(
        settings_dict={"NEWSEXTRACT_DATABASE": f"sqlite:///{tmp_path}/a.db"}, spidercls=NewsSpider
    )
    database = Database.open(crawler, SiteIndex(()))
    assert database is not None
    pipeline, article = StoringNewPipeline(database), Article("https://a.example/1", headline="A", articleBody="It.")
    assert passed(pipeline, article) is article
    assert passed(pipeline, {"other": 1}) == {"other": 1}
    assert dropped(pipeline, article) == (PageState.DUPLICATE, "stored before, unchanged")
    crawler.stats.set_value("newsextract/pages", 1)
    assert exit_code(crawler) == 0

    def refusing(_connection: object, _arguments: object) -> list[None]:
        raise ValueError("the disk is full")

    with pytest.raises(ValueError, match="full"):
        asyncio.run(database.run(refusing, None))
    assert exit_code(crawler) == NOT_WRITTEN
    asyncio.run(database.close())


POOL = ("-s", "NEWSEXTRACT_WORKERS=2", "-s", "NEWSEXTRACT_PAGE_SECONDS=4", "-s", "NEWSEXTRACT_EXTRACTOR=sleepy.Sleepy")

SLEEPY = """
import time
from newsextract import create_extractor

class Sleepy:
    name = "sleepy"

    def extract(self, page):
        if "MONSTER" in str(page.html):
            time.sleep(600)
        return create_extractor("mss").extract(page)
"""
"""No page known to us takes a worker longer than it may; so the extractor does."""

MONSTER = b"<p>MONSTER</p>" + story(0)


def path_of(number: int) -> str:
    return f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html"


def test_a_page_that_takes_too_long_ends_alone_and_a_home_page_still_leads_to_its_stories(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    pages = {path_of(number): html(story(number)) for number in range(6)}
    site = tiny_web({"/": html(listing(*pages, path_of(99))), **pages, path_of(99): html(MONSTER)})
    home = html(listing(path_of(7)) + b"<p>MONSTER</p>")
    other = tiny_web({"/": home, path_of(7): html(story(7))})
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    run = crawl(tmp_path, f"{site.home},{other.home}", *POOL)
    assert run.code == 0, run.err
    assert run.reasons["error/too slow"] == 2
    assert run.states == {"article": 7, "listing": 1, "error": 2}
    assert run.adds_up()
    assert len(run.rows) == 7
    assert run.stats["newsextract/workers/killed"] == 2
    assert "Traceback" not in run.err


def test_rules_reach_the_worker_processes(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    pages = {path_of(number): html(story(number)) for number in range(3)}
    home = tiny_web({"/": html(listing(*pages)), **pages}).home
    (tmp_path / "sites.yml").write_text(f"sites:\n  - start: {home}\n    rules: {{strip: 'p:first-of-type'}}\n")
    run = crawl(tmp_path, "sites.yml", "-s", "NEWSEXTRACT_WORKERS=2")
    assert run.code == 0, run.err
    bodies = [row["article_body"] for row in run.rows]
    assert [("Part 0 of" in body, "Part 1 of" in body) for body in bodies] == [(False, True)] * 3


def test_a_crawl_with_workers_reads_no_page_in_its_own_process() -> None:
    script = """
import sys
from scrapy.settings import Settings
from newsextract.addon import NewsExtract
from newsextract.crawl.readers import Readers, plan_from_settings
settings = Settings({"NEWSEXTRACT_DATABASE": "sqlite://", "NEWSEXTRACT_WORKERS": 2})
NewsExtract().update_settings(settings)  # loads every component
import newsextract.crawl.spider
Readers(plan_from_settings(settings), 2)
print(*{"numpy", "feedparser", "newsextract.reading.reader", "newsextract.page.blocks"}.intersection(sys.modules))
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_answers_that_arrive_together_reach_those_who_wait() -> None:
    futures: list[Future[int]] = [Future() for _ in range(50)]

    def resolve() -> None:
        for number, future in enumerate(futures):
            future.set_result(number)

    async def wait() -> list[int]:
        waiting = [answer_of(future) for future in futures]
        Thread(target=resolve).start()
        return [await each for each in waiting]

    assert asyncio.run(wait()) == list(range(50))


def test_an_answer_after_the_end_of_the_loop_is_dropped() -> None:
    late: Future[str] = Future()

    async def ask() -> None:
        answer_of(late)

    asyncio.run(ask())
    late.set_result("too late")
    assert late.result() == "too late"
