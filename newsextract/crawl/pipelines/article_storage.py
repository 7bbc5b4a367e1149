"""Stores articles in the database that `NEWSEXTRACT_DATABASE` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.line_feeds import is_exported, local_feeds
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.reading.notices import PageState
from newsextract.storage.revisions import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.crawler import Crawler

STORED = PageEnd(PageState.DUPLICATE, "stored before, unchanged", is_stored=True)
"""The end of an article that the database already has, unchanged."""

SAME_TEXT = PageEnd(PageState.DUPLICATE, "same text")
"""The end of an article whose text another article of the site has, from any run."""

EXPORTED = PageEnd(PageState.DUPLICATE, "stored and exported by a run that broke off", is_stored=True, is_exported=True)
"""The end of an article that an earlier run stored and exported, but did not record as ended."""


class DatabasePipeline:
    """Stores each article once; drops one that is stored already and unchanged as a duplicate.

    Unless it was stored by a run that broke off before it could hand it on: then that is made up for.
    """

    def __init__(self, database: Database, feeds: Sequence[Path]) -> None:
        self.database = database
        self.feeds = feeds

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's database, if it has one."""
        database = crawler.get_extension(Database)
        if database is None:
            raise NotConfigured  # no database, no storage
        return cls(database, local_feeds(crawler.settings))

    async def process_item(self, item: Any) -> Any:
        """Store the article and return it, unless the database already has it unchanged."""
        if not isinstance(item, Article):
            return item
        stored = await self.store(item)
        if stored is Stored.SAME_TEXT:
            raise PageDropped(SAME_TEXT, item.url)
        if stored is Stored.UNCHANGED:
            raise PageDropped(STORED, item.url)
        if stored is Stored.UNFINISHED and is_exported(item.url or "", self.feeds):
            raise PageDropped(EXPORTED, item.url)
        return item

    async def store(self, article: Article) -> Stored:
        """Write an article, replacing its earlier version if there is one."""
        return await self.database.run(self.database.put, article)
