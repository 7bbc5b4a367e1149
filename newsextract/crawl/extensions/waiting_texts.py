"""The texts of feeds that wait in memory until the visits of their pages have ended, and what they stand in for.

They are kept only for pages that this run is to visit, and only up to a limit; after a crash there are none, and a page
that refuses us has no stand-in then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsextract.page.urls import url_key

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from newsextract.crawl.page_end import PageEnd

MAX_BYTES = 32 * 1024 * 1024
"""Compressed; an entry of 600 words takes about 3 kB, so that ten thousand fit."""

NOT_KEPT = "newsextract/feed_texts/not_kept"
"""The stat that counts the texts beyond the limit."""


class WaitingTexts:
    """Keeps packed entries by the URLs of their pages; `FeedEntry` has the packing."""

    def __init__(self, stats: StatsCollector, max_bytes: int = MAX_BYTES) -> None:
        self.stats = stats
        self.max_bytes = max_bytes
        self.size = 0
        self._packed: dict[str, bytes] = {}
        self._ends: dict[str, PageEnd] = {}
        """How the pages have ended for which an article is on its way through the pipelines."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Keep texts."""
        assert crawler.stats is not None  # noqa: S101 - Scrapy sets it before it makes extensions
        return cls(crawler.stats)

    def keep(self, url: str, packed: bytes) -> None:
        """Keep the entry of a page, unless there is no room left; the first of several is kept."""
        key = url_key(url)
        if key in self._packed:
            return
        if self.size + len(packed) > self.max_bytes:
            self.stats.inc_value(NOT_KEPT)
            return
        self._packed[key] = packed
        self.size += len(packed)

    def move(self, url: str, to: str) -> None:
        """Note where the page was found at last, after redirects."""
        packed = self.take(url)
        if packed is not None and url_key(to) not in self._packed:
            self._packed[url_key(to)] = packed
            self.size += len(packed)

    def take(self, url: str) -> bytes | None:
        """Remove and return the entry of a page; `None` if there is none."""
        packed = self._packed.pop(url_key(url), None)
        self.size -= len(packed or b"")
        return packed

    def begin(self, url: str, end: PageEnd) -> None:
        """Note how a page has ended whose entry is now to go through the pipelines as an article."""
        self._ends[url_key(url)] = end

    def end_of(self, url: str) -> PageEnd | None:
        """Remove and return how a page has ended whose entry went through the pipelines; `None` for other pages."""
        return self._ends.pop(url_key(url), None)
