"""The `news` spider: it alone decides what is requested next, and yields pages of news sites. It parses no content."""

from __future__ import annotations

import logging
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.utils.defer import deferred_from_coro
from twisted.python.failure import Failure

from newsextract.crawl.database import RunRegister
from newsextract.crawl.discovery import Discovery, NextVisits, likely_articles
from newsextract.crawl.health import Health
from newsextract.crawl.outcome import (
    FORBIDDEN,
    UNWRITTEN,
    HostRests,
    LeftToNextRun,
    Outcome,
    RobotsUnknown,
    Stopped,
    of_failure,
    of_redirect,
    of_status,
    unanswered,
    unread,
)
from newsextract.crawl.parts import CrawlParts, parts_of
from newsextract.crawl.rendering.rendering import Rendering, renders_always
from newsextract.crawl.requests import (
    NOT_MODIFIED,
    RequestMaker,
    RequestSender,
    find_visit,
    hints_from,
    note,
    note_received,
    page_of,
    request_of,
    visit_of,
)
from newsextract.crawl.scrapy_versions import ROBOTS_PARSED, answer_of, download
from newsextract.crawl.second_readings import SecondReadings
from newsextract.crawl.spider_arguments import NAMES, SpiderArguments
from newsextract.crawl.spider_ledger import SpiderLedger
from newsextract.crawl.throttle import Throttle
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.page.page import Page, PageError
from newsextract.page.urls import page_number, url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.metadata.comparing import is_home
from newsextract.reading.notices import PageState
from newsextract.settings import JOIN_PAGES, PAGE_BYTES
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import Frontier
from newsextract.storage.database_thread import GivenUp
from newsextract.storage.removals import TO_FRONT_PAGE, UNWANTED_PLACE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from concurrent.futures import Future

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

    from newsextract.article import Article
    from newsextract.crawl.readers import Pagination, Readers, Survey
    from newsextract.crawl.requests import Visit

logger = logging.getLogger(__name__)

FINISHED = "finished"
"""Scrapy's closing reason for a spider that has nothing left to do."""

UNREACHED = "newsextract/sites/unreached"
"""The stat that counts the sites that could not be reached; the exit code depends on it."""

WAITING = "newsextract/pages/waiting"
"""The stat with the pages that a stopped crawl leaves to the next run."""

MAX_PAGES = 20
"""Pages of one article, with the first. The longest reports have about ten; more are galleries and archives."""

_NO_ANSWERS = frozenset((408, 425, 429))
"""Statuses that do not count as an answer; neither do 500 and above."""

_SCRAPY = "scrapy.downloadermiddlewares"
_OURS = "newsextract.crawl"
COMPONENTS = (
    # It yields its pages itself, and passes on what is new.
    ("SPIDER_MIDDLEWARES", f"{_OURS}.opt_in.ArticleMiddleware", None),
    ("SPIDER_MIDDLEWARES", f"{_OURS}.spider_ledger.LeavesUnwritten", 40),
    ("ITEM_PIPELINES", f"{_OURS}.pipelines.StoringPipeline", None),
    ("ITEM_PIPELINES", f"{_OURS}.pipelines.JudgingPipeline", 60),
    ("ITEM_PIPELINES", f"{_OURS}.pipelines.StoringNewPipeline", 900),
    ("EXTENSIONS", f"{_OURS}.sessions.Subscriptions", 0),
    ("EXTENSIONS", f"{_OURS}.rendering.rendering.Rendering", 0),
    ("DOWNLOADER_MIDDLEWARES", f"{_SCRAPY}.robotstxt.RobotsTxtMiddleware", None),
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.robots.RobotsRules", 100),
    # After robots.txt was read: what has waited for it meets a host that may rest by now.
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.throttle.Throttle", 110),
    ("DOWNLOADER_MIDDLEWARES", f"{_SCRAPY}.redirect.MetaRefreshMiddleware", None),
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.network_safety.MetaRefreshes", 580),
    # Between Scrapy's HttpCompressionMiddleware (590) and what reads bodies.
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.sessions.Sessions", 585),
    # After Scrapy's HttpProxyMiddleware (750), to know the request's proxy, and before its cache (900).
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.network_safety.PrivateAddressMiddleware", 780),
    # Below all that keeps, repeats or redirects requests: none of these sees a secret.
    ("DOWNLOADER_MIDDLEWARES", f"{_OURS}.sessions.SubscriptionHeaders", 950),
)
"""What this spider has besides the add-on's components: manners, safety, logins, and a judge of what is new."""

