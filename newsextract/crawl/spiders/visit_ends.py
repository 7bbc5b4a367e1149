"""How the visits of pages end: each in one state, after which the frontier may send another request."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest
from scrapy.utils.defer import deferred_from_coro

from newsextract.crawl.extensions.page_states import page_ended, page_forbidden
from newsextract.crawl.futures import answer_of
from newsextract.crawl.middlewares.left_hosts import LeftToNextRun, RobotsUnknown
from newsextract.crawl.page_end import FORBIDDEN, PageDropped, unread
from newsextract.crawl.spiders.fetch_failures import end_of_failure, end_of_redirect
from newsextract.crawl.visit import find_visit, visit_of
from newsextract.page.page import Page
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.signalmanager import SignalManager
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.crawl.extensions.site_reach import SiteReach
    from newsextract.crawl.middlewares.busy_hosts import BusyHosts
    from newsextract.crawl.page_end import PageEnd
    from newsextract.crawl.readers import Readers
    from newsextract.crawl.spiders.fetched_pages import FetchedPages
    from newsextract.crawl.spiders.followed_links import FollowedLinks
    from newsextract.crawl.spiders.next_visits import NextVisits
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.crawl.stand_ins import StandIns
    from newsextract.crawl.visit import Visit
    from newsextract.sites.frontier import Frontier

logger = logging.getLogger(__name__)


FINISHED = "finished"
"""Scrapy's closing reason for a spider that has nothing left to do."""


@dataclass(frozen=True)
class VisitEnds:
    """Handles the signals about the spider's requests and pages."""

    frontiers: Mapping[str, Frontier]
    ledger: SpiderLedger
    readers: Readers
    fetched: FetchedPages
    links: FollowedLinks
    next_visits: NextVisits
    reach: SiteReach
    busy: BusyHosts | None = None
    stand_ins: StandIns | None = None

    def listen(self, to: SignalManager) -> None:
        """Connect to the signals."""
        to.connect(self.request_scheduled, signal=signals.request_scheduled)
        to.connect(self.request_dropped, signal=signals.request_dropped)
        to.connect(self.item_dropped, signal=signals.item_dropped)
        to.connect(self.page_ended, signal=page_ended)
        to.connect(self.page_forbidden, signal=page_forbidden)
        to.connect(self.spider_idle, signal=signals.spider_idle)
        to.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_idle(self) -> None:
        """Send candidates that are still queued: this happens if all requests of a site were dropped."""
        for frontier in self.frontiers.values():
            frontier.nothing_is_under_way()
        is_claiming = any(frontier.queue.is_waiting for frontier in self.frontiers.values() if not frontier.is_full)
        if self.go_on() or is_claiming:
            raise DontCloseSpider

    def go_on(self) -> bool:
        """Claim and fetch candidates of sites that have some left; return whether there were any."""
        left = [frontier for frontier in self.frontiers.values() if frontier.has_candidates]
        for frontier in left:
            deferred_from_coro(self.next_visits.claim_and_send(frontier)).addErrback(_log_failure)
        return bool(left)

    async def spider_closed(self, reason: str) -> None:
        """Record which sites were visited completely, and which hosts to leave alone for a while."""
        if self.busy is not None:
            await self.ledger.postpone(self.busy.left)
        if reason == FINISHED:  # else the next run goes on with all of them
            await self.ledger.complete(self.frontiers.keys() - self.reach.unreached)

    def request_scheduled(self, request: Request) -> None:
        """End a page that redirects off the site; make other redirects wait for their host's delay."""
        visit = find_visit(request)
        if visit is None:
            return
        if not request.meta.get("redirect_times"):
            return
        request.meta["download_slot"] = urlsplit(request.url).netloc
        if visit.is_page and not self.frontiers[visit.site].holds(request.url):
            self.fetched.count_and_end(request, unread("redirects off the site"))
            raise IgnoreRequest("redirects off the site")

    def request_dropped(self, request: Request) -> None:
        """End a page or source that redirects to a URL which was requested already."""
        visit = find_visit(request)
        if visit is None:
            return
        if not visit.is_page:
            self.frontiers[visit.site].sources.close()
            self.go_on()
        elif request.meta.get("redirect_times"):
            self.fetched.count_and_end(request, end_of_redirect(request))
        else:
            self._give_back(visit)

    async def download_failed(self, failure: Failure, request: Request) -> Article | None:
        """End a page that could not be fetched, or return the article in its place, with which it will end."""
        visit = visit_of(request)
        # Unknown rules are recorded once per site; its other pages keep their state.
        if isinstance(failure.value, LeftToNextRun) and not (
            isinstance(failure.value, RobotsUnknown) and visit.is_of_home
        ):
            self._give_back(visit)
            return None
        end = end_of_failure(failure, request) or FORBIDDEN
        if end == FORBIDDEN:
            self.reach.reached.add(visit.site)
            if visit.is_of_home:
                logger.warning("robots.txt forbids the home page %s", request.url)
        article = await self._stand_in(visit, request, end)
        if end == FORBIDDEN:
            if article is None:
                self.page_forbidden(request, end)
        elif article is None:
            self.fetched.count_and_end(request, end)
        else:
            self.fetched.count()
        return article

    async def _stand_in(self, visit: Visit, request: Request, end: PageEnd) -> Article | None:
        if self.stand_ins is None or not visit.is_for_article:
            return None
        return await self.stand_ins.of_failed(visit.url, request.url, end, self.fetched.reservations.values)

    def page_forbidden(self, request: Request, end: PageEnd) -> None:
        """Record that robots.txt forbids a page, which is not counted."""
        visit = visit_of(request)
        self.ledger.page_ended(visit, end)
        self._settle(visit, is_article=end.stand_in is not None)

    async def item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        """Follow the links of a page that was fetched as an article and is a listing."""
        request = response.request if response else None
        visit = find_visit(request)
        is_listing = isinstance(exception, PageDropped) and exception.end.state is PageState.LISTING
        # The links of pages requested as listings have been followed already.
        if not (is_listing and isinstance(item, Page) and request and visit and visit.is_for_article):
            return
        frontier = self.frontiers[visit.site]
        if frontier.uses("links") and frontier.open_listing(visit.finding.depth, request.url):
            try:
                survey = await answer_of(self.readers.survey(item))
            except Unanswered as error:  # the page's state has been recorded
                logger.info("the links of %s are not followed: %s", request.url, error.reason)
            else:
                self.next_visits.sender.send(await self.links.requests(survey, request, frontier))

    def page_ended(self, request: Request | None, end: PageEnd) -> None:
        """Record how a page ended, and fetch another candidate if one is wanted."""
        visit = find_visit(request)
        if visit is not None and visit.site in self.frontiers:
            self.ledger.page_ended(visit, end)
            self._settle(visit, is_article=end.state is PageState.ARTICLE or end.stand_in is not None)

    def _give_back(self, visit: Visit) -> None:
        self.ledger.give_back(visit)
        self._settle(visit)

    def _settle(self, visit: Visit, *, is_article: bool = False) -> None:
        frontier = self.frontiers[visit.site]
        frontier.queue.settle(visit.url)
        frontier.settle(held_place=visit.holds_place, is_article=is_article)
        frontier.guard.settle(visit.url, is_article=is_article)
        self.next_visits.send(frontier)


def _log_failure(failure: Failure) -> None:
    logger.error("candidates could not be claimed: %s", failure.getErrorMessage())
