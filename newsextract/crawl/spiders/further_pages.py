"""Articles of several pages: the further ones are fetched in their order, and go with the first."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twisted.python.failure import Failure

from newsextract.crawl.futures import answer_of
from newsextract.crawl.spiders.fetch_failures import outcome_of, outcome_of_status
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.urls.page_links import ARTICLE_THRESHOLD, article_likeness
from newsextract.reading.next_page import page_number
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from newsextract.crawl.spiders.news import NewsSpider
    from newsextract.page.page import Page
    from newsextract.sites.frontier.frontier import Frontier

MAX_PAGES = 20
"""Of one article, the first included. The longest reports have about ten; more are picture galleries and archives."""


@dataclass(frozen=True)
class FurtherPages:
    """Fetches what follows a first page, past the scheduler but with all manners: robots.txt, delays, retries."""

    spider: NewsSpider

    async def join(self, first: Page, frontier: Frontier) -> Page:
        """Return the page with those that continue it, up to one that cannot be had."""
        start = first.url or ""
        pages: list[Page] = []
        url = await self._second(first) if _may_continue(first, frontier) else None
        while url and len(pages) + 1 < MAX_PAGES and frontier.claim_part(url):
            response = await self._download(self.spider.requests.part(url, frontier.site))
            found = await self._read(response, url, start, frontier) if response else None
            if found is None:
                break
            page, url = found
            pages.append(page)
        joined = copy(first)
        joined.continued = tuple(pages)
        return joined

    async def _second(self, first: Page) -> str | None:
        try:
            return (await answer_of(self.spider.readers.paginate(first))).next_page
        except Unanswered:  # nor will the page be read
            return None

    async def _download(self, request: Request) -> Response | None:
        try:
            return await self.spider.crawler.engine.download_async(request)
        except Exception:  # noqa: BLE001 - whatever keeps the second page away must not cost the first
            if outcome := outcome_of(Failure(), request):  # type: ignore[no-untyped-call]
                self.spider.arrivals.end(request, *outcome)
            return None

    async def _read(
        self, response: Response, url: str, first: str, frontier: Frontier
    ) -> tuple[Page, str | None] | None:
        """Return the page of an answer, and the address of the one after it; `None` for one that is not joined."""
        arrivals, request = self.spider.arrivals, response.request
        assert request is not None  # noqa: S101 - the engine sees to it
        if not 200 <= response.status < 300:
            arrivals.end(request, *outcome_of_status(response.status))
        elif page_number(response.url, first) != page_number(url, first):
            arrivals.end(request, PageState.ERROR, "redirects to another page")
        elif page := arrivals.page(response, frontier):
            pagination = await arrivals.answer(request, self.spider.readers.paginate(page, first))
            if pagination is not None:
                arrivals.fail(request, PageState.PART, "joined to its article")
                return page, pagination.next_page
        return None


def _may_continue(page: Page, frontier: Frontier) -> bool:
    # A section has a next page at the same address too, and what it is shows only after its text has been read.
    url = page.url or ""
    return bool(frontier.hints_of(url)) or article_likeness(url) >= ARTICLE_THRESHOLD
