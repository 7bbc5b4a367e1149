"""Pages in, articles out; what is no article is dropped with its state and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsextract.extraction import BadExtractorOption, UnknownExtractor
from newsextract.kinds.judging import ARTICLE_LIKE
from newsextract.memory.site_memory import MISFIT
from newsextract.outcome import NoArticle, PageState
from newsextract.page import Page, PageError
from newsextract.pipelines.dropping import PageDropped
from newsextract.reading import ArticleReader
from newsextract.storage.articles import ArticleStore
from newsextract.storage.site_memories import SiteMemoryStore

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.statscollectors import StatsCollector

    from newsextract.article import Article
    from newsextract.memory.memories import Shelf


class ExtractionPipeline:
    """Turns every `Page` into an `Article`; items of other kinds pass untouched.

    What is learned of the sites on the way is kept in the database, if there is one.
    """

    def __init__(
        self, reader: ArticleReader, stats: StatsCollector | None = None, store: ArticleStore | None = None
    ) -> None:
        self.reader = reader
        self.stats = stats
        self.store = store

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build the extractors that the settings name; raises what `create_extractor` and `check_kinds` raise."""
        url = crawler.settings["NEWSEXTRACT_DATABASE"]
        store = ArticleStore.open(url) if url and crawler.settings.getbool("NEWSEXTRACT_SITE_MEMORY", True) else None
        shelf = SiteMemoryStore(store.engine) if store else None
        return cls(reader_from_settings(crawler.settings, shelf), crawler.stats, store)

    def close_spider(self) -> None:
        """Save what was learned."""
        self.reader.memories.save()
        if self.store:
            self.store.close()

    def process_item(self, item: Any) -> Any:
        """Return the article of a page."""
        if not isinstance(item, Page):
            return item
        try:
            return self._counted(self.reader.read(item))
        except NoArticle as end:
            raise PageDropped(end.state, end.reason, item.url) from None
        except PageError as error:
            raise PageDropped(PageState.ERROR, error.reason, item.url) from error
        except (UnknownExtractor, BadExtractorOption) as error:
            # Named in the meta of one request; names in settings are errors at start.
            raise PageDropped(PageState.ERROR, "unknown extractor", f"{item.url}: {error}", log_level="ERROR") from None

    def _counted(self, article: Article) -> Article:
        """Count in the stats what is not as it usually is on the site."""
        warnings = article.extraction.warnings if article.extraction else []
        if self.stats is not None:
            for warning in warnings:
                if warning.startswith(MISFIT):
                    self.stats.inc_value(f"newsextract/site_memory/{warning.removeprefix(MISFIT).split()[1]}")
        return article


def reader_from_settings(settings: BaseSettings, shelf: Shelf | None = None) -> ArticleReader:
    """Return the reader that the `NEWSEXTRACT_*` settings describe, with what the shelf has of the sites."""
    return ArticleReader.create(
        settings["NEWSEXTRACT_EXTRACTOR"],
        settings.getdict("NEWSEXTRACT_EXTRACTOR_OPTIONS"),
        settings.getdict("NEWSEXTRACT_SITE_EXTRACTORS"),
        settings.getlist("NEWSEXTRACT_KINDS", list(ARTICLE_LIKE)),
        settings.getdict("NEWSEXTRACT_METADATA_SOURCES"),
        shelf=shelf,
        uses_memory=settings.getbool("NEWSEXTRACT_SITE_MEMORY", True),
    )
