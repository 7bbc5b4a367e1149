"""Turns pages into articles; drops pages that are not articles, with their state and reason."""

from __future__ import annotations

from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from scrapy import signals

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.waiting_texts import WaitingTexts
from newsextract.crawl.futures import answer_of
from newsextract.crawl.linked_reading import LinkedReading
from newsextract.crawl.page_end import PageDropped, PageEnd, unanswered, unread
from newsextract.crawl.pipelines.kept_pages import KeptPagesPipeline
from newsextract.crawl.pipelines.reading_settings import plan_from_settings, readers_from_settings
from newsextract.crawl.rendering.second_reading import in_vain, new_second_reading
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.stand_ins import StandIns
from newsextract.page.page import Page, PageError
from newsextract.page.urls import site_of
from newsextract.processes.pool import Unanswered
from newsextract.reading.extraction.extractor_errors import BadExtractorOption, UnknownExtractor
from newsextract.reading.notices import NoArticle, NoticeCode, PageState, noticed
from newsextract.settings import STORIES
from newsextract.storage.ledger.site_memory_table import make_known

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsextract.article import Article
    from newsextract.crawl.readers import Readers
    from newsextract.crawl.rendering.second_reading import SecondReading
    from newsextract.storage.likeness import TextPrints

STOPPED = "shutdown"
"""Scrapy's closing reason for a spider stopped by a signal."""


