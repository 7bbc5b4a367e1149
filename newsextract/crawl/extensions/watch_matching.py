"""Matches every stored article against the rules of `watch.yml`."""

# ruff: noqa: PLC0415

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.extensions.database_writer import Database
from newsextract.settings import DATABASE, WATCH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler

    from newsextract.newsroom.watch.matches import MatchEffect, NewMatch
    from newsextract.newsroom.watch.rules import RuleIndex
    from newsextract.storage.revisions import Change


class Watch:
    """Stores the rules that match an article, and counts the matches."""

    def __init__(self, crawler: Crawler, index: RuleIndex) -> None:
        self.crawler = crawler
        self.index = index
        self.effects: list[MatchEffect] = []
        """Called with new matches; other extensions add theirs before the spider opens."""
        self._counts: dict[tuple[str, str], int] = {}
        self._rules: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the file that `NEWSEXTRACT_WATCH` names; raises `WatchFileError` if it is invalid."""
        path = WATCH.of(crawler.settings)
        if path is None or not DATABASE.of(crawler.settings):
            raise NotConfigured
        # Parsers, a validator and an index, which crawls without rules do without.
        from newsextract.newsroom.watch.rules import RuleIndex
        from newsextract.newsroom.watch.watch_file import read_rules

        self = cls(crawler, RuleIndex(read_rules(path)))
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        return self

    def spider_opened(self) -> None:
        """Add the effect to the database, which exists by now."""
        from newsextract.newsroom.watch.matches import matching

        database = self.crawler.get_extension(Database)
        assert database is not None  # noqa: S101 - it is configured by the setting that was looked at
        self.crawler.stats.set_value("newsextract/watch/rules", len(self.index.rules))
        database.effects.append(matching(self.index, self.effects, self.note))

    def note(self, changes: Sequence[Change], new: Sequence[NewMatch]) -> None:
        """Count new matches, once even if their transaction is repeated; the database's thread calls this."""
        for change in changes:
            self._counts.pop(_version(change), None)
        by_id = {change.row["id"]: _version(change) for change in changes}
        for found in new:
            version = by_id[found.row["id"]]
            self._counts[version] = self._counts.get(version, 0) + 1
            self._rules.add(found.match.rule.name)
        stats = self.crawler.stats
        stats.set_value("newsextract/watch/matches", sum(self._counts.values()))
        stats.set_value("newsextract/watch/articles", len({key for key, _ in self._counts}))
        stats.set_value("newsextract/watch/rules_with_matches", len(self._rules))


def _version(change: Change) -> tuple[str, str]:
    return change.row["id"], change.row["content_hash"]
