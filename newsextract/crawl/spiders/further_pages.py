"""Multi-page articles: fetches all of one on one page, or the further pages in order, and joins them to the first."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from twisted.python.failure import Failure

from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PageEnd, unread
from newsextract.crawl.spiders.fetch_failures import end_of_failure, end_of_status
from newsextract.crawl.visit import request_of
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.page.urls import url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState
from newsextract.reading.pagination import page_number

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.crawl.readers import Pagination, Readers
    from newsextract.crawl.spiders.fetched_pages import FetchedPages
    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.page.page import Page
    from newsextract.sites.frontier import Frontier

MAX_PAGES = 20
"""Pages of one article, with the first. The longest reports have about ten; more are galleries and archives."""


@dataclass(frozen=True)
class FurtherPages:
    """Fetches the pages after a first page, without the scheduler, but with robots.txt, delays and retries."""

    make: RequestMaker
    fetched: FetchedPages
    readers: Readers
    download: Callable[[Request], Awaitable[Response]]
    """The engine's download method, which bypasses the scheduler."""

    async def join(self, first: Page, frontier: Frontier) -> Page:
        """Return the page joined with all of its article on one page, else with the pages that continue it.

        These end before the first that cannot be fetched. Nothing is joined unless the frontier wants it.
        """
        if not frontier.joins_pages:
            return first
        place = await self._place(first) if _may_continue(first, frontier) else None
        joined = copy(first)
        if place:
            joined.continued = await self._single(place, first, frontier) or await self._further(place, first, frontier)
        return joined

    async def _place(self, first: Page) -> Pagination | None:
        try:
            return await answer_of(self.readers.paginate(first))
        except Unanswered:  # the page will not be read either
            return None

    async def _single(self, place: Pagination, first: Page, frontier: Frontier) -> tuple[Page, ...]:
        found = await self._fetched(place.single_page, first, frontier)
        if found is None:
            return ()
        page, _ = found
        page.hints = replace(page.hints, is_single_page=True)
        return (page,)

    async def _further(self, place: Pagination, first: Page, frontier: Frontier) -> tuple[Page, ...]:
        pages: list[Page] = []
        url = place.next_page
        while len(pages) + 1 < MAX_PAGES and (found := await self._fetched(url, first, frontier)):
            page, url = found
            pages.append(page)
        return tuple(pages)

    async def _fetched(self, url: str | None, first: Page, frontier: Frontier) -> tuple[Page, str | None] | None:
        """Return the page at a URL and the URL of the next one; `None` if it cannot be fetched, or has been claimed."""
        if not url or not frontier.claim_part(url):
            return None
        response = await self._download(self.make.part(url, frontier.site))
        return await self._read(response, url, first.url or "", frontier) if response else None

    async def _download(self, request: Request) -> Response | None:
        try:
            return await self.download(request)
        except Exception:  # noqa: BLE001 - whatever keeps the second page away must not cost the first
            if end := end_of_failure(Failure(), request):  # type: ignore[no-untyped-call]
                self.fetched.count_and_end(request, end)
            return None

    async def _read(
        self, response: Response, url: str, first: str, frontier: Frontier
    ) -> tuple[Page, str | None] | None:
        """Return the page of a response and the URL of the next one; `None` for a page that is not joined."""
        fetched, request = self.fetched, request_of(response)
        if not 200 <= response.status < 300:
            fetched.count_and_end(request, end_of_status(response.status))
        elif page_number(response.url, first) != page_number(url, first) or url_key(response.url) == url_key(first):
            fetched.count_and_end(request, unread("redirects to another page"))
        elif page := fetched.page(response, frontier):
            pagination = await fetched.answer(request, self.readers.paginate(page, first))
            if pagination is not None:
                fetched.end(request, PageEnd(PageState.PART, "joined to its article"))
                return page, pagination.next_page
        return None


def _may_continue(page: Page, frontier: Frontier) -> bool:
    # A section has "next" links too, and only its text shows that it is not an article.
    url = page.url or ""
    return bool(frontier.hints_of(url)) or article_likeness(url) >= ARTICLE_THRESHOLD
