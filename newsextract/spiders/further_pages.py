"""Articles of several pages: the further ones are fetched in their order, and go with the first."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twisted.python.failure import Failure

from newsextract.outcome import PageState
from newsextract.sites.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.sites.next_pages import next_page, page_number
from newsextract.sites.urls import clean_url
from newsextract.spiders.failures import outcome_of, outcome_of_status

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from newsextract.page import Page
    from newsextract.sites.frontier import Frontier
    from newsextract.spiders.news import NewsSpider

MAX_PAGES = 20
"""Of one article, the first included. The longest reports have about ten; more are picture galleries and archives."""


@dataclass(frozen=True)
class FurtherPages:
    """Fetches what follows a first page, past the scheduler but with all manners: robots.txt, delays, retries."""

    spider: NewsSpider

    async def join(self, first: Page, frontier: Frontier) -> Page:
        """Return the page with those that continue it, up to one that cannot be had."""
        pages = [first]
        may_continue = _may_continue(first, frontier)
        while may_continue and len(pages) < MAX_PAGES:
            further = await self._after(pages[-1], first.url or "", frontier)
            if further is None:
                break
            pages.append(further)
        joined = copy(first)
        joined.continued = tuple(pages[1:])
        return joined

    async def _after(self, page: Page, first: str, frontier: Frontier) -> Page | None:
        url = next_page(page.tree, page.base_url or "", page.url or "", first)
        if url is None or not frontier.claim_part(url):
            return None
        request = self.spider.requests.part(url, frontier.site)
        response = await self._download(request)
        return self._read(response, url, first, frontier) if response else None

    async def _download(self, request: Request) -> Response | None:
        try:
            return await self.spider.crawler.engine.download_async(request)
        except Exception:  # noqa: BLE001 - whatever keeps the second page away must not cost the first
            if outcome := outcome_of(Failure(), request):  # type: ignore[no-untyped-call]
                self.spider.arrivals.end(request, *outcome)
            return None

    def _read(self, response: Response, url: str, first: str, frontier: Frontier) -> Page | None:
        arrivals, request = self.spider.arrivals, response.request
        assert request is not None  # noqa: S101 - the engine sees to it
        if not 200 <= response.status < 300:
            arrivals.end(request, *outcome_of_status(response.status))
        elif page_number(response.url, first) != page_number(url, first):
            arrivals.end(request, PageState.ERROR, "redirects to another page")
        elif page := arrivals.page(response, frontier):
            arrivals.fail(request, PageState.PART, "joined to its article")
            return page
        return None


def first_page(page: Page) -> str | None:
    """Return the address of the article that the page, by its canonical link, is a later page of."""
    hrefs = (el.get("href", "") for el in page.tree.iter("link") if "canonical" in el.get("rel", "").lower().split())
    canonical = clean_url(next(hrefs, ""), page.base_url)
    number = page_number(page.url or "", canonical) if canonical else None
    return canonical if (number or 0) > 1 else None


def _may_continue(page: Page, frontier: Frontier) -> bool:
    # A section has a next page at the same address too, and what it is shows only after its text has been read.
    url = page.url or ""
    return bool(frontier.hints_of(url)) or article_likeness(url) >= ARTICLE_THRESHOLD
