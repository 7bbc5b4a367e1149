"""What a stored article brings about in the database: its revisions, and its links with copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.exceptions import NotConfigured
from sqlalchemy import event

from newsextract.extensions.database import Database
from newsextract.storage.linking import link_stories
from newsextract.storage.revisions import note_revisions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

    from newsextract.storage.articles import Change, Effect


class Watching:
    """Adds the effects to the crawl's database, revisions before stories, each unless its setting is off."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Add what is switched on; without a database there is nothing to do."""
        database = crawler.get_extension(Database)
        if database is None:
            raise NotConfigured
        self = cls(crawler)
        if crawler.settings.getbool("NEWSEXTRACT_REVISIONS"):
            database.effects.append(self._counted(note_revisions, "newsextract/revisions"))
        if crawler.settings.getbool("NEWSEXTRACT_STORIES"):
            database.effects.append(self._counted(link_stories, "newsextract/stories/linked"))
        return self

    def _counted(self, act: Callable[[Connection, Sequence[Change]], int], stat: str) -> Effect:
        """Return an effect whose count goes into a stat as its transaction is committed, since it may be repeated."""

        def effect(connection: Connection, changes: Sequence[Change]) -> None:
            if number := act(connection, changes):
                event.listen(connection, "commit", lambda _: self.crawler.stats.inc_value(stat, number))

        return effect
