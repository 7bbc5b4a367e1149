"""Registers the run in the database, so that the same crawl is not started twice, and notes how it ended."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import CloseSpider, NotConfigured
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from newsextract.crawl.extensions.database_writer import Database
from newsextract.settings import DATABASE
from newsextract.storage.database import StorageError
from newsextract.storage.ledger.ledger import prune_daily
from newsextract.storage.ledger.runs import Run, begin_runs, end_run, heartbeat, revive
from newsextract.storage.stories import forget_old_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

STILL_RUNNING = "still running"
"""The reason of a crawl that closes at once because the same one is running."""

REPLACED = "replaced"
"""The reason of a crawl that ends because another run of it took its place."""

BEAT_SECONDS = 30
"""Seconds between two heartbeats; four of them may get lost."""


class RunRegister:
    """Registers the run of a spider that calls `begin`."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.run: Run | None = None
        self.reason = ""
        """Why the spider closed; set when it has."""
        self.beat = LoopingCall(self._beat)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the end of the run; raises `NotConfigured` without a database."""
        if not DATABASE.of(crawler.settings):
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    async def begin(self, sites: Iterable[str], arguments: Mapping[str, str], shard: str = "") -> str:
        """Register a run and return its id; raises `CloseSpider` if one of this spider, sites and shard is alive."""
        spider = self.crawler.spidercls.name
        # scrapyd gives each job its id as an argument of the spider.
        job = getattr(self.crawler.spider, "_job", None)
        run = Run.here(spider, command_of(spider, sites, shard), arguments, job)
        other = await self._database.run(begin_runs, (run, datetime.now(UTC)))
        if other is not None:
            logger.error(
                "this crawl is still running%s: started %s, process %d on %s; it is not started twice. "
                "Several machines share a crawl by -a shard=1/2, -a shard=2/2",
                f" (shard {shard})" if shard else "", other.started, other.pid, other.host,
            )  # fmt: skip
            raise CloseSpider(STILL_RUNNING)
        self.run = run
        self._database.run_id = run.id
        await self.show_life()
        self.beat.start(BEAT_SECONDS, now=False)
        self._database.send(prune_daily, datetime.now(UTC))
        deferred_from_coro(self._forget_old_keys()).addErrback(_log_error, "old keys of texts were not deleted")
        return run.id

    async def show_life(self) -> None:
        """Write a heartbeat; a run that was taken for dead goes on, unless another has taken its place."""
        if self.run is None:
            return
        try:
            is_open = await self._database.run(heartbeat, (self.run.id, datetime.now(UTC)))
            if not is_open:
                if await self._database.run(revive, (self.run, datetime.now(UTC))):
                    logger.warning("this run was silent for so long that it was taken for dead; it goes on")
                else:
                    logger.error("this run was silent for so long that another one took its place; it ends")
                    await self.crawler.engine.close_spider_async(reason=REPLACED)
        except StorageError as error:
            logger.warning("no heartbeat was written: %s", error)

    def _beat(self) -> Deferred[None]:
        # A loop whose call fails is not called again.
        return deferred_from_coro(self.show_life()).addErrback(_log_error, "no heartbeat was written")

    async def _forget_old_keys(self) -> None:
        """Delete old keys as long as there are any and the crawl goes on; the next run goes on with the rest."""
        while not self.reason and await self._database.run(forget_old_keys, datetime.now(UTC)):
            pass

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


def _log_error(failure: Failure, what: str) -> None:
    logger.error("%s: %s", what, failure.getErrorMessage())


def command_of(spider: str, sites: Iterable[str], shard: str = "") -> str:
    """Return the key shared by runs that must not run at the same time."""
    names = "\n".join([*sorted(set(sites)), shard] if shard else sorted(set(sites)))
    return hashlib.blake2b(f"{spider}\n{names}".encode(), digest_size=16).hexdigest()
