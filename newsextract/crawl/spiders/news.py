"""The `news` spider: finds the article pages of news sites and yields them as `Page`s. It parses no content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals

from newsextract.crawl.extensions.page_states import PAGE_ROLE, SITE
from newsextract.crawl.middlewares.silent_hosts import HostIsSilent
from newsextract.crawl.pipelines.article_extraction import readers_of
from newsextract.crawl.spiders.fetch_failures import is_absence, outcome_of
from newsextract.crawl.spiders.further_pages import FurtherPages
from newsextract.crawl.spiders.ledger_findings import of_listing
from newsextract.crawl.spiders.page_arrivals import Arrivals, request_of
from newsextract.crawl.spiders.request_making import CANDIDATE, RequestFactory, sitemap_urls
from newsextract.crawl.spiders.request_sender import Outbox
from newsextract.crawl.spiders.source_failures import reason_of_failure
from newsextract.crawl.spiders.source_reading import Sources
from newsextract.crawl.spiders.spider_arguments import NAMES, SpiderArguments
from newsextract.crawl.spiders.spider_ledger import LedgerBook, open_book
from newsextract.crawl.spiders.start_requests import Openings
from newsextract.crawl.spiders.tdm_reservations import Reservations
from newsextract.crawl.spiders.visit_ends import Visits
from newsextract.reading.page_state import PageState
from newsextract.settings import JOIN_PAGES, PAGE_BYTES, TDMREP
from newsextract.sites.frontier.candidate import Candidate
from newsextract.sites.frontier.frontier import Frontier
from newsextract.sites.published.site_files import SiteFileError
from newsextract.sites.published.sitemaps import SitemapLink

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.crawl.workers.worker_answers import Survey
    from newsextract.crawl.workers.worker_pool import Readers
    from newsextract.page.page import Page


class NewsSpider(Spider):
    """Visits news sites: robots.txt, sitemaps, feeds, then the links of home and section pages.

    Arguments:
        sites: URLs, separated by commas or spaces, or a .yml, .txt, .csv or .opml file of them.
        since: leaves out what feeds and sitemaps date earlier: `2d`, `36h`, `2026-11-01`.
        limit: articles wanted per site.
        discover: which of `feeds,sitemaps,links` to use; all by default.
        only_new: `1` leaves out the revisits of articles that earlier runs have read.
        fresh: `1` looks at all sections, feeds and sitemaps, due or not.
        join_pages: `1` joins the pages of articles that have several; by default, what the settings say.
    """

    name = "news"
    requests: RequestFactory
    outbox: Outbox
    book: LedgerBook
    arrivals: Arrivals
    readers: Readers

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in NAMES}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.sites = {site.name: site for site in self.arguments.sites}
        self.limits = {name: self.arguments.limits_of(site) for name, site in self.sites.items()}
        self.frontiers = {
            name: Frontier(name, limits.articles, limits.since, self.sites[name], limits.pages)
            for name, limits in self.limits.items()
        }
        hosts = {host for site in self.arguments.sites for host in site.hosts}
        self.allowed_domains = sorted({urlsplit(f"//{host}").hostname or host for host in hosts})
        self.sources = Sources(self)
        self.visits = Visits(self)
        self.reservations = Reservations()
        self.quiet: set[str] = set()
        """The sites of which nothing was due when the run began."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and have it told of parsed robots.txt files and of what becomes of its requests."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.outbox = Outbox(crawler)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        spider.visits.listen(to=crawler.signals)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Start with what is due of each site; asking for it has robots.txt read first."""
        self._read_settings()
        self.book = await open_book(self.crawler, self.arguments)
        async for request in Openings(self).requests():
            yield request

    def _read_settings(self) -> None:
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        max_page_bytes = PAGE_BYTES.of(self.settings)
        self.requests = RequestFactory(self, max_page_bytes)
        self.readers = readers_of(self.crawler)
        self.arrivals = Arrivals(self.crawler.signals, self.reservations, max_page_bytes)
        for frontier in self.frontiers.values():
            frontier.guard.report = self._count_trap

    def joins_pages_of(self, site: str) -> bool:
        """Tell whether the articles of a site that have several pages are joined."""
        asked = self.limits[site].join_pages
        return JOIN_PAGES.of(self.settings) if asked is None else asked

    async def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Ask for the sitemaps that a robots.txt names, or for the customary one, and for what the host reserves."""
        frontier = self.frontiers.get(request.meta.get(SITE, ""))
        # The host of a feed that is kept elsewhere has sitemaps too, of other people's articles.
        if frontier is not None and frontier.holds(request.url):
            self.outbox.send(await self.requests_for_host(request.url, robotparser, frontier))

    async def parse_sitemap(self, response: Response) -> None:
        """Take in the candidates of a sitemap, or the sitemaps of an index."""
        await self.sources.read_sitemap(response, self.frontier(request_of(response)))

    async def parse_feed(self, response: Response) -> None:
        """Take in the entries of a feed."""
        await self.sources.read_feed(response, self.frontier(request_of(response)))

    def parse_tdmrep(self, response: Response, host: str) -> None:
        """Take in what a host reserves."""
        try:
            self.reservations.read(host, response.body, response.url)
        except SiteFileError as error:
            self.sources.note_unread(response.url, error.reason, error)

    async def parse_listing(self, response: Response, depth: int) -> AsyncIterator[Request | Page]:
        """Follow the links of a home or section page, and yield the page."""
        request = request_of(response)
        frontier = self.frontier(request)
        if page := self.arrivals.page(response, frontier):
            # Links first: should they fail, the page ends as an error and not also as an item.
            survey = await self.arrivals.answer(request, self.readers.survey(page))
            if survey is None:
                return
            for following in await self.requests_from(survey, request, depth):
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
        await self.sources.claim(frontier)
        if frontier.is_part(response.url):
            self.arrivals.end(request, PageState.PART, "joined to its article")
        elif page := self.arrivals.page(response, frontier):
            if not self.joins_pages_of(frontier.site):
                yield page
            elif place := await self.arrivals.answer(request, self.readers.paginate(page)):
                if place.first_page:
                    await self.sources.add([Candidate(place.first_page, "links")], frontier)
                    await self.sources.claim(frontier)
                    self.arrivals.fail(request, PageState.PART, "left to its first page")
                else:
                    yield await self._whole(page, frontier)

    async def source_failed(self, failure: Failure) -> None:
        """Go on without a sitemap or feed that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        self.sources.note_failure(request, reason_of_failure(failure, request), failure.getErrorMessage())
        if not isinstance(failure.value, HostIsSilent):
            self.book.source_failed(request, outcome_of(failure, request))
        await self.sources.close(self.frontier(request))

    def tdmrep_failed(self, failure: Failure) -> None:
        """Go on without a tdmrep.json that could not be fetched; most hosts have none, of which nothing is said."""
        request: Request = failure.request  # type: ignore[attr-defined]
        if not is_absence(failure):
            self.sources.note_unread(request.url, reason_of_failure(failure, request), failure.getErrorMessage())

    async def download_failed(self, failure: Failure) -> None:
        """End a page that could not be fetched."""
        await self.sources.claim(self.frontier(failure.request))  # type: ignore[attr-defined]
        self.visits.download_failed(failure)

    def _count_trap(self, reason: str) -> None:
        self.crawler.stats.inc_value(f"newsextract/traps/{reason}")

    async def _whole(self, page: Page, frontier: Frontier) -> Page:
        return await FurtherPages(self).join(page, frontier) if self.joins_pages_of(frontier.site) else page

    async def requests_for_host(self, url: str, robots: RobotParser | None, frontier: Frontier) -> list[Request]:
        """Return the requests for the files of a page's host: what it reserves, and its sitemaps."""
        is_wanted = TDMREP.of(self.settings) and self.reservations.claim(url)
        tdmrep = [self.requests.tdmrep(url)] if is_wanted else []
        given = self.sites[frontier.site].sitemaps
        sitemaps = [SitemapLink(sitemap) for sitemap in sitemap_urls(robots, url, given)]
        return [*tdmrep, *await self.sources.requests("sitemaps", sitemaps, frontier)]

    async def requests_from(self, survey: Survey, request: Request, depth: int) -> list[Request]:
        """Return the requests that a page of links at this depth leads to."""
        frontier = self.frontier(request)
        if depth == 0:
            self.sources.note_front(survey.links, frontier)
        feeds = [SitemapLink(url) for url in survey.feeds] if depth == 0 else []
        requests = await self.sources.requests("feeds", feeds, frontier)
        new = 0
        if self.limits[frontier.site].uses("links"):
            listings, candidates = frontier.sort_links(survey.links, depth + 1)
            due = await self.book.admit([of_listing(link.url, frontier.site, depth + 1) for link in listings])
            # What looks like a section may be an article, which two runs must not fetch both.
            claimed = await self.book.claim(due)
            requests += [self.requests.listing(url, frontier.site, depth + 1) for url in due if url in claimed]
            new = sum(not is_revisit for is_revisit in due.values()) + await self.sources.add(candidates, frontier)
        self.book.note_change(request, is_changed=bool(new))
        await self.sources.claim(frontier)
        return [*requests, *self.sources.next_requests(frontier)]

    def frontier(self, request: Request) -> Frontier:
        """Return the frontier of the site that a request belongs to."""
        frontier: Frontier = self.frontiers[request.meta[SITE]]
        return frontier
