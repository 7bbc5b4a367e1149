"""The database of a crawl: one thread writes for all parts, and the run is registered there with a lock."""

from __future__ import annotations

import hashlib
import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scrapy.exceptions import CloseSpider
from scrapy.utils.defer import deferred_from_coro
from twisted.internet.task import LoopingCall

from newsextract.crawl.scrapy_versions import answer_of, close_spider
from newsextract.settings import DATABASE, STORIES, BadSetting
from newsextract.storage.articles import put_new_texts
from newsextract.storage.database import StorageError, limit_stalls, open_engine
from newsextract.storage.database_thread import DatabaseThread, GivenUp
from newsextract.storage.ledger import prune_daily, record
from newsextract.storage.likeness import TextPrints
from newsextract.storage.run_lock import Run, begin_run, end_run, heartbeat, revive
from newsextract.storage.stories import forget_old_keys
from newsextract.storage.word_index import KnownEntries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection, Engine
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.sites.site import SiteIndex
    from newsextract.storage.database_thread import Operation
    from newsextract.storage.ledger import VisitRecord
    from newsextract.storage.removals import Removal
    from newsextract.storage.revisions import Effect, Stored

logger = logging.getLogger(__name__)

FAILED = "newsextract/database/failed"
"""The stat that counts failed database operations; the exit code depends on it."""

STILL_RUNNING = "still running"
"""The reason of a crawl that closes at once because the same one is running."""

REPLACED = "replaced"
"""The reason of a crawl that ends because another run of it took its place."""

BEAT_SECONDS = 30
"""Seconds between two heartbeats; four of them may get lost."""

LEAST_CLOSING_SECONDS = 60.0
"""In which what is queued may be written at the end, though the crawl was stopped."""

A = TypeVar("A")
R = TypeVar("R")


class Database:
    """Opens before the spider and closes after everything else, so that all parts can write while they close."""

    def __init__(self, stats: Any, engine: Engine, sites: SiteIndex, *, links_stories: bool = False) -> None:
        self.stats = stats
        self.engine = engine
        self.thread = DatabaseThread(engine)
        self.sites = sites
        self.links_stories = links_stories
        """Whether articles are linked with their copies."""
        self.run_id: str | None = None
        """The id of the registered run; set when the run is registered."""
        self.effects: list[Effect] = []
        """The effects of storing an article, in their order."""
        self.tell_removals: Callable[[Connection, Sequence[Removal]], None] | None = None
        """What is done when articles turn out to be removed, or back, in the same transaction."""
        self.prints = TextPrints()
        """The prints of recent texts, by which copies are found."""
        self.words = KnownEntries()
        """The words of texts that are about to be stored."""

    @classmethod
    def open(cls, crawler: Crawler, sites: SiteIndex) -> Self | None:
        """Open the database of `NEWSEXTRACT_DATABASE`, if there is one; raises `BadSetting` if it cannot be reached."""
        url = DATABASE.of(crawler.settings)
        if not url:
            return None
        try:
            engine = open_engine(url)
        except StorageError as error:
            raise BadSetting(f"{DATABASE.name}: {error}") from error
        limit_stalls(engine)
        return cls(crawler.stats, engine, sites, links_stories=STORIES.of(crawler.settings))

    async def run(self, operation: Operation[A, R], argument: A) -> R:
        """Run an operation in the database's thread, and return its result; raises what it raises."""
        try:
            return await answer_of(self.thread.submit(operation, argument))
        except Exception:
            self.stats.inc_value(FAILED)
            raise

    async def run_all(self, operation: Operation[A, R], arguments: Iterable[A]) -> list[R]:
        """Run an operation with each argument, as a batch."""
        futures = [self.thread.submit(operation, argument) for argument in arguments]
        return [await answer_of(future) for future in futures]

    def put(self, connection: Connection, articles: Sequence[Article]) -> list[Stored]:
        """Store articles under this run's id: an operation for `run`."""
        return put_new_texts(
            connection, articles, run_id=self.run_id, effects=self.effects, sites=self.sites, entries_of=self.words.of
        )

    def record(self, connection: Connection, visits: Sequence[VisitRecord]) -> list[None]:
        """Record how visits ended, and what they say of removed articles: an operation for `send`."""
        found = record(connection, visits)
        if found and self.tell_removals is not None:
            self.tell_removals(connection, found)
        for removal in found:
            self.stats.inc_value(f"newsextract/{'restored' if removal.date_restored else 'removed'}")
        return [None] * len(visits)

    def send(self, operation: Operation[A, Any], argument: A) -> None:
        """Queue an operation without waiting for it; a failure is logged and counted."""
        self.thread.submit(operation, argument).add_done_callback(self._note_failure)

    async def close(self) -> None:
        """Write what is queued, and close the connections."""
        if not await answer_of(self.thread.closing(max(self.thread.patience_seconds, LEAST_CLOSING_SECONDS))):
            logger.error("the database did not come back: what was still to be written in the end is not")
        self.engine.dispose()

    def _note_failure(self, future: Future[Any]) -> None:
        if (error := future.exception()) is not None:
            self.stats.inc_value(FAILED)
            if not isinstance(error, GivenUp):  # the thread has said that
                logger.error("not written to the database: %s", error)


