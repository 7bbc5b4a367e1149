"""Multi-page articles: fetches the further pages in order, and joins them to the first."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twisted.python.failure import Failure

from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PageEnd, unread
from newsextract.crawl.spiders.fetch_failures import end_of_failure, end_of_status
from newsextract.crawl.visit import request_of
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.urls.clean_urls import url_key
from newsextract.page.urls.page_links import ARTICLE_THRESHOLD, article_likeness
from newsextract.reading.next_page import page_number
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.crawl.spiders.fetched_pages import FetchedPages
    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.crawl.workers.worker_pool import Readers
    from newsextract.page.page import Page
    from newsextract.sites.frontier.frontier import Frontier

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
        """Return the page joined with the pages that continue it, up to the first that cannot be fetched."""
        start = first.url or ""
        pages: list[Page] = []
        url = await self._second(first) if _may_continue(first, frontier) else None
        while url and len(pages) + 1 < MAX_PAGES and frontier.claim_part(url):
            response = await self._download(self.make.part(url, frontier.site))
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
            return (await answer_of(self.readers.paginate(first))).next_page
        except Unanswered:  # the page will not be read either
            return None

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
