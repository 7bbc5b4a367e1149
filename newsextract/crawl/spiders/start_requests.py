"""The first requests of a run: what is due of each site, by its list and by what earlier runs have noted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.crawl.extensions.page_states import SITE
from newsextract.crawl.spiders.ledger_findings import of_listing
from newsextract.sites.published.sitemaps import SitemapLink
from newsextract.storage.ledger.ledger_rows import Role

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from scrapy import Request

    from newsextract.crawl.spiders.news import NewsSpider
    from newsextract.sites.frontier.frontier import Frontier
    from newsextract.sites.site_list.site import Site
    from newsextract.storage.ledger.ledger_rows import Entry

_TOGETHER = 100
"""Sites whose part of the ledger is read at once: few transactions, and the first requests are soon on their way."""


@dataclass(frozen=True)
class Openings:
    """Opens the sites of a run."""

    spider: NewsSpider

    async def requests(self) -> AsyncIterator[Request]:
        """Yield the requests of all sites."""
        sites = self.spider.arguments.sites
        self.spider.quiet.update(site.name for site in sites)
        due = await self.spider.book.begin(sites)
        for start in range(0, len(due), _TOGETHER):
            async for request in self._open(due[start : start + _TOGETHER]):
                self.spider.quiet.discard(request.meta.get(SITE, ""))
                yield request
        self.spider.crawler.stats.set_value("newsextract/sites/quiet", len(self.spider.quiet))

    async def _open(self, sites: Sequence[Site]) -> AsyncIterator[Request]:
        book = self.spider.book
        homes = await book.admit([of_listing(url, site.name, depth=0) for site in sites for url in site.start])
        names = list(dict.fromkeys(site.name for site in sites))
        pending = {role: dict(zip(names, await book.pending(names, role), strict=True)) for role in Role}
        for site in sites:
            frontier = self.spider.frontiers[site.name]
            # Each of them, though keys make them one: two hosts of a site have a robots.txt each.
            for url in site.start:
                frontier.claim(url)
                if url in homes and frontier.count_page():
                    yield self.spider.requests.listing(url, site.name, depth=0)
            for request in await self._told(site, frontier):
                yield request
        for name in names:
            remembered = {role: entries[name] for role, entries in pending.items()}
            for request in await self._remembered(self.spider.frontiers[name], remembered):
                yield request

    async def _told(self, site: Site, frontier: Frontier) -> list[Request]:
        """Return the requests for what the list of sites names besides the home page."""
        feeds = [SitemapLink(url) for url in site.feeds]
        requests = await self.spider.sources.requests("feeds", feeds, frontier)
        # Here too, as robots.txt may be out of reach.
        given = [SitemapLink(url) for url in site.sitemaps]
        requests += await self.spider.sources.requests("sitemaps", given, frontier)
        if not self.spider.settings.getbool("ROBOTSTXT_OBEY"):  # then nobody reads what it names
            requests += await self.spider.requests_for_host(site.home, None, frontier)
        return requests

    async def _remembered(self, frontier: Frontier, pending: dict[Role, list[Entry]]) -> list[Request]:
        """Return the requests for what earlier runs have found, in feeds that may have forgotten it since."""
        sources = self.spider.sources
        sources.remember(pending[Role.CANDIDATE], frontier)
        requests = [*await self._listings(pending[Role.LISTING], frontier)]
        requests += self._sources(pending[Role.SOURCE], frontier)
        await sources.claim(frontier)
        return [*requests, *sources.next_requests(frontier)]

    async def _listings(self, entries: Iterable[Entry], frontier: Frontier) -> list[Request]:
        if not self.spider.limits[frontier.site].uses("links"):
            return []
        wanted = [each for each in entries if frontier.wants(each.url) and frontier.claim(each.url)]
        claimed = await self.spider.book.claim([each.url for each in wanted])
        make = self.spider.requests.listing
        return [
            make(each.url, frontier.site, each.depth)
            for each in wanted
            if each.url in claimed and frontier.count_page()
        ]

    def _sources(self, entries: Iterable[Entry], frontier: Frontier) -> Iterator[Request]:
        uses, make = self.spider.limits[frontier.site].uses, self.spider.requests.source
        for entry in entries:
            if entry.found_in == "feed" and uses("feeds") and frontier.sources.open(entry.url):
                yield make("feeds", entry.url, frontier.site)
            elif entry.found_in != "feed" and uses("sitemaps"):
                frontier.sources.add_sitemaps([SitemapLink(entry.url, entry.listed)], frontier.since)
        yield from self.spider.sources.next_sitemaps(frontier)
