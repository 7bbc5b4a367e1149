"""The database of a crawl: one thread writes for all components."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self, TypeVar

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.futures import answer_of
from newsextract.crawl.spider_arguments import sites_of
from newsextract.settings import DATABASE, BadSetting
from newsextract.sites.site import SiteIndex
from newsextract.storage.articles import put_new_texts
from newsextract.storage.database import StorageError, limit_stalls, open_engine
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.likeness import TextPrints
from newsextract.storage.word_index import KnownWords

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection, Engine

    from newsextract.article import Article
    from newsextract.storage.database_thread import Operation
    from newsextract.storage.revisions import Effect, Stored

logger = logging.getLogger(__name__)

FAILED = "newsextract/database/failed"
"""The stat that counts failed database operations; the exit code depends on it."""

A = TypeVar("A")
R = TypeVar("R")


class Database:
    """Opens before the spider and closes after everything else, so that all components can write while they close."""

    def __init__(self, crawler: Crawler, engine: Engine) -> None:
        self.crawler = crawler
        self.engine = engine
        self.thread = DatabaseThread(engine)
        self.sites = SiteIndex(sites_of(crawler.spider))
        self.run_id: str | None = None
        """The id of the registered run; set when the run is registered."""
        self.effects: list[Effect] = []
        """The effects of storing an article; other extensions add theirs before the spider opens."""
        self.prints = TextPrints()
        """The prints of recent texts, by which copies are found."""
        self.words = KnownWords()
        """The words of texts that are about to be stored."""
        self.last_words: list[Callable[[], Awaitable[Any]]] = []
        """Writes to do last, such as the stats; extensions add theirs before the spider has closed."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Open the database of `NEWSEXTRACT_DATABASE`; raises `BadSetting` if it cannot be reached."""
        url = DATABASE.of(crawler.settings)
        if not url:
            raise NotConfigured  # no database, no storage
        try:
            engine = open_engine(url)
        except StorageError as error:
            raise BadSetting(f"{DATABASE.name}: {error}") from error
        limit_stalls(engine)
        self = cls(crawler, engine)
        crawler.signals.connect(self.close, signal=signals.engine_stopped)
        return self

    async def run(self, operation: Operation[A, R], argument: A) -> R:
        """Run an operation in the database's thread, and return its result; raises what it raises."""
        try:
            return await answer_of(self.thread.submit(operation, argument))
        except Exception:
            self.crawler.stats.inc_value(FAILED)
            raise

    async def run_all(self, operation: Operation[A, R], arguments: Iterable[A]) -> list[R]:
        """Run an operation with each argument, as a batch."""
        futures = [self.thread.submit(operation, argument) for argument in arguments]
        return [await answer_of(future) for future in futures]

    def put(self, connection: Connection, articles: Sequence[Article]) -> list[Stored]:
        """Store articles under this run's id: an operation for `run`."""
        return put_new_texts(
            connection,
            articles,
            run_id=self.run_id,
            effects=self.effects,
            sites=self.sites,
            words_of=self.words.of,
        )

    def send(self, operation: Operation[A, Any], argument: A) -> None:
        """Queue an operation without waiting for it; a failure is logged and counted."""
        self.thread.submit(operation, argument).add_done_callback(self._note_failure)

    async def close(self) -> None:
        """Write what is queued, and close the connections."""
        try:
            for write in self.last_words:
                await write()
        finally:
            if not await answer_of(self.thread.closing(self.thread.patience_seconds)):
                logger.error("the database did not come back: what was still to be written in the end is not")
            self.engine.dispose()

    def _note_failure(self, future: Future[Any]) -> None:
        if (error := future.exception()) is not None:
            self.crawler.stats.inc_value(FAILED)
            logger.error("not written to the database: %s", error)
