"""The `news` spider: finds the article pages of news sites and yields them as `Page`s. It parses no content."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin

from scrapy import Request, Spider, signals
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
from newsextract.spiders.arguments import SpiderArguments
from newsextract.spiders.failures import outcome_of
from newsextract.spiders.requests import CANDIDATE, RequestFactory

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.sites.candidates import Candidate

logger = logging.getLogger(__name__)


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

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in ("sites", "since", "limit", "discover")}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.frontiers = {
            site.name: Frontier(site.name, self.arguments.limit, self.arguments.since) for site in self.arguments.sites
        }
        self.allowed_domains = sorted({name.partition(":")[0] for name in self.frontiers})

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and have it told of parsed robots.txt files and of pages that ended."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        crawler.signals.connect(spider.request_dropped, signal=signals.request_dropped)
        crawler.signals.connect(spider.page_ended, signal=page_ended)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Start at the home page of every site; asking for it has robots.txt read first."""
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        self.requests = RequestFactory(self, self.settings.getint("NEWSEXTRACT_PAGE_BYTES"))
        for site in self.arguments.sites:
            frontier = self.frontiers[site.name]
            frontier.claim(site.home)
            yield self.requests.listing(site.home, site.name, depth=0)
            for request in self._source_requests("feeds", site.feeds, frontier):
                yield request

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Ask for the sitemaps that a robots.txt names, or for the customary one."""
        frontier = self.frontiers.get(request.meta.get(SITE, ""))
        if frontier is not None:
            named = list(getattr(getattr(robotparser, "rp", None), "sitemaps", ()))
            urls = [urljoin(request.url, url) for url in named or ["/sitemap.xml"]]
            self._send(self._source_requests("sitemaps", urls, frontier))

    def parse_sitemap(self, response: Response) -> Iterator[Request]:
        """Follow an index to its sitemaps, the newest first; take in the candidates of the others."""
        frontier = self._frontier(_request_of(response))
        found: list[SitemapLink | Candidate] = []
        try:
            found.extend(read_sitemap(response.body, response.url))
        except SiteFileError as error:
            self._note_unread(response.url, str(error))
        frontier.add(entry for entry in found if not isinstance(entry, SitemapLink))
        nested = frontier.sort_sitemaps(entry for entry in found if isinstance(entry, SitemapLink))
        yield from self._source_requests("sitemaps", nested, frontier)
        frontier.close_source()
        yield from self._candidate_requests(frontier)

    def parse_feed(self, response: Response) -> Iterator[Request]:
        """Take in the entries of a feed."""
        frontier = self._frontier(_request_of(response))
        try:
            frontier.add(read_feed(response.body, response.url))
        except SiteFileError as error:
            self._note_unread(response.url, str(error))
        frontier.close_source()
        yield from self._candidate_requests(frontier)

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
        frontier = self._frontier(request)
        self._note_unread(request.url, failure.getErrorMessage())
        frontier.close_source()
        self._send(self._candidate_requests(frontier))

    def download_failed(self, failure: Failure) -> None:
        """End a page that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if outcome := outcome_of(failure):
            self._end(request, *outcome)
        else:
            self._settle(request)

    def request_dropped(self, request: Request) -> None:
        """End a page that redirects to one which was asked for already."""
        if request.meta.get(PAGE_ROLE) and request.meta.get("redirect_times"):
            self._end(request, PageState.DUPLICATE, "redirects to a known page")
        elif request.meta.get(PAGE_ROLE):
            self._settle(request)

    def page_ended(self, request: Request | None, state: PageState) -> None:
        """Fetch another candidate where one is still wanted."""
        if request is not None and request.meta.get(SITE) in self.frontiers:
            self._settle(request, is_article=state is PageState.ARTICLE)

    def _page(self, response: Response) -> Page | None:
        if not isinstance(response, HtmlResponse):
            self._end(_request_of(response), PageState.ERROR, "not HTML")
            return None
        try:
            page = page_of(response, self.requests.max_page_bytes)
        except PageError as error:
            self._end(_request_of(response), PageState.ERROR, error.reason)
            return None
        self.crawler.signals.send_catch_log(page_arrived)
        return page

    def _requests_from(self, page: Page, frontier: Frontier, depth: int) -> Iterator[Request]:
        base = page.base_url or ""
        if depth == 0:
            yield from self._source_requests("feeds", feed_links(page.tree, base), frontier)
        if self.arguments.uses("links"):
            for link in frontier.sort_links(page_links(page.tree, base), depth + 1):
                yield self.requests.listing(link.url, frontier.site, depth + 1)
        yield from self._candidate_requests(frontier)

    def _source_requests(self, kind: str, urls: Iterable[str], frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps or feeds that are wanted and were not asked for yet."""
        if not self.arguments.uses(kind) or frontier.is_full:
            return []
        callback = self.parse_feed if kind == "feeds" else self.parse_sitemap
        return [self.requests.source(url, frontier.site, callback) for url in urls if frontier.open_source(url)]

    def _candidate_requests(self, frontier: Frontier) -> list[Request]:
        return [self.requests.candidate(candidate, frontier.site) for candidate in frontier.take()]

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
        self._send(self._candidate_requests(frontier))

    def _send(self, requests: Iterable[Request]) -> None:
        for request in requests:
            self.crawler.engine.crawl(request)

    def _note_unread(self, url: str, error: str) -> None:
        self.crawler.stats.inc_value("newsextract/sources/unread")
        logger.info("cannot read %s: %s", url, error)


def _request_of(response: Response) -> Request:
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    return response.request