class RunRegister:
    """Registers the run of a spider that calls `begin`, shows that it is alive, and records how it ended."""

    def __init__(self, crawler: Crawler, database: Database) -> None:
        self.crawler = crawler
        self.database = database
        self.run: Run | None = None
        self.is_closing = False
        self.beat = LoopingCall(self._beat)

    async def begin(self, sites: Iterable[str], arguments: Mapping[str, str], shard: str = "") -> str:
        """Register a run and return its id; raises `CloseSpider` if one of this spider, sites and shard is alive."""
        spider = self.crawler.spidercls.name
        # scrapyd gives each job its id as an argument of the spider.
        job = getattr(self.crawler.spider, "_job", None)
        run = Run.here(spider, command_of(spider, sites, shard), arguments, job)
        other = await self.database.run(begin_run, (run, datetime.now(UTC)))
        if other is not None:
            logger.error(
                "this crawl is still running%s: started %s, process %d on %s; it is not started twice. "
                "Several machines share a crawl by -a shard=1/2, -a shard=2/2",
                f" (shard {shard})" if shard else "", other.started, other.pid, other.host,
            )  # fmt: skip
            raise CloseSpider(STILL_RUNNING)
        self.run = run
        self.database.run_id = run.id
        self.beat.start(BEAT_SECONDS, now=False)
        self.database.send(prune_daily, datetime.now(UTC))
        deferred_from_coro(self._forget_old_keys()).addErrback(_log_error, "old keys of texts were not deleted")
        return run.id

    async def show_life(self) -> None:
        """Write a heartbeat; a run that was taken for dead goes on, unless another has taken its place."""
        if self.run is None or await self.database.run(heartbeat, (self.run.id, datetime.now(UTC))):
            return
        if await self.database.run(revive, (self.run, datetime.now(UTC))):
            logger.warning("this run was silent for so long that it was taken for dead; it goes on")
        elif not self.is_closing:
            logger.error("this run was silent for so long that another one took its place; it ends")
            await close_spider(self.crawler, REPLACED)

    async def end(self, reason: str) -> None:
        """Record how the run ended, and release its claims."""
        if self.beat.running:
            self.beat.stop()
        if self.run is not None:
            stats = self.crawler.stats.get_stats()
            await self.database.run(end_run, (self.run.id, reason, stats, datetime.now(UTC)))

    def _beat(self) -> Deferred[None]:
        # A loop whose call fails is not called again.
        return deferred_from_coro(self.show_life()).addErrback(_log_error, "no heartbeat was written")

    async def _forget_old_keys(self) -> None:
        """Delete old keys as long as there are any and the crawl goes on; the next run goes on with the rest."""
        while not self.is_closing and await self.database.run(forget_old_keys, datetime.now(UTC)):
            pass


def _log_error(failure: Failure, what: str) -> None:
    logger.warning("%s: %s", what, failure.getErrorMessage())


def command_of(spider: str, sites: Iterable[str], shard: str = "") -> str:
    """Return the key shared by runs that must not run at the same time."""
    names = "\n".join([*sorted(set(sites)), shard] if shard else sorted(set(sites)))
    return hashlib.blake2b(f"{spider}\n{names}".encode(), digest_size=16).hexdigest()
