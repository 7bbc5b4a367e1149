"""What a crawl has once: database, workers, visits, reports; made before the spider opens, and closed in order."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from newsextract.crawl.database import Database
from newsextract.crawl.effects import Effects
from newsextract.crawl.outcome import STOPPED, STOPPED_SECONDS
from newsextract.crawl.progress import Progress
from newsextract.crawl.readers import readers_from_settings
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.crawl.sessions import Subscriptions
from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.throttle import Throttle
from newsextract.crawl.visits import Fallbacks, Visits
from newsextract.newsroom.delivery import sending
from newsextract.settings import PROGRESS, WARC
from newsextract.sites.site import SiteIndex
from newsextract.storage.database_thread import GivenUp
from newsextract.terminal import CleanLog, printable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    from scrapy import Spider
    from scrapy.crawler import Crawler

    from newsextract.crawl.database import RunRegister
    from newsextract.crawl.health import Health
    from newsextract.storage.warc_store import WarcStore

logger = logging.getLogger(__name__)


class CrawlParts:
    """The parts of a crawl; the spider, the pipelines and the middlewares take them from here."""

    def __init__(self, crawler: Crawler) -> None:
        settings, sites = crawler.settings, sites_of(crawler.spider)
        self.crawler = crawler
        self.settings = settings
        self.stats: Any = crawler.stats
        self.sites = SiteIndex(sites)
        self.database = Database.open(crawler, self.sites)
        self.register: RunRegister | None = None
        self.health: Health | None = None
        """Set by the `news` spider."""
        self.warc = _store_in(folder) if (folder := WARC.of(settings)) else None
        """Has what is fetched; `None` if that is not wanted."""
        self.effects = Effects(settings, crawler.stats, self.database, self.warc) if self.database else None
        self.kept_pages = self.effects.kept_pages if self.effects else None
        """Keeps the pages of stored articles; `None` if that is not wanted."""
        self.readers = readers_from_settings(settings, sites)
        self.fallbacks = Fallbacks(self.stats, self.readers)
        self.visits = Visits(crawler, self.fallbacks)
        self.progress = Progress(crawler) if PROGRESS.of(settings) else None
        self.reason = ""
        """Why the spider closed; empty while it is open."""
        self.failed: list[str] = []
        """What went wrong, a line each; known when the spider has closed."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the parts; raises `BadSetting` for a setting that cannot work, and what `ReaderPlan.create` raises."""
        self = cls(crawler)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        crawler.signals.connect(self.engine_stopped, signal=signals.engine_stopped)
        return self

    @property
    def subscriptions(self) -> Subscriptions | None:
        """The sessions of sites with a subscription; `None` if there are none."""
        found: Subscriptions | None = self.crawler.get_extension(Subscriptions)
        return found

    def spider_opened(self, spider: Spider) -> None:
        """Begin to count and to show, and let no message have a secret, or what moves a terminal's cursor."""
        secrets = self.subscriptions
        clean = CleanLog(lambda text: printable(secrets.without_secrets(text) if secrets else text))
        for handler in logging.getLogger().handlers:  # not earlier: Scrapy replaces its own once it has its extensions
            handler.addFilter(clean)
        if self.progress is not None:
            self.progress.open(getattr(spider, "frontiers", ()))
            self.visits.notes.append(self.progress.page_ended)
        if self.database and self.effects and self.effects.delivery:
            self.effects.delivery.open(self.database)

    async def spider_closed(self, spider: Spider, reason: str) -> None:
        """End the work of each part: first what writes, then what reports."""
        self.reason = reason
        if self.register is not None:
            self.register.is_closing = True
        await self._try(lambda: self._close_spider(spider, reason))
        await self._try(self._close_readers)
        self.failed += self._lines()
        if self.health is not None:
            await self._try(self._judge)
        if self.progress is not None:
            self.progress.close(self.failed, quiet=getattr(spider, "quiet", set()), reason=reason)
        # Where the log is no file, the report has said it.
        if self.progress is None or self.settings["LOG_FILE"]:
            for line in self.failed:
                logger.warning("%s", line)
        if self.effects and (delivery := self.effects.delivery):
            seconds = STOPPED_SECONDS if reason == STOPPED else sending.END_SECONDS
            await self._try(lambda: delivery.close(seconds))

    async def engine_stopped(self) -> None:
        """Record the end of the run with its last counts, and close the database."""
        if self.register is not None:
            register = self.register
            await self._try(lambda: register.end(self.reason))
        if self.database is not None:
            await self.database.close()
        if self.warc is not None:
            self.warc.close()

    async def _close_spider(self, spider: Spider, reason: str) -> None:
        if close := getattr(spider, "close_visits", None):
            await close(reason)

    async def _close_readers(self) -> None:
        """End the workers."""
        await answer_of(self.readers.close())
        for name, count in self.readers.counts().items():
            self.stats.set_value(f"newsextract/workers/{name}", count)

    def _lines(self) -> Iterator[str]:
        throttle = self.crawler.get_downloader_middleware(Throttle)
        if throttle is not None:
            yield from throttle.lines()
        if self.subscriptions is not None:
            yield from self.subscriptions.close(reports_problems=self.health is None)

    async def _judge(self) -> None:
        assert self.health is not None  # noqa: S101 - looked at by the caller
        if self.subscriptions is not None:
            self.health.note_subscriptions(self.subscriptions.sessions)
        self.failed += await self.health.judge(self.reason)

    async def _try(self, act: Callable[[], Awaitable[None]]) -> None:
        """Let one part close; its failure must not keep the others from closing."""
        try:
            await act()
        except GivenUp:
            pass  # the database's thread has said it
        except Exception:
            logger.exception("a part of the crawl could not be closed")


def _store_in(folder: Path) -> WarcStore:
    from newsextract.storage.warc_store import WarcStore  # noqa: PLC0415 - it brings warcio, for those who want it

    store = WarcStore(folder)
    if count := store.repair():
        logger.warning("%d WARC files of runs that broke off are complete now", count)
    return store


def parts_of(crawler: Crawler) -> CrawlParts:
    """Return the parts of a crawl; raises `RuntimeError` if its settings lack the add-on."""
    parts: CrawlParts | None = crawler.get_extension(CrawlParts)
    if parts is None:
        raise RuntimeError('no worker reads pages: ADDONS = {"newsextract.addon.NewsExtract": 500} brings them')
    return parts
