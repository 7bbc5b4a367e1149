"""The `news` spider: finds the article pages of news sites and yields them as `Page`s. It parses no content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals

from newsextract.crawl.extensions.site_reach import SiteReach
from newsextract.crawl.extensions.waiting_texts import WaitingTexts
from newsextract.crawl.middlewares.busy_hosts import BusyHosts
from newsextract.crawl.page_end import PageEnd
from newsextract.crawl.pipelines.article_extraction import readers_of, second_reading_of, stand_ins_of
from newsextract.crawl.rendering.rendering import renders_always
from newsextract.crawl.spider_arguments import NAMES, SpiderArguments
from newsextract.crawl.spiders.fetched_pages import FetchedPages
from newsextract.crawl.spiders.followed_links import FollowedLinks
from newsextract.crawl.spiders.further_pages import FurtherPages
from newsextract.crawl.spiders.host_files import HostFiles, Reservations
from newsextract.crawl.spiders.listing_links import ListingLinks
from newsextract.crawl.spiders.next_visits import NextVisits
from newsextract.crawl.spiders.request_making import RequestMaker, RequestSender
from newsextract.crawl.spiders.source_reading import SourceReading
from newsextract.crawl.spiders.spider_ledger import SpiderLedger
from newsextract.crawl.spiders.start_requests import StartRequests
from newsextract.crawl.spiders.visit_ends import VisitEnds
from newsextract.crawl.visit import find_visit, note, request_of, visit_of
from newsextract.reading.notices import PageState
from newsextract.settings import JOIN_PAGES, PAGE_BYTES
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import Frontier

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.crawl.readers import Readers
    from newsextract.page.page import Page


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
    readers: Readers
    ledger: SpiderLedger
    make: RequestMaker
    sender: RequestSender
    next_visits: NextVisits
    sources: SourceReading
    hosts: HostFiles
    listings: ListingLinks
    links: FollowedLinks
    fetched: FetchedPages
    further: FurtherPages
    ends: VisitEnds
    first: StartRequests

    def __init__(self, name: str | None = None, **arguments: Any) -> None:
        known = {key: str(arguments.pop(key, "")) for key in NAMES}
        super().__init__(name, **arguments)
        self.arguments = SpiderArguments.parse(**known)
        self.sites = {site.name: site for site in self.arguments.sites}
        self.limits = {name: self.arguments.limits_of(site) for name, site in self.sites.items()}
        self.frontiers = {name: self._new_frontier(name) for name in self.limits}
        hosts = {host for site in self.arguments.sites for host in site.hosts}
        self.allowed_domains = sorted({urlsplit(f"//{host}").hostname or host for host in hosts})
        self.quiet: set[str] = set()
        """The sites that had nothing due when the run began."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Build the spider, and connect it to parsed robots.txt files."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests due for each site; Scrapy fetches robots.txt before them."""
        # Not earlier: Scrapy makes the spider before it lets the add-on set its defaults.
        for frontier in self.frontiers.values():
            asked = self.limits[frontier.site].join_pages
            frontier.joins_pages = JOIN_PAGES.of(self.settings) if asked is None else asked
            frontier.guard.report = self._count_trap
        self._make_parts()
        self.ends.listen(to=self.crawler.signals)
        shard = self.arguments.shard
        if not self.frontiers:
            self.crawler.stats.set_value("newsextract/sites/other_shards", len(self.arguments.homes))
        await self.ledger.open(self.arguments.homes, self.arguments.given, str(shard) if shard else "")
        self.quiet.update(self.frontiers)
        # If robots.txt is not obeyed, it is not fetched, and the sitemaps in it are unknown.
        hosts = None if self.settings.getbool("ROBOTSTXT_OBEY") else self.hosts
        self.first = StartRequests(self.ledger, self.make, self.sources, self.next_visits, hosts)
        async for request in self.first.requests(await self.ledger.due(self.arguments.sites), self.frontiers):
            if visit := find_visit(request):
                self.quiet.discard(visit.site)
            yield request
        self.crawler.stats.set_value("newsextract/sites/quiet", len(self.quiet))

    def _new_frontier(self, name: str) -> Frontier:
        limits = self.limits[name]
        return Frontier(name, limits.articles, limits.since, self.sites[name], limits.pages, limits.discover)

    def _make_parts(self) -> None:
        """Create the spider's parts; each gets the parts that it uses, and none gets the spider."""
        crawler, max_page_bytes = self.crawler, PAGE_BYTES.of(self.settings)
        wanted, reservations = self.arguments, Reservations()
        self.readers = readers_of(crawler)
        self.ledger = SpiderLedger.from_crawler(crawler, looks_at_all=wanted.fresh, only_new=wanted.only_new)
        self.make = RequestMaker(self, self.ledger, max_page_bytes, renders_always(crawler))
        self.sender = RequestSender(crawler)
        texts = crawler.get_extension(WaitingTexts)
        self.next_visits = NextVisits(self.ledger, self.make, self.sender, texts)
        self.sources = SourceReading(crawler, self.ledger, self.make, self.readers, self.next_visits)
        self.hosts = HostFiles(self.make, self.sources, reservations)
        self.links = FollowedLinks(crawler.signals, self.ledger, self.make, self.sources, self.next_visits)
        self.fetched = FetchedPages(crawler.signals, reservations, max_page_bytes, texts)
        self.listings = ListingLinks(self.fetched, self.readers, second_reading_of(crawler))
        self.further = FurtherPages(self.make, self.fetched, self.readers, crawler.engine.download_async)
        reach = crawler.get_extension(SiteReach) or SiteReach(crawler)
        self.ends = VisitEnds(
            self.frontiers, self.ledger, self.readers, self.fetched, self.links, self.next_visits, reach,
            crawler.get_downloader_middleware(BusyHosts), stand_ins_of(crawler),
        )  # fmt: skip

    async def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Request the sitemaps that a robots.txt names, or the usual one, and the host's tdmrep.json."""
        visit = find_visit(request)
        if visit is None:
            return
        own = self.frontiers[visit.site]
        # A feed may be on a host of another site, and then the sitemaps of that host are the other site's. Its
        # robots.txt is parsed once, for the site that requests it first.
        others = (each for each in self.frontiers.values() if self.ledger.has_begun(each.site))
        for frontier in [own] if own.holds(request.url) else [each for each in others if each.holds(request.url)]:
            self.sender.send(await self.hosts.requests(request.url, robotparser, frontier))

    async def parse_sitemap(self, response: Response) -> None:
        """Add the candidates of a sitemap, or the sitemaps of an index."""
        await self.sources.read_sitemap(response, self.frontier(request_of(response)))

    async def parse_feed(self, response: Response) -> None:
        """Add the candidates of a feed."""
        await self.sources.read_feed(response, self.frontier(request_of(response)))

    def parse_tdmrep(self, response: Response, host: str) -> None:
        """Read the rules in a host's tdmrep.json."""
        self.hosts.read_tdmrep(response, host)

    async def parse_listing(self, response: Response) -> AsyncIterator[Request | Page]:
        """Follow the links of a home or section page, and yield the page."""
        request = request_of(response)
        frontier = self.frontier(request)
        if page := self.fetched.page(response, frontier):
            # Links first: if they fail, the page ends as an error, and not as an item too.
            if (surveyed := await self.listings.of_page(page, request, frontier)) is None:
                return
            page, links = surveyed
            for following in await self.links.requests(links, request, frontier):
                yield following
            if frontier.reserve():
                # The page may still turn out to be an article.
                note(request, holds_place=True)
                yield await self.further.join(page, frontier)
            else:
                self.fetched.end(request, PageEnd(PageState.LISTING, "only its links were wanted"))

    async def parse_page(self, response: Response) -> AsyncIterator[Page]:
        """Yield the page, joined with its further pages if that is wanted."""
        request = request_of(response)
        frontier = self.frontier(request)
        await self.next_visits.claim(frontier)
        if frontier.is_part(response.url):
            self.fetched.count_and_end(request, PageEnd(PageState.PART, "joined to its article"))
        elif page := self.fetched.page(response, frontier):
            if not frontier.joins_pages:
                yield page
            elif place := await self.fetched.answer(request, self.readers.paginate(page)):
                if place.first_page:
                    await self.next_visits.add([Candidate(place.first_page, "links")], frontier)
                    await self.next_visits.claim(frontier)
                    self.fetched.end(request, PageEnd(PageState.PART, "left to its first page"))
                else:
                    yield await self.further.join(page, frontier)

    async def source_failed(self, failure: Failure) -> None:
        """Record a sitemap or feed that could not be fetched, and continue."""
        request: Request = failure.request  # type: ignore[attr-defined]
        await self.sources.go_on_without(failure, request, self.frontier(request))

    def tdmrep_failed(self, failure: Failure) -> None:
        """Record a tdmrep.json that could not be fetched, and continue."""
        self.hosts.go_on_without(failure, failure.request)  # type: ignore[attr-defined]

    async def download_failed(self, failure: Failure) -> AsyncIterator[Article]:
        """End a page that could not be fetched, or yield the article that its feed has in its place."""
        request: Request = failure.request  # type: ignore[attr-defined]
        await self.next_visits.claim(self.frontier(request))
        if article := await self.ends.download_failed(failure, request):
            yield article

    def _count_trap(self, reason: str) -> None:
        self.crawler.stats.inc_value(f"newsextract/traps/{reason}")

    def frontier(self, request: Request) -> Frontier:
        """Return the frontier of the site that a request belongs to."""
        return self.frontiers[visit_of(request).site]
