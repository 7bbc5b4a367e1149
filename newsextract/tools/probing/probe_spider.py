"""The spider of `scrapy probe`: one request at a time, politely, until it knows enough or the time is up."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.http.request import NO_CALLBACK
from twisted.python.failure import Failure

from newsextract.crawl.discovery import sitemap_urls
from newsextract.crawl.network_safety import PrivateAddress
from newsextract.crawl.outcome import of_status, reason_of_failure
from newsextract.crawl.requests import page_of
from newsextract.page.page import PageError
from newsextract.settings import PAGE_BYTES
from newsextract.sites.feeds import feed_links, read_feed
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink, read_sitemap
from newsextract.tools.probing.fetched_site import MOST_SECTIONS, FoundSource, Robots, links_of
from newsextract.tools.probing.samples import FoundPage, read_sample
from newsextract.tools.probing.source_quality import best_samples

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

    from newsextract.page.page import Page
    from newsextract.sites.article_address import Candidate
    from newsextract.tools.probing.fetched_site import SourceKind, Visit

ARTICLES = 5
MOST_FEEDS = 5
MOST_SITEMAPS = 4
"""Sitemaps read per site; those of an index newest first."""

MOST_SITEMAP_FILES = 12
"""Those, and the indexes that lead to them: an index may list indexes without end."""

MAX_SOURCE_BYTES = 10 * 1024 * 1024
"""Size limit of a sitemap or feed as it arrives; a larger one takes too long to fetch."""

SOURCES_SHARE = 0.6
"""Share of the time for sources; the rest is for the articles."""

LEAST_SECONDS = 1.0
"""Least seconds given to a request, however late it is."""


class Unfetched(Exception):  # noqa: N818 - the name says that it is an error
    """The page could not be fetched; the message says why."""


class ProbeSpider(Spider):
    """Visits a site and fills in a `Visit`."""

    name = "probe"
    visit: Visit
    seconds: float
    extractor: str

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Connect to the signals of robots.txt and of responses."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.robots_parsed, signal=signals.robots_parsed)
        crawler.signals.connect(spider.response_received, signal=signals.response_received)
        return spider

    async def start(self) -> AsyncIterator[Request]:
        """Visit the site; Scrapy has no request to schedule."""
        self.began = time.monotonic()
        try:
            async with asyncio.timeout(self.seconds):
                await self._look()
        except TimeoutError:
            self.visit.is_cut = True
        except Unfetched as error:
            self.visit.error = str(error)
            if isinstance(error.__cause__, PrivateAddress):
                self.visit.refused_host = error.__cause__.host
        self.visit.seconds = time.monotonic() - self.began
        nothing: tuple[Request, ...] = ()
        for request in nothing:
            yield request

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Record what a robots.txt says."""
        agent = self.settings["ROBOTSTXT_USER_AGENT"] or self.settings["USER_AGENT"]
        host = urlsplit(request.url).netloc
        known = self.visit.robots.get(host, Robots())
        named = tuple(getattr(getattr(robotparser, "rp", None), "sitemaps", ()))
        self.visit.robots[host] = Robots(
            robotparser.allowed(request.url, agent), robotparser.crawl_delay(agent), named, known.status
        )
        self.parsers[host] = robotparser

    def response_received(self, response: Response) -> None:
        """Count a response, and record the status of a robots.txt."""
        self.visit.requests += 1
        parts = urlsplit(response.url)
        if parts.path == "/robots.txt":
            self.visit.robots[parts.netloc] = Robots(status=response.status)

    async def _look(self) -> None:
        self.parsers: dict[str, RobotParser] = {}
        home = await self._page(self.visit.asked)
        self.visit.home, self.visit.landed = home, home.url
        feeds = feed_links(home.tree, home.base_url or "")[:MOST_FEEDS]
        robots = self.parsers.get(urlsplit(self.visit.start).netloc)
        sitemaps = sitemap_urls(robots, self.visit.start)[:MOST_SITEMAPS]
        self.visit.pending = [*feeds, *sitemaps]
        self.visit.sources.append(links_of(home, self.visit.site))
        for url in feeds:
            await self._read_feed(url)
        await self._read_sitemaps(sitemaps)
        await self._read_articles()

    async def _read_articles(self) -> None:
        """Read pages as a crawl would fetch them: likely articles first, then those whose address does not tell."""
        unread = self.visit.pending
        met: set[str] = set()
        sections = 0
        while len(self.visit.samples) < ARTICLES:
            wanted = [one for one in best_samples(self.visit.sources, self.visit.site) if one.url not in met]
            self.visit.pending = [*(one.url for one in wanted[: ARTICLES - len(self.visit.samples)]), *unread]
            if not wanted:
                return
            candidate = wanted[0]
            met.add(candidate.url)
            found = await self._found(candidate.url)
            # In a thread, so that the deadline applies to reading too.
            sample = await asyncio.to_thread(read_sample, found, self.extractor)
            if found.page is None or candidate.source != "links" or candidate.is_article_like or not sample.is_other:
                self.visit.samples.append(sample)
            elif sections == MOST_SECTIONS:
                break
            else:
                sections += 1
                self.visit.sources.append(links_of(found.page, self.visit.site))
        self.visit.pending = unread

    async def _found(self, url: str) -> FoundPage:
        try:
            return FoundPage(url, await self._page(url))
        except Unfetched as error:
            return FoundPage(url, trouble=str(error))

    async def _read_feed(self, url: str) -> None:
        if not self._is_late():
            entries, trouble = await self._entries(url, read_feed)
            self._note("feed", url, entries, trouble)

    async def _read_sitemaps(self, roots: Sequence[str]) -> None:
        """Read sitemaps, and those of an index newest first."""
        waiting: list[tuple[str, str | None]] = [(url, None) for url in roots]
        met = set(roots)
        left = MOST_SITEMAPS
        files = MOST_SITEMAP_FILES
        while waiting and left and files and not self._is_late():
            files -= 1
            url, root = waiting.pop(0)
            entries, trouble = await self._entries(url, read_sitemap)
            links = [entry for entry in entries if isinstance(entry, SitemapLink) and entry.url not in met]
            further = [link.url for link in sorted(links, key=_newness)[:MOST_SITEMAPS]]
            met.update(further)
            waiting += [(link, root or url) for link in further]
            self.visit.pending += further
            if not trouble and entries and all(isinstance(entry, SitemapLink) for entry in entries):
                self.visit.pending.remove(url)
                continue  # an index is not a source itself
            left -= 1
            self._note("sitemap", url, entries, trouble, root)
        if not (left and files):
            for url, _ in waiting:
                self.visit.pending.remove(url)  # by choice, not for lack of time

    def _note(
        self,
        kind: SourceKind,
        url: str,
        entries: Iterable[Candidate | SitemapLink],
        trouble: str | None,
        root: str | None = None,
    ) -> None:
        found = tuple(entry for entry in entries if not isinstance(entry, SitemapLink))
        if any(entry.source == "news_sitemap" for entry in found):
            kind = "news_sitemap"
        self.visit.sources.append(FoundSource(kind, url, found, trouble, root))
        self.visit.pending.remove(url)

    async def _entries(
        self, url: str, read: Callable[[bytes, str], Iterable[Candidate | SitemapLink]]
    ) -> tuple[list[Candidate | SitemapLink], str | None]:
        """Return the entries of a sitemap or feed, and the error at which reading stopped, if any."""
        entries: list[Candidate | SitemapLink] = []
        try:
            response = await self._response(url, MAX_SOURCE_BYTES)
            # In a thread, so that the deadline applies to a parser too.
            await asyncio.to_thread(lambda: entries.extend(read(response.body, response.url)))
        except (Unfetched, SiteFileError) as error:
            return entries, str(error)
        return entries, None

    async def _page(self, url: str) -> Page:
        response = await self._response(url, PAGE_BYTES.of(self.settings))
        media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip().lower()
        if media_type and "html" not in media_type and media_type != "text/plain":
            raise Unfetched(f"not HTML: {media_type}")
        try:
            return page_of(response, PAGE_BYTES.of(self.settings))
        except PageError as error:
            raise Unfetched(str(error)) from error

    async def _response(self, url: str, most_bytes: int) -> Response:
        """Return the response to a request; raises `Unfetched`."""
        left = self.seconds - (time.monotonic() - self.began)
        meta = {
            "dont_retry": True,
            "download_maxsize": most_bytes,
            "download_slot": urlsplit(url).netloc,
            "download_timeout": max(left, LEAST_SECONDS),
        }
        request = Request(url, callback=NO_CALLBACK, meta=meta, dont_filter=True)
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:
            raise Unfetched(reason_of_failure(Failure(), request)) from error  # type: ignore[no-untyped-call]
        if not 200 <= response.status < 300:
            raise Unfetched(of_status(response.status).reason)
        return response

    def _is_late(self) -> bool:
        has_articles = any(source.is_readable for source in self.visit.sources)
        return has_articles and time.monotonic() - self.began > self.seconds * SOURCES_SHARE


def _newness(link: SitemapLink) -> tuple[bool, float]:
    """Return a sort key for the sitemaps of an index: news sitemaps first, then the newest."""
    return "news" not in link.url.lower(), -link.lastmod.timestamp() if link.lastmod else 0.0
