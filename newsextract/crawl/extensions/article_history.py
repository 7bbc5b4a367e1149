"""Adds the effects of storing an article: its revisions, and its links with copies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from sqlalchemy import event

from newsextract.crawl.extensions.database_writer import Database
from newsextract.settings import DATABASE, REVISIONS, STORIES
from newsextract.storage.revisions import note_revisions
from newsextract.storage.stories import link_stories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from newsextract.storage.revisions import Change, Effect


class History:
    """Adds the effects to the crawl's database, revisions before stories, each unless its setting is off."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Wait until the other extensions exist; raises `NotConfigured` without a database."""
        if not DATABASE.of(crawler.settings):
            raise NotConfigured
        self = cls(crawler)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        return self

    def spider_opened(self) -> None:
        """Add the effects that are switched on."""
        database, settings = self.crawler.get_extension(Database), self.crawler.settings
        assert database is not None  # noqa: S101 - both are configured by the same setting
        if REVISIONS.of(settings):
            database.effects.append(self._counted(note_revisions, "newsextract/revisions"))
        if STORIES.of(settings):
            database.effects.append(
                self._counted(partial(link_stories, prints=database.prints), "newsextract/stories/linked")
            )

    def _counted(self, act: Callable[[Connection, Sequence[Change]], int], stat: str) -> Effect:
        """Return an effect that adds its count to a stat only on commit, because a transaction may be repeated."""

        def effect(connection: Connection, changes: Sequence[Change]) -> None:
            if number := act(connection, changes):
                event.listen(connection, "commit", lambda _: self.crawler.stats.inc_value(stat, number))

        return effect