_T = TypeVar("_T")


def _left_when_stopped(callback: Callable[[Any, _T], AsyncIterator[Any]]) -> Callable[[Any, _T], AsyncIterator[Any]]:
    """Let a callback end without a word where the crawl was stopped: the visit goes on in the next run."""

    @wraps(callback)
    async def guarded(spider: Any, given: _T) -> AsyncIterator[Any]:
        with suppress(Stopped):
            async for found in callback(spider, given):
                yield found

    return guarded


class NewsSpider(Spider):
    """Visits news sites: robots.txt, sitemaps, feeds, then the links of home and section pages.

    Arguments:
        sites: URLs, separated by commas or spaces, or a .yml, .txt, .csv or .opml file of them.
        since: skips articles that feeds and sitemaps date earlier: `2d`, `36h`, `2026-11-01`.
        limit: articles wanted per site.
        discover: which of `feeds,sitemaps,links` to use; all by default.
        only_new: `1` skips revisits of articles that earlier runs have read.
        fresh: `1` visits all sections, feeds and sitemaps, due or not.
        shard: `3/8` visits the third of eight parts of the sites; `/8` takes the number from Kubernetes.
        join_pages: `1` joins the pages of multi-page articles; the default is in the settings.
    """

    name = "news"
    newsextract_components = COMPONENTS
    parts: CrawlParts
    readers: Readers
    ledger: SpiderLedger
    make: RequestMaker
    sender: RequestSender
    next_visits: NextVisits
    discovery: Discovery
    second: SecondReadings

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in NAMES}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.sites = {site.name: site for site in self.arguments.sites}
        self.frontiers = {name: self._new_frontier(name) for name in self.sites}
        hosts = {host for site in self.arguments.sites for host in site.hosts}
        self.allowed_domains = sorted({urlsplit(f"//{host}").hostname or host for host in hosts})
        self.refusal: CloseSpider | None = None
        """Why this crawl does nothing, as where the same one is running."""
        self.quiet: set[str] = set()
        """The sites that had nothing due when the run began."""
        self.asked: set[str] = set()
        self.reached: set[str] = set()
        """The sites that were sent requests, and those that have answered one."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and connect it to what happens to its requests."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        for handler, signal in (
            (spider.robots_parsed, ROBOTS_PARSED),
            (spider.request_scheduled, signals.request_scheduled),
            (spider.request_dropped, signals.request_dropped),
            (spider.response_received, signals.response_received),
            (spider.spider_idle, signals.spider_idle),
        ):
            crawler.signals.connect(handler, signal=signal)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests due for each site; Scrapy fetches robots.txt before them."""
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        self._take_parts()
        shard = self.arguments.shard
        if not self.frontiers:
            self.crawler.stats.set_value("newsextract/sites/other_shards", len(self.arguments.homes))
        try:
            await self.ledger.open(self.arguments.homes, self.arguments.given, str(shard) if shard else "")
        except CloseSpider as error:  # which `start` may not raise before Scrapy 2.14
            self.refusal = error
            return
        self.quiet.update(self.frontiers)
        # If robots.txt is not obeyed, it is not fetched, and the sitemaps in it are unknown.
        with_files = not self.settings.getbool("ROBOTSTXT_OBEY")
        due = await self.ledger.due(self.arguments.sites)
        async for request in self.discovery.first_requests(due, self.frontiers, with_files=with_files):
            if visit := find_visit(request):
                self.quiet.discard(visit.site)
            yield request
        self.crawler.stats.set_value("newsextract/sites/quiet", len(self.quiet))

    def _new_frontier(self, name: str) -> Frontier:
        limits = self.arguments.limits_of(self.sites[name])
        return Frontier(name, limits.articles, limits.since, self.sites[name], limits.pages, limits.discover)

    def _take_parts(self) -> None:
        """Take what the crawl has once, and make what the spider has for itself."""
        crawler, wanted = self.crawler, self.arguments
        self.parts = parts = parts_of(crawler)
        parts.visits.visitor = self
        if parts.database is not None:
            parts.register = RunRegister(crawler, parts.database)
            parts.health = Health(crawler.settings, parts.stats, parts.database, self.frontiers)
            parts.visits.notes.append(parts.health.page_ended)
        self.readers = parts.readers
        for name, frontier in self.frontiers.items():
            asked = wanted.limits_of(self.sites[name]).join_pages
            frontier.joins_pages = JOIN_PAGES.of(self.settings) if asked is None else asked
            frontier.guard.report = lambda reason: parts.stats.inc_value(f"newsextract/traps/{reason}")
        self.ledger = SpiderLedger(parts.database, parts.register, wanted.fresh, wanted.only_new)
        self.make = RequestMaker(self, self.ledger.known, PAGE_BYTES.of(self.settings), renders_always(crawler))
        self.sender = RequestSender(crawler)
        self.next_visits = NextVisits(self.ledger, self.make, self.sender, parts.fallbacks)
        self.discovery = Discovery(parts.stats, self.ledger, self.make, self.readers, self.next_visits, parts.health)
        rendering = crawler.get_extension(Rendering)
        self.second = SecondReadings(crawler, self.make, self.readers, rendering, parts.database)
        if throttle := crawler.get_downloader_middleware(Throttle):
            throttle.cuts.append(lambda: self.readers.refuse(Stopped))
            throttle.cuts += [rendering.cut] if rendering else []
            throttle.cuts += [parts.database.thread.hurry] if parts.database else []

    # What comes back: pages.

    @_left_when_stopped
    async def parse_listing(self, response: Response) -> AsyncIterator[Request | Page]:
        """Follow the links of a home or section page, and yield the page."""
        request = request_of(response)
        frontier = self.frontier(request)
        page = self._page(response, frontier)
        # Links first: if they fail, the page ends as an error, and not as an item too.
        if page is None or (surveyed := await self._surveyed(page, request, frontier)) is None:
            return
        page, survey = surveyed
        for following in await self.discovery.follow(survey, request, frontier):
            yield following
        if frontier.reserve():
            # The page may still turn out to be an article.
            note(request, holds_place=True)
            yield await self._joined(page, frontier)
        else:
            self._end(request, Outcome(PageState.LISTING, UNWANTED_PLACE))

    @_left_when_stopped
    async def parse_page(self, response: Response) -> AsyncIterator[Page]:
        """Yield a page that may be an article, joined with its further pages if that is wanted."""
        request = request_of(response)
        frontier = self.frontier(request)
        await self.next_visits.claim(frontier)
        if frontier.is_part(response.url):
            self._end(request, Outcome(PageState.PART, "joined to its article"))
        elif page := self._page(response, frontier):
            if not frontier.joins_pages:
                yield page
            elif place := await self._answer(request, self.readers.paginate(page)):
                if place.first_page:
                    await self.next_visits.add([Candidate(place.first_page, "links")], frontier)
                    await self.next_visits.claim(frontier)
                    self._end(request, Outcome(PageState.PART, "left to its first page"))
                else:
                    yield await self._joined(page, frontier)

    @_left_when_stopped
    async def parse_again(self, response: Response) -> AsyncIterator[Page]:
        """Yield a page in another version, or as a browser shows it."""
        found = await self.second.page(response)
        if isinstance(found, Page):
            yield found
        else:
            self._go_on(request_of(response), found)

    async def page_dropped(self, page: Page, request: Request, outcome: Outcome) -> Outcome | None:
        """Return how a page ends that shows no article; `None` if it is asked for again."""
        try:
            return await self._dropped(page, request, outcome)
        except GivenUp:
            return UNWRITTEN

    async def _dropped(self, page: Page, request: Request, outcome: Outcome) -> Outcome | None:
        visit = visit_of(request)
        if outcome.state is PageState.LISTING:
            # The links of pages requested as listings have been followed already.
            if visit.is_for_article:
                await self._follow_listing(page, request)
            return outcome
        found = await self.second.after(page, request, outcome)
        if isinstance(found, Outcome):
            return found
        self.sender.send([found])
        return None

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Record how a page ended, and fetch another candidate if one is wanted."""
        if visit.site in self.frontiers:
            if visit.again is not None and outcome.state is PageState.ARTICLE:
                self.second.note_article(visit.again)
            self.ledger.page_ended(visit, outcome)
            self._release(visit, is_article=outcome.is_article)

    @_left_when_stopped
    async def download_failed(self, failure: Failure) -> AsyncIterator[Article]:
        """End a page that could not be fetched, or yield the article that its feed has in its place."""
        if isinstance(failure.value, HostRests):
            return  # it is under way
        request: Request = failure.request  # type: ignore[attr-defined]
        visit = visit_of(request)
        await self.next_visits.claim(self.frontier(request))
        if visit.again is not None:
            self._go_on(request, await self.second.after_failure(failure, request))
            return
        # Unknown rules are recorded once per site; its other pages keep their state.
        is_of_home = isinstance(failure.value, RobotsUnknown) and visit.is_of_home
        if isinstance(failure.value, LeftToNextRun) and not is_of_home:
            self._give_back(visit)
            return
        outcome = of_failure(failure, request)
        if outcome == FORBIDDEN:
            self.reached.add(visit.site)
            if visit.is_of_home:
                logger.warning("robots.txt forbids the home page %s", request.url)
        rights, of_failed = self.discovery.site_rights.values, self.parts.fallbacks.of_failed
        if visit.is_for_article and (article := await of_failed(visit.url, request.url, outcome, rights)):
            yield article
        else:
            self._end(request, outcome)

    def _page(self, response: Response, frontier: Frontier) -> Page | None:
        """Return the page of a response with its known hints; `None` if it is not a page, which ends it."""
        site_rights = self.discovery.site_rights.values(response.url)
        request, visit = request_of(response), note_received(response, site_rights.values())
        self.parts.fallbacks.move(visit.url, response.url)
        if visit.is_unchanged:
            reason = "not modified" if response.status == NOT_MODIFIED else "same bytes"
            self._end(request, Outcome(PageState.UNCHANGED, reason))
            return None
        reason = "not HTML"
        if isinstance(response, HtmlResponse):
            hints = hints_from(frontier.hints_of(visit.url) or visit.finding.hints, site_rights)
            try:
                return page_of(response, self.make.max_page_bytes, hints=hints)
            except PageError as error:
                reason = error.reason
        self._end(request, unread(reason))
        return None

    async def _surveyed(self, page: Page, request: Request, frontier: Frontier) -> tuple[Page, Survey] | None:
        """Return the page, perhaps as a browser shows it, with its links; `None` if no worker answers: that ends it."""
        survey = await self._answer(request, self.readers.survey(page))
        if survey is None:
            return None
        if not frontier.uses("links") or likely_articles(survey.links, frontier):
            return page, survey
        shown = await self.second.listing(page, request)
        if shown is None:
            return page, survey
        found = await self._answer(request, self.readers.survey(shown))
        if found is None:
            return None
        if not likely_articles(found.links, frontier):
            self.second.note_no_result(page.url)
        return shown, found

    async def _follow_listing(self, page: Page, request: Request) -> None:
        """Follow the links of a page that was fetched as an article and is a listing."""
        frontier = self.frontier(request)
        if frontier.uses("links") and frontier.open_listing(visit_of(request).finding.depth, request.url):
            try:
                survey = await answer_of(self.readers.survey(page))
            except Unanswered as error:
                logger.info("the links of %s are not followed: %s", request.url, error.reason)
            else:
                self.sender.send(await self.discovery.follow(survey, request, frontier))

    async def _answer(self, request: Request, asked: Future[_T]) -> _T | None:
        """Return a worker's answer about a page; `None` if there is none, and then the page ends."""
        try:
            return await answer_of(asked)
        except Unanswered as error:
            self._end(request, unanswered(error))
            return None

    # Articles of several pages.

    async def _joined(self, first: Page, frontier: Frontier) -> Page:
        """Return the page joined with all of its article on one page, else with the pages that continue it.

        These end before the first that cannot be fetched. Nothing is joined unless the frontier wants it.
        """
        url = first.url or ""
        # A section has "next" links too, and only its text shows that it is not an article.
        may_continue = bool(frontier.hints_of(url)) or article_likeness(url) >= ARTICLE_THRESHOLD
        if not frontier.joins_pages:
            return first
        joined = copy(first)
        if may_continue:
            try:
                place = await answer_of(self.readers.paginate(first))
            except Unanswered:  # the page will not be read either
                return joined
            joined.continued = await self._single(place, first, frontier) or await self._further(place, first, frontier)
        return joined

    async def _single(self, place: Pagination, first: Page, frontier: Frontier) -> tuple[Page, ...]:
        found = await self._part(place.single_page, first, frontier)
        if found is None:
            return ()
        page, _ = found
        page.hints = replace(page.hints, is_single_page=True)
        return (page,)

    async def _further(self, place: Pagination, first: Page, frontier: Frontier) -> tuple[Page, ...]:
        pages: list[Page] = []
        url = place.next_page
        while len(pages) + 1 < MAX_PAGES and (found := await self._part(url, first, frontier)):
            page, url = found
            pages.append(page)
        return tuple(pages)

    async def _part(self, url: str | None, first: Page, frontier: Frontier) -> tuple[Page, str | None] | None:
        """Return the page at a URL and the URL of the next one; `None` if it is not joined, or has been claimed.

        It is fetched past the scheduler, but with robots.txt, delays and retries.
        """
        if not url or not frontier.claim_part(url):
            return None
        request = self.make.part(url, frontier.site)
        try:
            response = await download(self.crawler, request)
        except Stopped:
            raise  # the next run joins all of them
        except Exception:  # noqa: BLE001 - whatever keeps the second page away must not cost the first
            outcome = of_failure(Failure(), request)  # type: ignore[no-untyped-call]
            if outcome != FORBIDDEN:
                self._end(request, outcome)
            return None
        request, start = request_of(response), first.url or ""
        if not 200 <= response.status < 300:
            self._end(request, of_status(response.status))
        elif page_number(response.url, start) != page_number(url, start) or url_key(response.url) == url_key(start):
            self._end(request, unread("redirects to another page"))
        elif page := self._page(response, frontier):
            pagination = await self._answer(request, self.readers.paginate(page, start))
            if pagination is not None:
                self._end(request, Outcome(PageState.PART, "joined to its article"))
                return page, pagination.next_page
        return None

    # What comes back: files that list pages.

    async def robots_parsed(self, robotparser: RobotParser, request: Request, body: bytes = b"") -> None:
        """Request the sitemaps that a robots.txt names, or the usual one, and the host's tdmrep.json."""
        if (visit := find_visit(request)) is None:
            return
        agent = self.settings["ROBOTSTXT_USER_AGENT"] or self.settings["USER_AGENT"]
        self.discovery.read_robots(request.url, body, agent or "")
        own = self.frontiers[visit.site]
        # A feed may be on a host of another site, and then the sitemaps of that host are the other site's. Its
        # robots.txt is parsed once, for the site that requests it first.
        others = (each for each in self.frontiers.values() if self.ledger.has_begun(each.site))
        for frontier in [own] if own.holds(request.url) else [each for each in others if each.holds(request.url)]:
            with suppress(GivenUp):  # the next run asks again
                self.sender.send(await self.discovery.host_files(request.url, robotparser, frontier))

    async def parse_sitemap(self, response: Response) -> None:
        """Add the candidates of a sitemap, or the sitemaps of an index."""
        with suppress(Stopped):
            await self.discovery.read_sitemap(response, self.frontier(request_of(response)))

    async def parse_feed(self, response: Response) -> None:
        """Add the candidates of a feed."""
        with suppress(Stopped):
            await self.discovery.read_feed(response, self.frontier(request_of(response)))

    async def source_failed(self, failure: Failure) -> None:
        """Record a sitemap or feed that could not be fetched, and continue."""
        if isinstance(failure.value, HostRests):
            return  # it is under way
        request: Request = failure.request  # type: ignore[attr-defined]
        await self.discovery.source_failed(failure, request, self.frontier(request))

    def parse_tdmrep(self, response: Response, host: str) -> None:
        """Read the rules in a host's tdmrep.json."""
        self.discovery.read_tdmrep(response, host)

    def tdmrep_failed(self, failure: Failure) -> None:
        """Record a tdmrep.json that could not be fetched, and continue."""
        self.discovery.tdmrep_failed(failure, failure.request)  # type: ignore[attr-defined]

    def request_scheduled(self, request: Request) -> None:
        """End a page that redirects off the site."""
        visit = find_visit(request)
        if visit is None:
            return
        self.asked.add(visit.site)
        if not (visit.is_page and visit.again is None and request.meta.get("redirect_times")):
            return
        is_gone = visit.is_for_article and is_home(request.url) and not is_home(visit.url)
        if is_gone or not self.frontiers[visit.site].holds(request.url):
            self._end(request, unread(reason := TO_FRONT_PAGE if is_gone else "redirects off the site"))
            raise IgnoreRequest(reason)

    def request_dropped(self, request: Request) -> None:
        """End a page or source that redirects to a URL which was requested already."""
        visit = find_visit(request)
        if visit is None:
            return
        if not visit.is_page:
            self.frontiers[visit.site].sources.close()
            self._send_left()
        elif request.meta.get("redirect_times"):
            self._end(request, of_redirect(request))
        else:
            self._give_back(visit)

    def response_received(self, response: Response, request: Request) -> None:
        """Record that a site has answered."""
        visit = find_visit(request)
        if visit and response.status < 500 and response.status not in _NO_ANSWERS:
            self.reached.add(visit.site)

    def spider_idle(self) -> None:
        """Send candidates that are still queued: this happens if all requests of a site were dropped."""
        if self.refusal is not None:
            raise self.refusal
        throttle = self.crawler.get_downloader_middleware(Throttle)
        if throttle is not None and throttle.is_waiting:
            return  # it keeps the spider open
        for frontier in self.frontiers.values():
            frontier.nothing_is_under_way()
        is_claiming = any(frontier.queue.is_waiting for frontier in self.frontiers.values() if not frontier.is_full)
        if self._send_left() or is_claiming:
            raise DontCloseSpider

    async def close_visits(self, reason: str) -> None:
        """Record which sites were visited completely, and which hosts to leave alone for a while."""
        unreached = self.asked - self.reached
        self.crawler.stats.set_value(UNREACHED, len(unreached))
        throttle = self.crawler.get_downloader_middleware(Throttle)
        if throttle is not None:
            await self.ledger.postpone(throttle.left)
        if reason == FINISHED:  # else the next run goes on with all of them
            await self.ledger.complete(self.frontiers.keys() - unreached)
        elif (waiting := await self.ledger.count_due(self.frontiers)) is not None:
            self.crawler.stats.set_value(WAITING, waiting)

    def frontier(self, request: Request) -> Frontier:
        """Return the frontier of the site that a request belongs to."""
        return self.frontiers[visit_of(request).site]

    def _send_left(self) -> bool:
        """Claim and fetch candidates of sites that have some left; return whether there were any."""
        left = [frontier for frontier in self.frontiers.values() if frontier.has_candidates]
        for frontier in left:
            deferred_from_coro(self.next_visits.claim_and_send(frontier)).addErrback(_log_failure)
        return bool(left)

    def _end(self, request: Request, outcome: Outcome) -> None:
        self.parts.visits.end(request, outcome)

    def _go_on(self, request: Request, found: Request | Outcome) -> None:
        """Send the request for another reading of a page, or end its visit."""
        if isinstance(found, Outcome):
            self._end(request, found)
        else:
            self.sender.send([found])

    def _give_back(self, visit: Visit) -> None:
        self.ledger.give_back(visit)
        self._release(visit)

    def _release(self, visit: Visit, *, is_article: bool = False) -> None:
        """Give the place of a visit that has ended to another candidate."""
        frontier = self.frontiers[visit.site]
        frontier.release(visit.url, held_place=visit.holds_place, is_article=is_article)
        self.sender.send(self.next_visits.requests(frontier))


def _log_failure(failure: Failure) -> None:
    logger.error("candidates could not be claimed: %s", failure.getErrorMessage())
