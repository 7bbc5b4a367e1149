"""What follows from storing an article, in the same transaction: revisions, copies, kept pages, matches, messages."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakValueDictionary

from sqlalchemy import event

from newsextract.crawl.scrapy_versions import answer_of, in_thread
from newsextract.newsroom.delivery.files import AtomFeeds, JsonLines
from newsextract.newsroom.delivery.messages import announce, announce_removals
from newsextract.newsroom.delivery.sending import Senders
from newsextract.newsroom.delivery.targets import Broker
from newsextract.reading.feed_entry import is_fallback
from newsextract.settings import (
    ALERTS,
    ATOM,
    BROKER,
    DATABASE,
    DELIVERY_RIGHTS,
    MESSAGES,
    REVISIONS,
    STORIES,
    WATCH,
    WEBHOOKS,
)
from newsextract.storage.revisions import note_revisions
from newsextract.storage.stories import link_stories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings
    from sqlalchemy import Connection

    from newsextract.crawl.database import Database
    from newsextract.newsroom.delivery.sending import Report
    from newsextract.newsroom.delivery.targets import Target
    from newsextract.newsroom.watch import RuleIndex
    from newsextract.page.page import Page
    from newsextract.storage.revisions import Change, Effect
    from newsextract.storage.warc_store import WarcStore

logger = logging.getLogger(__name__)


class Effects:
    """The effects of storing that the settings switch on, in their order, and the sending of messages."""

    def __init__(self, settings: BaseSettings, stats: Any, database: Database, warc: WarcStore | None) -> None:
        self.settings = settings
        self.stats = stats
        self.kept_pages = KeptPages(warc, stats) if warc else None
        effects = database.effects
        if self.kept_pages is not None:
            effects.append(self.kept_pages.keep)
        if REVISIONS.of(settings):
            effects.append(self._counted(note_revisions, "newsextract/revisions"))
        if STORIES.of(settings):
            effects.append(self._counted(partial(link_stories, prints=database.prints), "newsextract/stories/linked"))
        self.watch = Watch.read(path, stats) if (path := WATCH.of(settings)) else None
        if self.watch is not None:
            effects.append(self.watch.match)
        # Last: its messages report what the others have done.
        self.delivery = Delivery(targets, stats) if (targets := targets_from(settings)) else None
        if self.delivery is not None:
            effects.append(announce)
            database.tell_removals = announce_removals

    def _counted(self, act: Callable[[Connection, Sequence[Change]], int], stat: str) -> Effect:
        """Return an effect that adds its count to a stat only on commit, because a transaction may be repeated."""

        def effect(connection: Connection, changes: Sequence[Change]) -> None:
            if number := act(connection, changes):
                event.listen(connection, "commit", lambda _: self.stats.inc_value(stat, number))

        return effect


class KeptPages:
    """Notes with each article which records of the WARC have its page, so that a later version can read it again."""

    def __init__(self, store: WarcStore, stats: Any) -> None:
        self.store = store
        self.stats = stats
        self.under_way: WeakValueDictionary[str, Page] = WeakValueDictionary()
        """Pages by URL, only while the pipelines still work on them."""

    def keep(self, connection: Connection, changes: Sequence[Change]) -> None:
        """Keep the pages of stored articles: an effect, run in the database's thread."""
        # A page for which a feed's text stands in has nothing to read again.
        own = [change for change in changes if not is_fallback(change.article)]
        known = [(change.row, self.under_way.get(change.article.url or "")) for change in own]
        found = [(row, page) for row, page in known if page is not None]
        if not found:
            return
        from newsextract.storage.kept_pages import keep_pages  # noqa: PLC0415 - it brings warcio, for those who want it

        try:
            keep_pages(connection, self.store, found)
        except OSError as error:  # the article is still stored if its page cannot be kept
            self.stats.inc_value("newsextract/kept_pages/failed", len(found))
            logger.error("%d pages are not kept: %s", len(found), error)  # noqa: TRY400 - the disk's, not ours
        else:
            self.stats.inc_value("newsextract/kept_pages/kept", len(found))


class Watch:
    """Stores the rules of `watch.yml` that match an article, and counts the matches."""

    def __init__(self, index: RuleIndex, stats: Any) -> None:
        self.index = index
        self.stats = stats
        self._counts: dict[tuple[str, str], int] = {}
        self._rules: set[str] = set()
        stats.set_value("newsextract/watch/rules", len(index.rules))

    @classmethod
    def read(cls, path: Path, stats: Any) -> Self:
        """Read the rules of a file; raises `WatchFileError` if it is invalid."""
        # Parsers, a validator and an index, which crawls without rules do without.
        from newsextract.newsroom.watch import RuleIndex, read_rules  # noqa: PLC0415

        return cls(RuleIndex(read_rules(path)), stats)

    def match(self, connection: Connection, changes: Sequence[Change]) -> None:
        """Match what is stored: an effect. Counts new matches once, even if their transaction is repeated."""
        from newsextract.newsroom.watch import match_changes  # noqa: PLC0415 - likewise

        match_changes(connection, self.index, changes)
        for change in changes:
            self._counts[change.row["id"], change.row["content_hash"]] = len(change.matches)
            self._rules.update(match["rule"] for match in change.matches)
        self.stats.set_value("newsextract/watch/matches", sum(self._counts.values()))
        self.stats.set_value(
            "newsextract/watch/articles", len({key for (key, _), count in self._counts.items() if count})
        )
        self.stats.set_value("newsextract/watch/rules_with_matches", len(self._rules))


def targets_from(settings: BaseSettings) -> list[Target]:
    """Return the targets in the settings; raises `BadSetting` for an invalid one."""
    found: list[Target] = [*WEBHOOKS.of(settings)]
    if url := BROKER.of(settings):
        found.insert(0, Broker(url))
    if folder := ATOM.of(settings):
        found.append(AtomFeeds(folder))
    if path := MESSAGES.of(settings):
        found.append(JsonLines(path))
    for target in found:
        target.use = DELIVERY_RIGHTS.of(settings)
    if path := ALERTS.of(settings):
        from newsextract.newsroom.delivery.alerts import read_alerts  # noqa: PLC0415 - Apprise is slow to load

        found += read_alerts(path, DATABASE.of(settings))
    return found


class Delivery:
    """Sends the messages that are added to the outbox along with the articles; one thread per target."""

    def __init__(self, targets: Sequence[Target], stats: Any) -> None:
        self.targets = targets
        self.stats = stats
        self.senders: Senders | None = None

    def open(self, database: Database) -> None:
        """Begin to send what earlier runs have left."""
        self.senders = Senders(self.targets, database.thread)
        self.senders.start()

    async def close(self, seconds: float) -> None:
        """Give the targets some time for the last messages, and count what was sent."""
        if self.senders is not None:
            for report in await answer_of(in_thread(partial(self.senders.finish, seconds))):
                self._count(report)

    def _count(self, report: Report) -> None:
        prefix = f"newsextract/delivery/{report.target}"
        for name in ("delivered", "dead", "outages", "left"):
            if (count := getattr(report, name)) or name == "delivered":
                self.stats.set_value(f"{prefix}/{name}", count)
        for reason, count in report.left_out.items():
            self.stats.set_value(f"{prefix}/left_out/{reason}", count)
        if report.left:
            logger.warning(
                "%d messages for %s wait in the outbox: the next run sends them, or `newsextract deliver`",
                report.left, report.target,
            )  # fmt: skip
