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
from newsextract.pipelines.database import DatabasePipeline
from newsextract.pipelines.extraction import ExtractionPipeline
from newsextract.storage.articles import Stored
from newsextract.storage.database import StorageError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from newsextract.reading import ArticleReader

logger = logging.getLogger(__name__)

_OF_THE_BODY = ("articleBody", "articleBodyHtml", "wordCount", "images", "extraction")


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
        reader = self._reader()
        if isinstance(item, Article) and item.url and reader:
            held = reader.held.pages.get(item.url)
            if held is not None and held.body == item.articleBody:
                self.first[item.url] = item

    async def close_spider(self) -> None:
        """Read again, and store what differs."""
        reader, database = self._reader(), self.crawler.get_item_pipeline(DatabasePipeline)
        if reader is not None and database is not None:
            for newer in reader.read_again():
                first = self.first.get(newer.url or "")
                if first is not None:
                    amended = replace(first, **{name: getattr(newer, name) for name in _OF_THE_BODY})
                    await self._amend(amended, database)
        self.first.clear()

    async def _amend(self, article: Article, database: DatabasePipeline) -> None:
        try:
            is_changed = await database.store(article) is Stored.CHANGED
        except StorageError as error:
            logger.error("an article that reads otherwise in the end is stored as it was first read: %s", error)  # noqa: TRY400 - the message says all
            return
        if is_changed and self.crawler.stats is not None:
            self.crawler.stats.inc_value("newsextract/site_memory/read_again")

    def _reader(self) -> ArticleReader | None:
        extraction = self.crawler.get_item_pipeline(ExtractionPipeline)
        return extraction.reader if extraction is not None else None
