"""The memory of a site in a crawl: used, kept in the database, and switched off."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from newsextract.article import Article, ExtractionReport
from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.pipelines.article_extraction import ExtractionPipeline
from newsextract.crawl.pipelines.article_storage import DatabasePipeline
from newsextract.page.page import Page
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.site_memory.memory_packing import unpack
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.ledger.site_memory_table import SiteMemoryStore

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler


NOTICE = "This text is on every page of the site, and stands where the paragraphs stand, as a story's last one."


def page_of(number: int) -> Page:
    words = [chr(97 + number) + chr(97 + n) * 2 for n in range(26)]
    told = "".join(
        f"<p>On {first} the council of {second} said that the bridge, which {first} had closed, would open in May.</p>"
        for first, second in zip(words[:8], words[8:16], strict=True)
    )
    stated = json.dumps({"@type": "NewsArticle", "headline": f"Bridge {words[0]} opens"})
    html = (
        f"<title>Bridge {words[0]} opens | The Plain</title><script type=application/ld+json>{stated}</script>"
        f"<body><article><h1>Bridge {words[0]} opens</h1><div class=article-body>{told}<p>{NOTICE}</p></div></article>"
    )
    return Page(html, f"https://plain.example/news/2026/05/{number + 1}/bridge-{words[0]}-opens.html")


def crawler_at(database: str, **settings: object) -> Crawler:
    known = {"NEWSEXTRACT_DATABASE": database, "NEWSEXTRACT_EXTRACTOR": "auto", "NEWSEXTRACT_WORKERS": 0}
    return get_crawler(settings_dict={**known, **settings})


class Crawl:
    """The pipelines of a crawl, called as Scrapy calls them."""

    def __init__(self, database: str, **settings: object) -> None:
        crawler = crawler_at(database, **settings)
        self.extraction = ExtractionPipeline.from_crawler(crawler)
        self.opened = Database.from_crawler(crawler)
        self.database = DatabasePipeline(self.opened, [])

    def read(self, page: Page) -> Article:
        article: Article = asyncio.run(self.database.process_item(extracted(self.extraction, page)))
        return article

    def close(self) -> None:
        async def close() -> None:
            await self.extraction.close_spider()
            await self.opened.close()

        asyncio.run(close())


def extracted(pipeline: ExtractionPipeline, page: Page) -> Article:
    article: Article = asyncio.run(pipeline.process_item(page))
    return article


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/articles.db"


def test_what_the_pages_of_a_site_share_is_left_out_once_it_is_known(database: str) -> None:
    crawl = Crawl(database)
    read = [crawl.read(page_of(number)) for number in range(12)]
    crawl.close()
    assert NOTICE in (read[0].articleBody or "")
    assert NOTICE not in (read[-1].articleBody or "")


def test_the_next_run_knows_the_site(database: str) -> None:
    crawl = Crawl(database)
    for number in range(12):
        crawl.read(page_of(number))
    crawl.close()
    following = Crawl(database)
    article = following.read(page_of(13))
    assert article.articleBody
    assert NOTICE not in article.articleBody
    following.close()
    store = ArticleStore.open(database)
    revision, packed = SiteMemoryStore(store.engine).load("plain.example") or (0, b"")
    store.close()
    assert revision == 2
    assert unpack(packed).pages == 13


def test_can_be_switched_off(database: str) -> None:
    crawler = crawler_at(database, NEWSEXTRACT_SITE_MEMORY=False)
    pipeline = ExtractionPipeline.from_crawler(crawler)
    read = [extracted(pipeline, page_of(number)) for number in range(12)]
    asyncio.run(pipeline.close_spider())
    assert all(NOTICE in (article.articleBody or "") for article in read)
    store = ArticleStore.open(database)
    assert SiteMemoryStore(store.engine).load("plain.example") is None
    store.close()


@pytest.mark.parametrize("mask", ["site_memory", "template"])  # the second is the former name
def test_every_extractor_can_leave_out_what_other_pages_have(database: str, mask: str) -> None:
    options = {"NEWSEXTRACT_EXTRACTOR": "mss", "NEWSEXTRACT_EXTRACTOR_OPTIONS": {"cleaning": mask}}
    crawl = Crawl(database, **options)
    read = [crawl.read(page_of(number)) for number in range(12)]
    crawl.close()
    assert NOTICE in (read[0].articleBody or "")
    assert NOTICE not in (read[-1].articleBody or "")


def test_a_page_unlike_the_others_makes_a_stat(database: str) -> None:
    crawler = crawler_at(database, NEWSEXTRACT_EXTRACTOR="mss")
    pipeline = ExtractionPipeline.from_crawler(crawler)
    told = [
        Notice(NoticeCode.MISPLACED, part="date", place="div"),
        Notice(NoticeCode.LAYOUT_CHANGED, shape="/x"),
        "odd",
    ]
    pipeline._counted(Article("https://a.example/1", extraction=ExtractionReport("mss", 0.9, facts=tuple(told))))
    asyncio.run(pipeline.close_spider())
    found = {name: count for name, count in crawler.stats.get_stats().items() if "/site_memory/" in name}
    assert found == {"newsextract/site_memory/date": 1, "newsextract/site_memory/layout": 1}
