"""The `news` spider: finds the article pages of news sites and yields them as `Page`s. It parses no content."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse

from newsextract.extensions.page_states import PAGE_ROLE, SITE, page_arrived, page_ended, page_failed
from newsextract.outcome import PageState
from newsextract.page import Page, PageError
from newsextract.responses import page_of
from newsextract.sites.feeds import feed_links, read_feed
from newsextract.sites.frontier import Frontier
from newsextract.sites.links import page_links
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink, read_sitemap
from newsextract.sites.urls import is_on_site
from newsextract.spiders.arguments import SpiderArguments
from newsextract.spiders.failures import outcome_of, outcome_of_redirect
from newsextract.spiders.outbox import Outbox
from newsextract.spiders.requests import CANDIDATE, RequestFactory, sitemap_urls

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


class NewsSpider(Spider):
    """Visits news sites: robots.txt, sitemaps, feeds, then the links of home and section pages.

    Arguments:
        sites: URLs, separated by commas or spaces, or a .txt, .csv or .opml file of them.
        since: leaves out what feeds and sitemaps date earlier: `2d`, `36h`, `2026-11-01`.
        limit: articles wanted per site.
        discover: which of `feeds,sitemaps,links` to use; all by default.
    """

    name = "news"
    requests: RequestFactory
    outbox: Outbox

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in ("sites", "since", "limit", "discover")}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.frontiers = {
            site.name: Frontier(site.name, self.arguments.limit, self.arguments.since) for site in self.arguments.sites
        }
        self.allowed_domains = sorted({urlsplit(f"//{name}").hostname or name for name in self.frontiers})

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and have it told of parsed robots.txt files and of what becomes of its requests."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.outbox = Outbox(crawler)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        crawler.signals.connect(spider.request_scheduled, signal=signals.request_scheduled)
        crawler.signals.connect(spider.request_dropped, signal=signals.request_dropped)
        crawler.signals.connect(spider.page_ended, signal=page_ended)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Start at the home page of every site; asking for it has robots.txt read first."""
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        self.requests = RequestFactory(self, self.settings.getint("NEWSEXTRACT_PAGE_BYTES"))
        for site in self.arguments.sites:
            frontier = self.frontiers[site.name]
            # Each of them, though keys make them one: two hosts of a site have a robots.txt each.
            frontier.claim(site.home)
            yield self.requests.listing(site.home, site.name, depth=0)
            for request in self._source_requests("feeds", site.feeds, frontier):
                yield request
            if not self.settings.getbool("ROBOTSTXT_OBEY"):  # then nobody reads what it names
                for request in self._source_requests("sitemaps", sitemap_urls(None, site.home), frontier):
                    yield request

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Ask for the sitemaps that a robots.txt names, or for the customary one."""
        frontier = self.frontiers.get(request.meta.get(SITE, ""))
        # The host of a feed that is kept elsewhere has sitemaps too, of other people's articles.
        if frontier is not None and is_on_site(request.url, frontier.site):
            self.outbox.send(self._source_requests("sitemaps", sitemap_urls(robotparser, request.url), frontier))

    def parse_sitemap(self, response: Response) -> None:
        """Follow an index to its sitemaps, the newest first; take in the candidates of the others."""
        frontier = self._frontier(_request_of(response))
        try:
            found = self._read(read_sitemap, response)
            frontier.add(entry for entry in found if not isinstance(entry, SitemapLink))
            frontier.add_sitemaps(entry for entry in found if isinstance(entry, SitemapLink))
        finally:
            self._close_source(frontier)

    def parse_feed(self, response: Response) -> None:
        """Take in the entries of a feed."""
        frontier = self._frontier(_request_of(response))
        try:
            frontier.add(self._read(read_feed, response))
        finally:
            self._close_source(frontier)

    def parse_listing(self, response: Response, depth: int) -> Iterator[Request | Page]:
        """Follow the links of a home or section page, and yield the page."""
        if page := self._page(response):
            # Links first: should they fail, the page ends as an error and not also as an item.
            request = _request_of(response)
            frontier = self._frontier(request)
            requests = list(self._requests_from(page, frontier, depth))
            if frontier.reserve():
                # It may turn out to be an article after all.
                request.meta[PAGE_ROLE] = CANDIDATE
                yield page
            else:
                self._fail(request, PageState.LISTING, "only its links were wanted")
            yield from requests

    def parse_page(self, response: Response) -> Iterator[Page]:
        """Yield the page."""
        if page := self._page(response):
            yield page

    def source_failed(self, failure: Failure) -> None:
        """Go on without a sitemap or feed that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self._note_unread(request.url, failure.getErrorMessage())
        self._close_source(self._frontier(request))

    def download_failed(self, failure: Failure) -> None:
        """End a page that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if outcome := outcome_of(failure, request):
            self._end(request, *outcome)
            return
        if request.cb_kwargs.get("depth") == 0:
            logger.warning("robots.txt forbids the home page %s", request.url)
        self._settle(request)

    def request_scheduled(self, request: Request) -> None:
        """End a page that redirects off the site; have other redirects wait for their host's delay."""
        if SITE not in request.meta or not request.meta.get("redirect_times"):
            return
        request.meta["download_slot"] = urlsplit(request.url).netloc
        if PAGE_ROLE in request.meta and not is_on_site(request.url, self._frontier(request).site):
            self._end(request, PageState.ERROR, "redirects off the site")
            raise IgnoreRequest("redirects off the site")

    def request_dropped(self, request: Request) -> None:
        """End a page or source that redirects to an address which was asked for already."""
        if SITE not in request.meta:
            return
        if PAGE_ROLE not in request.meta:
            self._close_source(self._frontier(request))
        elif request.meta.get("redirect_times"):
            self._end(request, *outcome_of_redirect(request))
        else:
            self._settle(request)

    def page_ended(self, request: Request | None, state: PageState) -> None:
        """Fetch another candidate where one is still wanted."""
        if request is not None and request.meta.get(SITE) in self.frontiers:
            self._settle(request, is_article=state is PageState.ARTICLE)

    def _page(self, response: Response) -> Page | None:
        self.crawler.signals.send_catch_log(page_arrived)
        reason = "not HTML"
        if isinstance(response, HtmlResponse):
            try:
                return page_of(response, self.requests.max_page_bytes)
            except PageError as error:
                reason = error.reason
        self._fail(_request_of(response), PageState.ERROR, reason)
        return None

    def _read(self, read: Callable[[bytes, str], Iterable[_T]], response: Response) -> list[_T]:
        """Return what can be read of a sitemap or feed."""
        found: list[_T] = []
        try:
            found.extend(read(response.body, response.url))
        except SiteFileError as error:
            self._note_unread(response.url, str(error))
        return found

    def _close_source(self, frontier: Frontier) -> None:
        # Before it is closed, so that the candidates from links go on waiting for the sitemaps of an index.
        nested = self._source_requests("sitemaps", frontier.take_sitemaps(), frontier)
        frontier.close_source()
        self.outbox.send([*nested, *self._next_requests(frontier)])

    def _requests_from(self, page: Page, frontier: Frontier, depth: int) -> Iterator[Request]:
        base = page.base_url or ""
        if depth == 0:
            yield from self._source_requests("feeds", feed_links(page.tree, base), frontier)
        if self.arguments.uses("links"):
            for link in frontier.sort_links(page_links(page.tree, base), depth + 1):
                yield self.requests.listing(link.url, frontier.site, depth + 1)
        yield from self._next_requests(frontier)

    def _source_requests(self, kind: str, urls: Iterable[str], frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps or feeds that are wanted and were not asked for yet."""
        if not self.arguments.uses(kind) or frontier.is_full:
            return []
        callback = self.parse_feed if kind == "feeds" else self.parse_sitemap
        return [self.requests.source(url, frontier.site, callback) for url in urls if frontier.open_source(url)]

    def _next_requests(self, frontier: Frontier) -> list[Request]:
        requests = [self.requests.candidate(candidate, frontier.site) for candidate in frontier.take()]
        return requests or self._source_requests("sitemaps", frontier.take_sitemaps(), frontier)

    def _frontier(self, request: Request) -> Frontier:
        frontier: Frontier = self.frontiers[request.meta[SITE]]
        return frontier

    def _end(self, request: Request, state: PageState, reason: str) -> None:
        self.crawler.signals.send_catch_log(page_arrived)
        self._fail(request, state, reason)

    def _fail(self, request: Request, state: PageState, reason: str) -> None:
        self.crawler.signals.send_catch_log(page_failed, request=request, state=state, reason=reason)

    def _settle(self, request: Request, *, is_article: bool = False) -> None:
        frontier = self._frontier(request)
        frontier.settle(was_candidate=request.meta.get(PAGE_ROLE) == CANDIDATE, is_article=is_article)
        self.outbox.send(self._next_requests(frontier))

    def _note_unread(self, url: str, error: str) -> None:
        self.crawler.stats.inc_value("newsextract/sources/unread")
        logger.info("cannot read %s: %s", url, error)


def _request_of(response: Response) -> Request:
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    return response.request
