"""The health of each site: counted during a crawl, compared with the last runs when it ends, and reported."""

from __future__ import annotations

import json
import logging
import threading
from concurrent.futures import Future
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from sqlalchemy.exc import SQLAlchemyError

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.page_states import front_read, page_ended, source_ended
from newsextract.crawl.extensions.progress import Progress
from newsextract.crawl.extensions.subscriptions import Subscriptions
from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import WALLED
from newsextract.crawl.visit import find_visit
from newsextract.newsroom.delivery.targets import NotTaken, post_json
from newsextract.newsroom.health.figures import SiteCount
from newsextract.newsroom.health.report import examine_all, lines_of, message_of, store_runs, write_exposition
from newsextract.settings import DATABASE, HEALTH_WEBHOOK, PROMETHEUS
from newsextract.storage.database import StorageError
from newsextract.storage.ledger.site_runs import SiteRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from newsextract.crawl.page_end import PageEnd
    from newsextract.newsroom.health.figures import SiteFigures
    from newsextract.newsroom.health.report import SiteHealth

logger = logging.getLogger(__name__)

SITES_ARE_ILL = 3
"""Exit code of a crawl, and of `scrapy health`, if a site fell silent or changed."""

ILL = "newsextract/health/ill"
"""The stat that counts ill sites; the exit code depends on it."""

FINISHED = "finished"
"""The reason of a crawl that ran to completion."""

_AT_ONCE = 20
"""Sites stored and judged per transaction: few, so that other writers need not wait long."""


class Health:
    """Counts pages and sources of each site, and judges the site when the crawl ends."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.counts: dict[str, SiteCount] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals, unless there is no database with earlier runs."""
        if not DATABASE.of(crawler.settings):
            raise NotConfigured
        self = cls(crawler)
        for handler, signal in (
            (self.spider_opened, signals.spider_opened),
            (self.page_ended, page_ended),
            (self.source_ended, source_ended),
            (self.front_read, front_read),
            (self.spider_closed, signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal=signal)
        return self

    def spider_opened(self, spider: Spider) -> None:
        """Begin with the sites that the spider names; those that are not due will get no requests."""
        self.counts = {site: SiteCount(site) for site in getattr(spider, "frontiers", ())}

    def page_ended(self, site: str, request: Request | None, end: PageEnd) -> None:
        """Count a page."""
        count, visit = self._count(site), find_visit(request)
        count.note_page(end.state, end.reason, was_for_article=visit is not None and visit.is_for_article)
        if end == WALLED:
            count.note_wall()
        if end.article is not None:
            count.note_article(end.article, datetime.now(UTC), is_new=visit is None or visit.is_new)

    def source_ended(self, site: str, reason: str) -> None:
        """Count a feed or sitemap."""
        self._count(site).note_source(reason)

    def front_read(self, site: str, links: int) -> None:
        """Note how many articles a front page links to."""
        self._count(site).note_front(links)

    async def spider_closed(self, reason: str) -> None:
        """Store the figures, judge the sites, and report what is wrong."""
        database = self.crawler.get_extension(Database)
        if database is None or database.run_id is None:
            return  # a spider that did not register its run has nothing to compare
        date = datetime.now(UTC)
        if (subscriptions := self.crawler.get_extension(Subscriptions)) is not None:
            for site, session in subscriptions.sessions.items():
                self._count(site).subscription = session.trouble
        figures = {site: count.figures(is_whole=reason == FINISHED) for site, count in self.counts.items()}
        # A site without any request cannot be called silent.
        runs = [_run(site, found, database.run_id, date) for site, found in figures.items() if found.asked]
        try:
            sites = [
                health
                for start in range(0, len(runs), _AT_ONCE)
                for health in await database.run(_store_all, runs[start : start + _AT_ONCE])
            ]
        except (StorageError, SQLAlchemyError) as error:
            self._fail("the health of the sites is not known, as their figures could not be stored", error)
            return
        self._show([health for health in sites if health.troubles])
        await self._write(database, date)
        await self._tell([health for health in sites if health.troubles], database.run_id, date)

    def _count(self, site: str) -> SiteCount:
        return self.counts.setdefault(site, SiteCount(site))

    def _show(self, ill: Sequence[SiteHealth]) -> None:
        self.crawler.stats.set_value(ILL, len(ill))
        progress = self.crawler.get_extension(Progress)
        for line in (line for health in ill for line in lines_of(health)):
            logger.warning("%s", line)
            if progress is not None:
                progress.console.print(line, soft_wrap=True, highlight=False, markup=False)

    async def _write(self, database: Database, now: datetime) -> None:
        """Write the figures of all sites in the database, including those of other crawls."""
        path = PROMETHEUS.of(self.crawler.settings)
        if not path:
            return

        def write() -> None:
            with database.engine.connect() as connection:
                sites = examine_all(connection, now)
            write_exposition(path, sites)

        try:
            await answer_of(_in_thread(write))
        except (OSError, StorageError, SQLAlchemyError) as error:
            self._fail(f"NEWSEXTRACT_PROMETHEUS: {path} is not written", error)

    async def _tell(self, ill: Sequence[SiteHealth], run_id: str, date: datetime) -> None:
        url = HEALTH_WEBHOOK.of(self.crawler.settings)
        if url and ill:
            try:
                message = json.dumps(message_of(ill, run_id, date), ensure_ascii=False).encode()
                await answer_of(_in_thread(lambda: post_json(url, message)))
            except NotTaken as error:
                self._fail("NEWSEXTRACT_HEALTH_WEBHOOK was not told", error)

    def _fail(self, what: str, error: Exception) -> None:
        self.crawler.stats.inc_value("newsextract/health/failed")
        logger.error("%s: %s", what, error)


def _run(site: str, figures: SiteFigures, run_id: str, date: datetime) -> SiteRun:
    return SiteRun(run_id, site, date, figures.new, figures.read, figures.to_json())


def _store_all(connection: Connection, batches: Sequence[Sequence[SiteRun]]) -> list[list[SiteHealth]]:
    return [store_runs(connection, batch) for batch in batches]


def _in_thread(work: Callable[[], None]) -> Future[None]:
    """Run `work` in its own thread, because the reactor must not block."""
    future: Future[None] = Future()

    def run() -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - of whatever kind, it goes to who waits
            future.set_exception(error)
        else:
            future.set_result(None)

    threading.Thread(target=run, name="newsextract-health", daemon=True).start()
    return future