class ExtractionPipeline:
    """Turns every `Page` into an `Article`; items of other kinds pass untouched.

    Workers do the reading. The database, if there is one, keeps what they learn about the sites; later runs use it
    once this run has ended.
    """

    def __init__(
        self,
        readers: Readers,
        stats: StatsCollector | None = None,
        database: Database | None = None,
        texts: WaitingTexts | None = None,
    ) -> None:
        self.readers = readers
        self.stand_ins = StandIns(texts, readers) if texts is not None else None
        self.linked: LinkedReading | None = None
        """Reads other versions that pages link."""
        self.second: SecondReading | None = None
        """Reads pages in a browser, if the crawl has one."""
        self.shown: WeakKeyDictionary[Page, Page] = WeakKeyDictionary()
        """Pages as the browser or another version shows them, as long as the pipelines work on what was fetched."""
        self.kept_pages: Callable[[], KeptPagesPipeline | None] = lambda: None
        self.stats = stats
        self.database = database
        self.prints: TextPrints | None = None
        """Gets the prints that workers make of texts, if stories are linked."""
        self.met: set[str] = set()
        """The sites that the workers may have learned about, by their names in the memory."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the workers; raises what `readers_from_settings`, `create_extractor` and `check_kinds` raise."""
        sites = sites_of(crawler.spider)
        plan = plan_from_settings(crawler.settings, sites)
        if not plan.is_usual:
            plan.create()  # a wrong name must fail at start, not on every page
        readers = readers_from_settings(crawler.settings, sites)
        database = crawler.get_extension(Database)
        self = cls(readers, crawler.stats, database, crawler.get_extension(WaitingTexts))
        self.kept_pages = partial(crawler.get_item_pipeline, KeptPagesPipeline)
        self.linked = LinkedReading(crawler, readers)
        self.second = new_second_reading(crawler, readers)
        if database is not None and STORIES.of(crawler.settings):
            self.prints = database.prints
        # An interrupted run may have finished some of them.
        self.met.update(site_of(site.home) for site in sites)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    async def close_spider(self) -> None:
        """Let the workers finish their tasks, save what they learned, and end them."""
        await answer_of(self.readers.close())
        if self.stats is not None:
            for name, count in self.readers.counts().items():
                self.stats.set_value(f"newsextract/workers/{name}", count)

    async def spider_closed(self, reason: str) -> None:
        """Let later runs use what was learned, unless this run was stopped: the run that resumes it must read alike.

        The pipeline is closed by then.
        """
        if self.database is not None and reason != STOPPED:
            await self.database.run(make_known, tuple(self.met))

    async def process_item(self, item: Any) -> Any:
        """Return the article of a page."""
        if not isinstance(item, Page):
            return item
        self.met.add(site_of(item.url or ""))
        try:
            return self._counted(await self._read(item))
        except NoArticle as found:
            end = PageEnd(found.state, found.reason)
            if self.stand_ins is not None and (article := await self.stand_ins.of_page(item, end)):
                return article
            return await self._read_version(item, end) or await self._read_rendered(item, end)
        except PageError as error:
            raise PageDropped(unread(error.reason), item.url) from None
        except Unanswered as error:
            raise PageDropped(unanswered(error), item.url) from None
        except (UnknownExtractor, BadExtractorOption) as error:
            # Named in the meta of one request; names in settings are errors at start.
            unknown = PageEnd(PageState.ERROR, "unknown extractor")
            raise PageDropped(unknown, f"{item.url}: {error}", log_level="ERROR") from None

    async def _read_version(self, first: Page, end: PageEnd) -> Article | None:
        """Return the article of an AMP or print version that a page links, if it has one."""
        if self.linked is None:
            return None
        async with aclosing(self.linked.of_page(first, end)) as versions:
            async for page in versions:
                try:
                    article = self._counted(await self._read(page))
                except (NoArticle, PageError, Unanswered):  # the page itself ends as it did
                    continue
                self.linked.note_article(page)
                self._show(first, page)
                return article
        return None

    async def _read_rendered(self, first: Page, end: PageEnd) -> Article:
        """Return the article of a page as a browser shows it, if that is wanted; raises `PageDropped`."""
        page = await self.second.of_page(first, end) if self.second else None
        if self.second is None or page is None:
            raise PageDropped(end, first.url) from None
        self._show(first, page)
        try:
            article = self._counted(await self._read(page))
        except NoArticle as found:
            self.second.note_in_vain(page.url)
            raise PageDropped(in_vain(PageEnd(found.state, found.reason)), page.url) from None
        self.second.note_article(page.url)
        return article

    def _show(self, first: Page, page: Page) -> None:
        """Remember and keep the page whose text the article has."""
        self.shown[first] = page
        if kept := self.kept_pages():
            kept.process_item(page)

    async def _read(self, page: Page) -> Article:
        if self.database is None:
            return await answer_of(self.readers.read(page))
        found = await answer_of(self.readers.read_to_store(page, with_print=self.prints is not None))
        if found.text_hash is not None and found.article.articleBody:
            self.database.words.put(found.article.articleBody, found.words)
            if self.prints is not None and found.text_print is not None:
                self.prints.put(found.text_hash, found.text_print)
        return found.article

    def _counted(self, article: Article) -> Article:
        """Count in the stats what is unusual for the site."""
        warnings = article.extraction.noticed if article.extraction else ()
        unusual = ["layout" for _ in noticed(NoticeCode.LAYOUT_CHANGED, warnings)]
        unusual += [str(notice.values["part"]) for notice in noticed(NoticeCode.MISPLACED, warnings)]
        if self.stats is not None:
            for part in unusual:
                self.stats.inc_value(f"newsextract/site_memory/{part}")
        return article


def stand_ins_of(crawler: Crawler) -> StandIns | None:
    """Return what makes articles from feeds' texts; `None` if the crawl does not use them."""
    pipeline = crawler.get_item_pipeline(ExtractionPipeline)
    return pipeline.stand_ins if pipeline is not None else None


def second_reading_of(crawler: Crawler) -> SecondReading | None:
    """Return what reads pages in a browser; `None` if the crawl has none."""
    pipeline = crawler.get_item_pipeline(ExtractionPipeline)
    return pipeline.second if pipeline is not None else None


def readers_of(crawler: Crawler) -> Readers:
    """Return the workers of a crawl; raises `RuntimeError` if its settings lack the pipeline."""
    pipeline = crawler.get_item_pipeline(ExtractionPipeline)
    if pipeline is None:
        raise RuntimeError('no worker reads pages: ADDONS = {"newsextract.addon.NewsExtract": 500} brings them')
    return pipeline.readers
