"""Renders a page that gave no article without a browser: only where signs say that its scripts bring the text."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PageDropped, PageEnd
from newsextract.crawl.page_responses import RENDER_KEY, RENDERED_FLAG
from newsextract.crawl.pages_again import page_again, request_again
from newsextract.crawl.rendering.render_budget import REMEMBERED_DAYS
from newsextract.crawl.rendering.rendered_page import OverBudget, RenderFailed
from newsextract.crawl.rendering.rendering import Rendering
from newsextract.crawl.visit import Received, content_hash, note
from newsextract.page.page import PageError
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState
from newsextract.settings import AUTO
from newsextract.storage.ledger.ledger import IN_VAIN, rendered_visits

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.readers import Readers
    from newsextract.page.page import Page

_HIDING = (PageState.EMPTY, PageState.OTHER)
"""How pages end whose text may be missing; a listing is one as it is."""


class SecondReading:
    """Decides whether a page is worth the browser, and fetches it with that."""

    def __init__(self, crawler: Crawler, rendering: Rendering, readers: Readers) -> None:
        self.crawler = crawler
        self.rendering = rendering
        self.readers = readers
        self.database = crawler.get_extension(Database)
        self._remembered: set[str] = set()
        self._asking = asyncio.Lock()

    async def of_page(self, page: Page, end: PageEnd) -> Page | None:
        """Return the page as the browser shows it, if that may show more; raises `PageDropped` if the browser fails."""
        url = page.url or ""
        site = self.rendering.site_name(url)
        if not url or page.hints.is_rendered or end.state not in _HIDING or not await self._is_wanted(site, page):
            return None
        return await self._shown(page, url, site)

    async def of_listing(self, page: Page, request: Request) -> Page | None:
        """Return a home or section page as the browser shows it, if signs say that its scripts put in its links.

        What its request's visit has received is then what the browser shows: if the site sends the same shell the next
        time, that is no unchanged page.
        """
        url = page.url or ""
        site = self.rendering.site_name(url)
        if page.hints.is_rendered or not await self._is_wanted(site, page):
            return None
        note(request, received=Received())
        try:
            shown = await self._shown(page, url, site)
        except PageDropped:  # counted; the page is read as it was fetched
            return None
        if shown is not None:
            note(request, received=Received(HTTPStatus.OK, content_hash(shown.decoded.text.encode())))
        return shown

    async def _shown(self, page: Page, url: str, site: str) -> Page | None:
        try:
            again = request_again(url, **{RENDER_KEY: site, "dont_cache": True, "dont_retry": True})
            response = await self.crawler.engine.download_async(again)
        except OverBudget:
            return None
        except RenderFailed as error:
            self.note_in_vain(url)
            raise PageDropped(PageEnd(PageState.ERROR, error.reason), url) from None
        except Exception as error:  # noqa: BLE001 - any middleware's; the page has been read without, and ends as it did
            self.crawler.stats.inc_value(f"newsextract/render/failed/{type(error).__name__}")
            return None
        found = self._page(response, page)
        if found is None:
            self.note_in_vain(url)
        return found

    def note_article(self, url: str | None) -> None:
        """Note that a rendered page is an article."""
        self.rendering.budget.of(self.rendering.site_name(url or "")).articles += 1
        self.crawler.stats.inc_value("newsextract/render/articles")

    def note_in_vain(self, url: str | None) -> None:
        """Note that a page was rendered and is no article for all that; before, it counts as neither."""
        self.rendering.budget.of(self.rendering.site_name(url or "")).tried += 1

    async def _is_wanted(self, site: str, page: Page) -> bool:
        if self.rendering.mode_of(site) != AUTO or not await self._needs_script(page):
            return False
        async with self._asking:  # pages that come together wait for the answer to the first
            await self._remember(site)
        is_worth_it = self.rendering.budget.of(site).is_worth_it
        if not is_worth_it:
            self.crawler.stats.inc_value("newsextract/render/not_worth_it")
        return is_worth_it

    async def _needs_script(self, page: Page) -> bool:
        try:
            signs = await answer_of(self.readers.script_signs(page))
        except Unanswered:
            return False
        return bool(signs)

    async def _remember(self, site: str) -> None:
        """Count what rendering led to on the days before, once for each site."""
        if self.database is None or site in self._remembered:
            return
        since = datetime.now(UTC) - timedelta(days=REMEMBERED_DAYS)
        before = await self.database.run(rendered_visits, (site, since))
        budget = self.rendering.budget.of(site)
        budget.tried += before.tried
        budget.articles += before.articles
        self._remembered.add(site)

    def _page(self, response: Response, first: Page) -> Page | None:
        if RENDERED_FLAG not in response.flags or not 200 <= response.status < 300:
            return None
        try:
            return page_again(response, first, self.crawler.settings)
        except PageError:
            return None


def in_vain(end: PageEnd) -> PageEnd:
    """Return the end of a page that was rendered and is no article for all that."""
    return PageEnd(end.state, f"{end.reason}{IN_VAIN}", patience=end.patience)


def new_second_reading(crawler: Crawler, readers: Readers) -> SecondReading | None:
    """Return what reads pages a second time; `None` if the crawl renders none."""
    rendering = crawler.get_extension(Rendering)
    return SecondReading(crawler, rendering, readers) if rendering else None
