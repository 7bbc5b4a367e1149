"""Articles from the texts of feeds, where pages refuse us or are empty.

The texts wait in memory until the visits of their pages have ended. They are kept only for pages that this run is to
visit, and only up to a limit; after a crash there are none, and a page that refuses us has no fallback then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from newsextract.crawl.futures import answer_of
from newsextract.crawl.outcome import Stopped
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.page.urls import url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.feed_entry import Instead
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import RetryPolicy

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from newsextract.article import Article
    from newsextract.crawl.outcome import Outcome
    from newsextract.crawl.readers import Readers
    from newsextract.page.page import Page

logger = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024
"""Compressed; an entry of 600 words takes about 3 kB, so that ten thousand fit."""

NOT_KEPT = "newsextract/feed_texts/not_kept"
"""The stat that counts the texts beyond the limit."""

Reserved: TypeAlias = Callable[[str], Mapping[str, str]]
"""Returns what the tdmrep.json of a URL's host reserves."""


@dataclass
class Fallbacks:
    """Keeps packed entries by the URLs of their pages, `FeedEntry` has the packing, and makes articles from them."""

    stats: StatsCollector
    readers: Readers
    max_bytes: int = MAX_BYTES
    size: int = 0
    _packed: dict[str, bytes] = field(default_factory=dict)
    _outcomes: dict[str, Outcome] = field(default_factory=dict)
    """How the pages have ended whose fallback is on its way through the pipelines."""

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
        packed = self._packed.pop(url_key(url), None) if self._packed else None
        self.size -= len(packed or b"")
        return packed

    def release(self, url: str, asked: str | None, outcome: Outcome) -> Outcome:
        """Return the outcome of a page: its own, if what went through the pipelines was its feed's text.

        Its entry is not needed any more; `asked` is the URL before redirects.
        """
        page_outcome = self._outcomes.pop(url_key(url), None) if self._outcomes else None
        if asked is not None:
            self.take(asked)
            self.take(url)
        if page_outcome is None:
            return outcome
        self.stats.inc_value(f"newsextract/feed_texts/{outcome.state}")
        return replace(page_outcome, fallback=outcome.article)

    async def of_failed(self, url: str, last_url: str, outcome: Outcome, reserved: Reserved) -> Article | None:
        """Return the article in place of a page that could not be fetched; `last_url` is where redirects led.

        It is `None` if the feed has no text of it, or the page is gone: then its text was perhaps taken back.
        """
        packed = self.take(url)
        if packed is None or not _may_come_back(outcome):
            return None
        # A refused article is at its last address; but a page to log in, where redirects may lead, is none.
        is_article = article_likeness(last_url) >= ARTICLE_THRESHOLD
        own = last_url if is_article or last_url == url else url
        return await self._made(packed, last_url, Instead(own, outcome.state, outcome.reason, reserved(own)), outcome)

    async def of_page(self, page: Page, outcome: Outcome) -> Article | None:
        """Return the article in place of a page that is empty, or neither article nor listing and shows little."""
        if outcome.state not in (PageState.EMPTY, PageState.OTHER) or not page.url:
            return None
        instead = Instead(page.url, outcome.state, outcome.reason, page.hints.site_rights, page)
        return await self._made(self.take(page.url), page.url, instead, outcome)

    async def of_interstitial(self, article: Article, outcome: Outcome) -> Article | None:
        """Return the article in place of one that was read, and is the text of a paywall."""
        url = article.url or ""
        found = await self._made(self.take(url), url, Instead(url, outcome.state, outcome.reason, {}), outcome)
        return replace(found, usageRights=article.usageRights) if found else None

    async def _made(self, packed: bytes | None, asked: str, instead: Instead, outcome: Outcome) -> Article | None:
        if packed is None:
            return None
        try:
            article = await answer_of(self.readers.read_entry(packed, instead))
        except Unanswered as error:
            logger.info("the feed's text of %s is not read: %s", instead.url, error.reason)
            return None
        except Stopped:
            return None
        if article is not None:
            self._outcomes[url_key(asked)] = outcome
        return article


def _may_come_back(outcome: Outcome) -> bool:
    """Return whether a page refused us, or could not be reached for now."""
    if outcome.state is PageState.BLOCKED:
        return outcome.reason != "private address"
    retry = outcome.retry or RetryPolicy.of_state(outcome.state)
    return outcome.state is PageState.ERROR and retry is RetryPolicy.TRANSIENT
