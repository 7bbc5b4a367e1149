"""Registers the run in the database, so that the same crawl is not started twice, and notes how it ended."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from twisted.internet.task import LoopingCall

from newsextract.crawl.extensions.database_writer import Database
from newsextract.settings import DATABASE, OVERLAP
from newsextract.storage.ledger.crawl_runs import Run, begin_runs, end_run, heartbeat
from newsextract.storage.ledger.ledger import prune_daily

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

STILL_RUNNING = "still running"
"""The reason of a crawl that closes at once because the same one is running."""

BEAT_SECONDS = 30
"""Seconds between two heartbeats; four of them may get lost."""


class RunRegister:
    """Registers the run of a spider that calls `begin`."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.run: Run | None = None
        self.reason = ""
        """Why the spider closed; set when it has."""
        self.beat = LoopingCall(self.show_life)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the end of the run; raises `NotConfigured` without a database."""
        if not DATABASE.of(crawler.settings):
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    async def begin(self, sites: Iterable[str], arguments: Mapping[str, str]) -> str:
        """Register a run and return its id; raises `CloseSpider` if the same spider already crawls the same sites."""
        spider = self.crawler.spidercls.name
        # scrapyd gives each job its id as an argument of the spider.
        job = getattr(self.crawler.spider, "_job", None)
        run = Run.here(spider, command_of(spider, sites), arguments, job)
        may_overlap = OVERLAP.of(self.crawler.settings)
        other = await self._database.run(begin_runs, (run, datetime.now(UTC), may_overlap))
        if other is not None:
            logger.error(
                "this crawl is still running: started %s, process %d on %s; it is not started twice "
                "(NEWSEXTRACT_OVERLAP = True lets several share the work)",
                other.started, other.pid, other.host,
            )  # fmt: skip
            raise CloseSpider(STILL_RUNNING)
        self.run = run
        self._database.run_id = run.id
        self.beat.start(BEAT_SECONDS, now=False)
        self._database.send(prune_daily, datetime.now(UTC))
        return run.id

    def show_life(self) -> None:
        """Write a heartbeat: the run is alive."""
        if self.run is not None:
            self._database.send(heartbeat, (self.run.id, datetime.now(UTC)))

    def spider_closed(self, reason: str) -> None:
        """Schedule the end of the run for when all other components have written their last counts."""
        self.reason = reason
        if self.run is not None:
            self._database.last_words.append(self.end)

    async def end(self) -> None:
        """Record how the run ended, and release its claims."""
        if self.beat.running:
            self.beat.stop()
        if self.run is not None:
            stats = self.crawler.stats.get_stats()
            await self._database.run(end_run, (self.run.id, self.reason, stats, datetime.now(UTC)))

    @property
    def _database(self) -> Database:
        database = self.crawler.get_extension(Database)
        assert database is not None  # noqa: S101 - both are configured by the same setting
        return database


def command_of(spider: str, sites: Iterable[str]) -> str:
    """Return the key shared by runs that must not run at the same time."""
    names = "\n".join(sorted(set(sites)))
    return hashlib.blake2b(f"{spider}\n{names}".encode(), digest_size=16).hexdigest()
