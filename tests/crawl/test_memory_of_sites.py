"""The memory of a site in a crawl: used, kept in the database, and switched off."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from scrapy.pipelines import ItemPipelineManager
from scrapy.utils.test import get_crawler

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.pipelines.article_extraction import ExtractionPipeline
from newsextract.crawl.pipelines.article_storage import DatabasePipeline
from newsextract.crawl.pipelines.second_reading import SecondReading
from newsextract.page.page import Page
from newsextract.reading.site_memory.memory_packing import unpack
from newsextract.storage.articles.article_store import ArticleStore
from newsextract.storage.ledger.site_memory_table import SiteMemoryStore

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.crawler import Crawler

    from newsextract.article import Article

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

    def __init__(self, database: str, monkeypatch: pytest.MonkeyPatch, **settings: object) -> None:
        crawler = crawler_at(database, **settings)
        self.extraction = ExtractionPipeline.from_crawler(crawler)
        self.opened = Database.from_crawler(crawler)
        self.database = DatabasePipeline(self.opened, [])
        parts = {ExtractionPipeline: self.extraction, DatabasePipeline: self.database}
        monkeypatch.setattr(crawler, "get_item_pipeline", parts.get)
        self.again = SecondReading.from_crawler(crawler)

    def read(self, page: Page) -> Article:
        article: Article = asyncio.run(self.database.process_item(extracted(self.extraction, page)))
        self.again.item_scraped(article)
        return article

    def close(self) -> None:
        async def close() -> None:
            manager = ItemPipelineManager(self.extraction, self.database, self.again, crawler=self.again.crawler)
            await manager.close_spider_async()
            await self.opened.close()

        asyncio.run(close())


def extracted(pipeline: ExtractionPipeline, page: Page) -> Article:
    article: Article = asyncio.run(pipeline.process_item(page))
    return article


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/articles.db"


def bodies(database: str) -> dict[str, str]:
    store = ArticleStore.open(database)
    rows = {row["url"]: row["article_body"] for row in store.rows()}
    store.close()
    return rows


def test_the_first_pages_are_read_again_in_the_end(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl(database, monkeypatch)
    read = [crawl.read(page_of(number)) for number in range(12)]
    assert NOTICE in (read[0].articleBody or "")
    assert NOTICE not in (read[-1].articleBody or "")
    assert NOTICE in bodies(database)[read[0].url or ""]  # it is safe already
    crawl.close()
    assert len(bodies(database)) == 12
    assert not any(NOTICE in body for body in bodies(database).values())


def test_what_a_pipeline_of_the_project_changed_is_left(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl(database, monkeypatch)
    first = extracted(crawl.extraction, page_of(0))
    first.articleBody = f"Changed. {NOTICE}"
    crawl.again.item_scraped(asyncio.run(crawl.database.process_item(first)))
    refused = extracted(crawl.extraction, page_of(1))
    for number in range(2, 12):
        crawl.read(page_of(number))
    crawl.close()
    assert bodies(database)[first.url or ""] == f"Changed. {NOTICE}"
    assert refused.url not in bodies(database)


def test_the_next_run_knows_the_site(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = Crawl(database, monkeypatch)
    for number in range(12):
        crawl.read(page_of(number))
    crawl.close()
    following = Crawl(database, monkeypatch)
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
    assert not pipeline.held.pages
    store = ArticleStore.open(database)
    assert SiteMemoryStore(store.engine).load("plain.example") is None
    store.close()


def test_every_extractor_can_leave_the_template_out(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"NEWSEXTRACT_EXTRACTOR": "mss", "NEWSEXTRACT_EXTRACTOR_OPTIONS": {"cleaning": "template"}}
    crawl = Crawl(database, monkeypatch, **options)
    read = [crawl.read(page_of(number)) for number in range(12)]
    crawl.close()
    assert NOTICE in (read[0].articleBody or "")
    assert NOTICE not in (read[-1].articleBody or "")
