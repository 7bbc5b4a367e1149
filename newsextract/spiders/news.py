"""The `news` spider: finds the article pages of news sites and yields them as `Page`s. It parses no content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals

from newsextract.extensions.page_states import PAGE_ROLE, SITE
from newsextract.outcome import PageState
from newsextract.sites.candidates import Candidate
from newsextract.sites.feeds import feed_links
from newsextract.sites.frontier import Frontier
from newsextract.sites.links import page_links
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.urls import is_on_site
from newsextract.spiders.arguments import NAMES, SpiderArguments
from newsextract.spiders.arrivals import Arrivals, request_of
from newsextract.spiders.failures import is_absence
from newsextract.spiders.further_pages import FurtherPages, first_page
from newsextract.spiders.outbox import Outbox
from newsextract.spiders.requests import CANDIDATE, RequestFactory, sitemap_urls
from newsextract.spiders.reservations import Reservations
from newsextract.spiders.sources import Sources
from newsextract.spiders.visits import Visits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.page import Page


class NewsSpider(Spider):
    """Visits news sites: robots.txt, sitemaps, feeds, then the links of home and section pages.

    Arguments:
        sites: URLs, separated by commas or spaces, or a .txt, .csv or .opml file of them.
        since: leaves out what feeds and sitemaps date earlier: `2d`, `36h`, `2026-11-01`.
        limit: articles wanted per site.
        discover: which of `feeds,sitemaps,links` to use; all by default.
        join_pages: `1` joins the pages of articles that have several; by default, what the settings say.
    """

    name = "news"
    requests: RequestFactory
    outbox: Outbox
    arrivals: Arrivals
    joins_pages: bool

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in NAMES}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.frontiers = {
            site.name: Frontier(site.name, self.arguments.limit, self.arguments.since) for site in self.arguments.sites
        }
        self.allowed_domains = sorted({urlsplit(f"//{name}").hostname or name for name in self.frontiers})
        self.sources = Sources(self)
        self.visits = Visits(self)
        self.reservations = Reservations()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and have it told of parsed robots.txt files and of what becomes of its requests."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.outbox = Outbox(crawler)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        spider.visits.listen(to=crawler.signals)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Start at the home page of every site; asking for it has robots.txt read first."""
        self._read_settings()
        for site in self.arguments.sites:
            frontier = self.frontiers[site.name]
            # Each of them, though keys make them one: two hosts of a site have a robots.txt each.
            frontier.claim(site.home)
            yield self.requests.listing(site.home, site.name, depth=0)
            for request in self.sources.requests("feeds", site.feeds, frontier):
                yield request
            if not self.settings.getbool("ROBOTSTXT_OBEY"):  # then nobody reads what it names
                for request in self._requests_for_host(site.home, None, frontier):
                    yield request

    def _read_settings(self) -> None:
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        max_page_bytes = self.settings.getint("NEWSEXTRACT_PAGE_BYTES")
        self.requests = RequestFactory(self, max_page_bytes)
        self.arrivals = Arrivals(self.crawler.signals, self.reservations, max_page_bytes)
        asked = self.arguments.join_pages
        self.joins_pages = self.settings.getbool("NEWSEXTRACT_JOIN_PAGES") if asked is None else asked

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Ask for the sitemaps that a robots.txt names, or for the customary one, and for what the host reserves."""
        frontier = self.frontiers.get(request.meta.get(SITE, ""))
        # The host of a feed that is kept elsewhere has sitemaps too, of other people's articles.
        if frontier is not None and is_on_site(request.url, frontier.site):
            self.outbox.send(self._requests_for_host(request.url, robotparser, frontier))

    def parse_sitemap(self, response: Response) -> None:
        """Take in the candidates of a sitemap, or the sitemaps of an index."""
        self.sources.read_sitemap(response, self.frontier(request_of(response)))

    def parse_feed(self, response: Response) -> None:
        """Take in the entries of a feed."""
        self.sources.read_feed(response, self.frontier(request_of(response)))

    def parse_tdmrep(self, response: Response, host: str) -> None:
        """Take in what a host reserves."""
        try:
            self.reservations.read(host, response.body, response.url)
        except SiteFileError as error:
            self.sources.note_unread(response.url, str(error))

    async def parse_listing(self, response: Response, depth: int) -> AsyncIterator[Request | Page]:
        """Follow the links of a home or section page, and yield the page."""
        request = request_of(response)
        frontier = self.frontier(request)
        if page := self.arrivals.page(response, frontier):
            # Links first: should they fail, the page ends as an error and not also as an item.
            for following in list(self.requests_from(page, frontier, depth)):
                yield following
            if frontier.reserve():
                # It may turn out to be an article after all.
                request.meta[PAGE_ROLE] = CANDIDATE
                yield await self._whole(page, frontier)
            else:
                self.arrivals.fail(request, PageState.LISTING, "only its links were wanted")

    async def parse_page(self, response: Response) -> AsyncIterator[Page]:
        """Yield the page, with those that continue it when they are wanted."""
        request = request_of(response)
        frontier = self.frontier(request)
        if frontier.is_part(response.url):
            self.arrivals.end(request, PageState.PART, "joined to its article")
        elif page := self.arrivals.page(response, frontier):
            if self.joins_pages and (first := first_page(page)):
                frontier.add([Candidate(first, "links")])
                self.arrivals.fail(request, PageState.PART, "left to its first page")
            else:
                yield await self._whole(page, frontier)

    def source_failed(self, failure: Failure) -> None:
        """Go on without a sitemap or feed that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.sources.note_unread(request.url, failure.getErrorMessage())
        self.sources.close(self.frontier(request))

    def tdmrep_failed(self, failure: Failure) -> None:
        """Go on without a tdmrep.json that could not be fetched; most hosts have none, of which nothing is said."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if not is_absence(failure):
            self.sources.note_unread(request.url, failure.getErrorMessage())

    def download_failed(self, failure: Failure) -> None:
        """End a page that could not be fetched."""
        self.visits.download_failed(failure)

    async def _whole(self, page: Page, frontier: Frontier) -> Page:
        return await FurtherPages(self).join(page, frontier) if self.joins_pages else page

    def _requests_for_host(self, url: str, robots: RobotParser | None, frontier: Frontier) -> list[Request]:
        is_wanted = self.settings.getbool("NEWSEXTRACT_TDMREP") and self.reservations.claim(url)
        tdmrep = [self.requests.tdmrep(url)] if is_wanted else []
        return [*tdmrep, *self.sources.requests("sitemaps", sitemap_urls(robots, url), frontier)]

    def requests_from(self, page: Page, frontier: Frontier, depth: int) -> Iterator[Request]:
        """Return the requests that a page of links at this depth leads to."""
        base = page.base_url or ""
        if depth == 0:
            yield from self.sources.requests("feeds", feed_links(page.tree, base), frontier)
        if self.arguments.uses("links"):
            for link in frontier.sort_links(page_links(page.tree, base), depth + 1):
                yield self.requests.listing(link.url, frontier.site, depth + 1)
        yield from self.sources.next_requests(frontier)

    def frontier(self, request: Request) -> Frontier:
        """Return the frontier of the site that a request belongs to."""
        frontier: Frontier = self.frontiers[request.meta[SITE]]
        return frontier
