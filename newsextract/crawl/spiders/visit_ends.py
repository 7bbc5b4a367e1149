"""How the visits of pages end: each in one state, after which the frontier may send another request on its way."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.utils.defer import deferred_from_coro

from newsextract.crawl.extensions.page_states import PAGE_ROLE, SITE, page_ended
from newsextract.crawl.futures import answer_of
from newsextract.crawl.middlewares.silent_hosts import HostIsSilent
from newsextract.crawl.pipelines.dropping import PageDropped
from newsextract.crawl.spiders.fetch_failures import outcome_of, outcome_of_redirect
from newsextract.crawl.spiders.request_making import CANDIDATE, DEPTH
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.page import Page
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response
    from scrapy.signalmanager import SignalManager
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.crawl.spiders.news import NewsSpider
    from newsextract.sites.frontier.frontier import Frontier

logger = logging.getLogger(__name__)


FINISHED = "finished"
"""Scrapy's reason of closing a spider that has nothing left to do."""


@dataclass(frozen=True)
class Visits:
    """Listens to what becomes of the spider's requests and pages."""

    spider: NewsSpider

    def listen(self, to: SignalManager) -> None:
        """Connect to the signals."""
        to.connect(self.request_scheduled, signal=signals.request_scheduled)
        to.connect(self.request_dropped, signal=signals.request_dropped)
        to.connect(self.item_dropped, signal=signals.item_dropped)
        to.connect(self.page_ended, signal=page_ended)
        to.connect(self.spider_idle, signal=signals.spider_idle)
        to.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_idle(self) -> None:
        """Go on with candidates that nobody came to ask for: that happens where all requests of a site were dropped."""
        frontiers = self.spider.frontiers.values()
        for frontier in frontiers:
            frontier.nothing_is_under_way()
        is_claiming = any(frontier.queue.is_waiting for frontier in frontiers if not frontier.is_full)
        if self.go_on() or is_claiming:
            raise DontCloseSpider

    def go_on(self) -> bool:
        """Claim and fetch candidates of sites that have some left; tell whether there are such."""
        left = [frontier for frontier in self.spider.frontiers.values() if frontier.has_candidates]
        for frontier in left:
            deferred_from_coro(self._fetch(frontier)).addErrback(_log_failure)
        return bool(left)

    async def _fetch(self, frontier: Frontier) -> None:
        await self.spider.sources.claim(frontier)
        self.spider.outbox.send(self.spider.sources.next_requests(frontier))

    async def spider_closed(self, reason: str) -> None:
        """Note that the sites have been visited to the end."""
        if reason == FINISHED and "book" in self.spider.__dict__:
            await self.spider.book.complete()

    def request_scheduled(self, request: Request) -> None:
        """End a page that redirects off the site; have other redirects wait for their host's delay."""
        if SITE not in request.meta or not request.meta.get("redirect_times"):
            return
        request.meta["download_slot"] = urlsplit(request.url).netloc
        if PAGE_ROLE in request.meta and not self.spider.frontier(request).holds(request.url):
            self.spider.arrivals.end(request, PageState.ERROR, "redirects off the site")
            raise IgnoreRequest("redirects off the site")

    def request_dropped(self, request: Request) -> None:
        """End a page or source that redirects to an address which was asked for already."""
        if SITE not in request.meta:
            return
        if PAGE_ROLE not in request.meta:
            self.spider.frontier(request).sources.close()
            self.go_on()
        elif request.meta.get("redirect_times"):
            self.spider.arrivals.end(request, *outcome_of_redirect(request))
        else:
            self.spider.book.give_back(request)
            self._settle(request)

    def download_failed(self, failure: Failure) -> None:
        """End a page that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if isinstance(failure.value, HostIsSilent):
            self.spider.book.give_back(request)
            self._settle(request)
            return
        if outcome := outcome_of(failure, request):
            self.spider.arrivals.end(request, *outcome)
            return
        if request.cb_kwargs.get("depth") == 0:
            logger.warning("robots.txt forbids the home page %s", request.url)
        self.spider.book.page_ended(request, PageState.BLOCKED, "robots.txt", None)
        self._settle(request)

    async def item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        """Follow the links of a page that was fetched to be an article and is a listing."""
        is_listing = isinstance(exception, PageDropped) and exception.state is PageState.LISTING
        request = response.request if response else None
        # What was asked for as a listing has no such depth in its meta, and its links have been followed.
        if is_listing and isinstance(item, Page) and request and DEPTH in request.meta:
            frontier, depth = self.spider.frontier(request), request.meta[DEPTH]
            if self.spider.limits[frontier.site].uses("links") and frontier.open_listing(depth, request.url):
                try:
                    survey = await answer_of(self.spider.readers.survey(item))
                except Unanswered as error:  # what the page is has been told
                    logger.info("the links of %s are not followed: %s", request.url, error.reason)
                else:
                    self.spider.outbox.send(await self.spider.requests_from(survey, request, depth))

    def page_ended(self, request: Request | None, state: PageState, reason: str, article: Article | None) -> None:
        """Note how a page ended, and fetch another candidate where one is still wanted."""
        if request is not None and request.meta.get(SITE) in self.spider.frontiers:
            self.spider.book.page_ended(request, state, reason, article)
            self._settle(request, is_article=state is PageState.ARTICLE)

    def _settle(self, request: Request, *, is_article: bool = False) -> None:
        frontier = self.spider.frontier(request)
        frontier.settle(was_candidate=request.meta.get(PAGE_ROLE) == CANDIDATE, is_article=is_article)
        frontier.guard.settle(request.meta.get("redirect_urls", [request.url])[0], is_article=is_article)
        self.spider.outbox.send(self.spider.sources.next_requests(frontier))


def _log_failure(failure: Failure) -> None:
    logger.error("candidates could not be claimed: %s", failure.getErrorMessage())
