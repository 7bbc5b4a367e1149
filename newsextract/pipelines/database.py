"""Articles into the database that `NEWSEXTRACT_DATABASE` names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.outcome import PageState
from newsextract.pipelines.dropping import PageDropped
from newsextract.storage.articles import ArticleStore, Stored

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class DatabasePipeline:
    """Stores each article once; one that is stored already and has not changed is dropped as a duplicate."""

    def __init__(self, store: ArticleStore) -> None:
        self.store = store

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Open the database; raises `StorageError` when it cannot be reached."""
        url = crawler.settings["NEWSEXTRACT_DATABASE"]
        if not url:
            raise NotConfigured  # no database, no storage
        return cls(ArticleStore.open(url))

    def process_item(self, item: Any) -> Any:
        """Store the article and pass it on unless the database has it as it is."""
        if isinstance(item, Article) and self.store.put(item) is Stored.UNCHANGED:
            raise PageDropped(PageState.DUPLICATE, "stored before, unchanged", item.url)
        return item

    def close_spider(self) -> None:
        """Close the connections."""
        self.store.close()
