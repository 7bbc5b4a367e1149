"""Makes articles from the texts of feeds, where pages refuse us or are empty."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PRIVATE
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.processes.pool import Unanswered
from newsextract.reading.feed_article import Instead
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import Patience

if TYPE_CHECKING:
    from newsextract.article import Article
    from newsextract.crawl.extensions.waiting_texts import WaitingTexts
    from newsextract.crawl.page_end import PageEnd
    from newsextract.crawl.readers import Readers
    from newsextract.page.page import Page

logger = logging.getLogger(__name__)

Reserved: TypeAlias = Callable[[str], Mapping[str, str]]
"""Returns what the tdmrep.json of a URL's host reserves."""


@dataclass(frozen=True)
class StandIns:
    """Makes the articles that stand in for pages."""

    texts: WaitingTexts
    readers: Readers

    async def of_failed(self, url: str, last_url: str, end: PageEnd, reserved: Reserved) -> Article | None:
        """Return the article in place of a page that could not be fetched; `last_url` is where redirects led.

        It is `None` if the feed has no text of it, or the page is gone: then its text was perhaps taken back.
        """
        if not _may_come_back(end):
            self.texts.take(url)
            return None
        # A refused article is at its last address; but a page to log in, where redirects may lead, is none.
        is_article = article_likeness(last_url) >= ARTICLE_THRESHOLD
        own = last_url if is_article or last_url == url else url
        return await self._made(self.texts.take(url), last_url, Instead(own, end.state, end.reason, reserved(own)), end)

    async def of_page(self, page: Page, end: PageEnd) -> Article | None:
        """Return the article in place of a page that is empty, or neither article nor listing and shows little."""
        if end.state not in (PageState.EMPTY, PageState.OTHER) or not page.url:
            return None
        instead = Instead(page.url, end.state, end.reason, page.hints.tdm_reservation, page)
        return await self._made(self.texts.take(page.url), page.url, instead, end)

    async def of_wall(self, wall: Article, end: PageEnd) -> Article | None:
        """Return the article in place of a page that was read, and shows a wall."""
        url = wall.url or ""
        article = await self._made(self.texts.take(url), url, Instead(url, end.state, end.reason, {}), end)
        return replace(article, usageRights=wall.usageRights) if article else None

    async def _made(self, packed: bytes | None, asked: str, instead: Instead, end: PageEnd) -> Article | None:
        if packed is None:
            return None
        try:
            article = await answer_of(self.readers.read_entry(packed, instead))
        except Unanswered as error:
            logger.info("the feed's text of %s is not read: %s", instead.url, error.reason)
            return None
        if article is not None:
            self.texts.begin(asked, end)
        return article


def _may_come_back(end: PageEnd) -> bool:
    """Return whether a page refused us, or could not be reached for now."""
    if end.state is PageState.BLOCKED:
        return end != PRIVATE
    return end.state is PageState.ERROR and (end.patience or Patience.of_state(end.state)) is Patience.TRANSIENT
