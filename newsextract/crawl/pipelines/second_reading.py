"""The first pages of each site once more when the run ends, now that its template is known.

Nothing waits for it: an article is exported and stored when it is first read, and so is not lost if the run breaks off.
One that reads otherwise in the end is stored over the first reading. A feed has one line for an article and cannot take
it back, so it keeps the first reading. Articles that a pipeline of the project refused, or whose text it changed, are
left as they are.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.crawl.futures import answer_of
from newsextract.crawl.pipelines.article_extraction import ExtractionPipeline
from newsextract.crawl.pipelines.article_storage import DatabasePipeline
from newsextract.storage.articles.article_store import Stored

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from scrapy.crawler import Crawler

_OF_THE_BODY = ("articleBody", "articleBodyHtml", "wordCount", "images", "extraction")

logger = logging.getLogger(__name__)


class SecondReading:
    """Reads the held pages again as the spider closes, and stores the articles that have another text then."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.first: dict[str, Article] = {}
        """The articles of held pages as they left the pipelines."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to what the pipelines let through."""
        if not crawler.settings.getbool("NEWSEXTRACT_SITE_MEMORY", True):
            raise NotConfigured
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.item_scraped, signals.item_scraped)
        return pipeline

    def item_scraped(self, item: Any) -> None:
        """Note the article of a page that will be read again."""
        extraction = self.crawler.get_item_pipeline(ExtractionPipeline)
        if isinstance(item, Article) and item.url and extraction is not None:
            held = extraction.held.pages.get(item.url)
            if held is not None and held.body == item.articleBody:
                self.first[item.url] = item

    async def close_spider(self) -> None:
        """Read again, and store what differs."""
        database = self.crawler.get_item_pipeline(DatabasePipeline)
        if database is None:
            return
        # Asked for before anything is awaited: pipelines close side by side, and the workers with what was asked last.
        for future in list(self._ask()):
            try:
                await self._amend(await answer_of(future), database)
            except Exception as error:  # noqa: BLE001 - whatever it is, the first reading is stored
                logger.warning("a page is not read again: %s: %s", type(error).__name__, error)
        self.first.clear()

    def _ask(self) -> Iterator[Future[Article | None]]:
        extraction = self.crawler.get_item_pipeline(ExtractionPipeline)
        if extraction is not None:
            for held in extraction.held.let_go():
                if held.url in self.first:
                    yield extraction.readers.read_again(held)

    async def _amend(self, newer: Article | None, database: DatabasePipeline) -> None:
        if newer is None:
            return
        first = self.first[newer.url or ""]
        amended = replace(first, **{name: getattr(newer, name) for name in _OF_THE_BODY})
        if await database.amend(amended) is Stored.CHANGED and self.crawler.stats is not None:
            self.crawler.stats.inc_value("newsextract/site_memory/read_again")
