"""Articles into the database that `NEWSEXTRACT_DATABASE` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.line_feeds import is_exported, local_feeds
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.reading.page_state import PageState
from newsextract.storage.articles.article_store import unfinished
from newsextract.storage.revisions.change import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.crawler import Crawler

STORED = PageEnd(PageState.DUPLICATE, "stored before, unchanged", is_stored=True)
"""How the visit of an article ends that the database has as it is."""

EXPORTED = PageEnd(PageState.DUPLICATE, "stored and exported by a run that broke off", is_stored=True, is_exported=True)
"""How one ends that an earlier run began, and all but ended."""


class DatabasePipeline:
    """Stores each article once; one that is stored already and has not changed is dropped as a duplicate.

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
        """Store the article and pass it on unless the database has it as it is."""
        if isinstance(item, Article) and await self.store(item) is Stored.UNCHANGED:
            if not await self.database.run(unfinished, item):
                raise PageDropped(STORED, item.url)
            if is_exported(item.url or "", self.feeds):
                raise PageDropped(EXPORTED, item.url)
        return item

    async def store(self, article: Article) -> Stored:
        """Write an article, over its earlier version if there is one."""
        return await self.database.run(self.database.put, article)
