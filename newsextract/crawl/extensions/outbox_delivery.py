"""Sends messages to brokers, webhooks, feeds and files during the crawl."""

from __future__ import annotations

import logging
import threading
from collections import defaultdict
from concurrent.futures import Future
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.watch_matching import Watch
from newsextract.crawl.futures import answer_of
from newsextract.newsroom.delivery import sending
from newsextract.newsroom.delivery.files import AtomFeeds, JsonLines
from newsextract.newsroom.delivery.messages import Announcer
from newsextract.newsroom.delivery.sending import Senders
from newsextract.newsroom.delivery.targets import Broker
from newsextract.settings import (
    ATOM,
    BROKER,
    MESSAGES,
    WEBHOOKS,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsextract.newsroom.delivery.sending import Report
    from newsextract.newsroom.delivery.targets import Target
    from newsextract.newsroom.watch.matches import NewMatch
    from newsextract.storage.revisions import Change

logger = logging.getLogger(__name__)


def targets_from(settings: BaseSettings) -> list[Target]:
    """Return the targets in the settings; raises `BadSetting` for an invalid one."""
    found: list[Target] = [*WEBHOOKS.of(settings)]
    if url := BROKER.of(settings):
        found.insert(0, Broker(url))
    if folder := ATOM.of(settings):
        found.append(AtomFeeds(folder))
    if path := MESSAGES.of(settings):
        found.append(JsonLines(path))
    return found


class Delivery:
    """Adds messages to the outbox along with the articles; one thread per target sends them from there."""

    def __init__(self, crawler: Crawler, targets: Sequence[Target]) -> None:
        self.crawler = crawler
        self.targets = targets
        self.announcer = Announcer()
        self.senders: Senders | None = None
        self._matches: dict[str, list[dict[str, Any]]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the start of the spider, if there is a target; raises `BadSetting` for an invalid one."""
        targets = targets_from(crawler.settings)
        if not targets:
            raise NotConfigured
        self = cls(crawler, targets)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        # After the pipelines, which have stored their last articles by then, and before the stats are reported.
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def spider_opened(self) -> None:
        """Add the effect after all others, and begin to send what earlier runs have left."""
        database = self.crawler.get_extension(Database)
        assert database is not None  # noqa: S101 - there are no targets without one
        self.senders = Senders(self.targets, database.thread)
        self.senders.start()
        if (watch := self.crawler.get_extension(Watch)) is not None:
            watch.effects.append(self.note_matches)
        self.announcer.matches = self.matches_of
        database.effects.append(self.announcer)

    def note_matches(self, _connection: Connection, new: Sequence[NewMatch]) -> None:
        """Keep the new matches of a transaction until its messages are written."""
        self._matches = defaultdict(list)
        for found in new:
            self._matches[found.row["id"]].append(
                {
                    "rule": found.match.rule.name,
                    "passages": [asdict(each) for each in found.match.passages],
                    "dateMatched": found.date_matched,
                }
            )

    def matches_of(self, _connection: Connection, changes: Sequence[Change]) -> dict[str, list[dict[str, Any]]]:
        """Return the new matches of the changed articles, each once."""
        return {change.row["id"]: self._matches.pop(change.row["id"], []) for change in changes}

    async def spider_closed(self) -> None:
        """Give the targets some time for the last messages, and count what was sent."""
        if self.senders is None:
            return
        for report in await answer_of(_finished(self.senders, sending.END_SECONDS)):
            self._count(report)

    def _count(self, report: Report) -> None:
        prefix = f"newsextract/delivery/{report.target}"
        for name in ("delivered", "dead", "outages", "left"):
            if (count := getattr(report, name)) or name == "delivered":
                self.crawler.stats.set_value(f"{prefix}/{name}", count)
        if report.left:
            logger.warning(
                "%d messages for %s wait in the outbox: the next run sends them, or `scrapy deliver`",
                report.left, report.target,
            )  # fmt: skip


def _finished(senders: Senders, seconds: float) -> Future[list[Report]]:
    future: Future[list[Report]] = Future()

    def finish() -> None:
        try:
            future.set_result(senders.finish(seconds))
        except Exception as error:  # noqa: BLE001 - it belongs to whoever waits
            future.set_exception(error)

    threading.Thread(target=finish, name="newsextract-delivery-end", daemon=True).start()
    return future
