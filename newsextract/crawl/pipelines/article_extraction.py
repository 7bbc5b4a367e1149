"""Pages in, articles out; what is no article is dropped with its state and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.crawl.pipelines.reading_settings import plan_from_settings, readers_from_settings
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor
from newsextract.reading.notices import NoticeCode, noticed
from newsextract.reading.page_state import NoArticle, PageState

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsextract.article import Article
    from newsextract.crawl.workers.worker_pool import Readers


class ExtractionPipeline:
    """Turns every `Page` into an `Article`; items of other kinds pass untouched.

    Workers do it, so nobody here looks into a page. What is learned of the sites on the way is kept in the database,
    if there is one.
    """

    def __init__(self, readers: Readers, stats: StatsCollector | None = None) -> None:
        self.readers = readers
        self.stats = stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the workers; raises what `readers_from_settings`, `create_extractor` and `check_kinds` raise."""
        sites = sites_of(crawler.spider)
        plan_from_settings(crawler.settings, sites).create()  # a wrong name is an error at start, not of every page
        return cls(readers_from_settings(crawler.settings, sites), crawler.stats)

    async def close_spider(self) -> None:
        """Save what was learned, and end the workers, once they have done what they were sent."""
        await answer_of(self.readers.close())
        if self.stats is not None:
            for name, count in self.readers.counts().items():
                self.stats.set_value(f"newsextract/workers/{name}", count)

    async def process_item(self, item: Any) -> Any:
        """Return the article of a page."""
        if not isinstance(item, Page):
            return item
        try:
            return self._counted(await answer_of(self.readers.read(item)))
        except (NoArticle, PageError, Unanswered) as end:
            state = end.state if isinstance(end, NoArticle) else PageState.ERROR
            raise PageDropped(PageEnd(state, end.reason), item.url) from None
        except (UnknownExtractor, BadExtractorOption) as error:
            # Named in the meta of one request; names in settings are errors at start.
            unknown = PageEnd(PageState.ERROR, "unknown extractor")
            raise PageDropped(unknown, f"{item.url}: {error}", log_level="ERROR") from None

    def _counted(self, article: Article) -> Article:
        """Count in the stats what is not as it usually is on the site."""
        warnings = article.extraction.noticed if article.extraction else ()
        unusual = ["layout" for _ in noticed(NoticeCode.LAYOUT_CHANGED, warnings)]
        unusual += [str(notice.values["part"]) for notice in noticed(NoticeCode.MISPLACED, warnings)]
        if self.stats is not None:
            for part in unusual:
                self.stats.inc_value(f"newsextract/site_memory/{part}")
        return article


def readers_of(crawler: Crawler) -> Readers:
    """Return the workers of a crawl; raises `RuntimeError` where its settings are without the pipeline."""
    pipeline = crawler.get_item_pipeline(ExtractionPipeline)
    if pipeline is None:
        raise RuntimeError('no worker reads pages: ADDONS = {"newsextract.addon.NewsExtract": 500} brings them')
    return pipeline.readers
