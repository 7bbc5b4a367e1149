"""Pages as they were fetched, kept with their articles, so that a later version can read them again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.database_writer import Database
from newsextract.page.page import Page
from newsextract.reading.feed_article import is_fallback
from newsextract.settings import KEEP_PAGES
from newsextract.storage.kept_pages import PageFiles, keep_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector
    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change

logger = logging.getLogger(__name__)


class KeptPagesPipeline:
    """Remembers each page before the extraction, and keeps it when its article is stored.

    Files are written by the thread of the database, before the transaction that refers to them ends.
    """

    def __init__(self, files: PageFiles, stats: StatsCollector) -> None:
        self.files = files
        self.stats = stats
        self.under_way: WeakValueDictionary[str, Page] = WeakValueDictionary()
        """Pages by URL, only while the pipelines still work on them."""
        self.kept = 0
        self.failed = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the folder of `NEWSEXTRACT_KEEP_PAGES` and the database; raises `NotConfigured` if either is missing."""
        folder, database = KEEP_PAGES.of(crawler.settings), crawler.get_extension(Database)
        if folder is None or database is None:
            raise NotConfigured
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before it makes pipelines
        pipeline = cls(PageFiles(folder), crawler.stats)
        database.effects.append(pipeline.keep)
        return pipeline

    def process_item(self, item: Any) -> Any:
        """Remember a page."""
        if isinstance(item, Page) and item.url:
            self.under_way[item.url] = item
        return item

    def keep(self, connection: Connection, changes: Sequence[Change]) -> None:
        """Keep the pages of stored articles: an effect, run in the database's thread."""
        # A page for which a feed's text stands in has nothing to read again.
        own = [change for change in changes if not is_fallback(change.article)]
        known = [(change.row, self.under_way.get(change.article.url or "")) for change in own]
        found = [(row, page) for row, page in known if page is not None]
        try:
            keep_pages(connection, self.files, found)
        except OSError as error:  # the article is still stored if its page cannot be kept
            self.failed += len(found)
            logger.error("%d pages are not kept: %s", len(found), error)  # noqa: TRY400 - the disk's, not ours
        else:
            self.kept += len(found)

    def close_spider(self) -> None:
        """Log how many pages were kept."""
        for name, count in (("kept", self.kept), ("failed", self.failed)):
            if count:
                self.stats.set_value(f"newsextract/kept_pages/{name}", count)
