"""The first requests of a run: what is due on each site, from the list of sites and from earlier runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.crawl.spiders.ledger_findings import of_listing
from newsextract.sites.sitemaps import SitemapLink
from newsextract.storage.ledger.ledger import Role

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence

    from scrapy import Request

    from newsextract.crawl.spiders.host_files import HostFiles
    from newsextract.crawl.spiders.next_visits import NextVisits
    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.crawl.spiders.source_reading import SourceReading
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.sites.frontier import Frontier
    from newsextract.sites.site import Site
    from newsextract.storage.ledger.ledger import Entry

_TOGETHER = 100
"""Sites read from the ledger at once: few transactions, while the first requests still start soon."""


@dataclass(frozen=True)
class StartRequests:
    """Makes the first requests of each site."""

    ledger: SpiderLedger
    make: RequestMaker
    sources: SourceReading
    next_visits: NextVisits
    hosts: HostFiles | None
    """Makes the requests for the hosts' files; `None` if those wait for robots.txt."""

    async def requests(self, sites: Sequence[Site], frontiers: Mapping[str, Frontier]) -> AsyncIterator[Request]:
        """Yield the first requests of sites, whose visits begin."""
        await self.ledger.begin(sites)
        for start in range(0, len(sites), _TOGETHER):
            async for request in self._open(sites[start : start + _TOGETHER], frontiers):
                yield request

    async def _open(self, sites: Sequence[Site], frontiers: Mapping[str, Frontier]) -> AsyncIterator[Request]:
        homes = await self.ledger.admit([of_listing(url, site.name, depth=0) for site in sites for url in site.start])
        names = list(dict.fromkeys(site.name for site in sites))
        pending = {role: dict(zip(names, await self.ledger.pending(names, role), strict=True)) for role in Role}
        for site in sites:
            frontier = frontiers[site.name]
            # Each home page, though they may share a key: every host of a site has its own robots.txt.
            for url in site.start:
                frontier.claim(url)
                if url in homes and frontier.count_page():
                    yield self.make.listing(url, site.name, depth=0)
            for request in await self._listed(site, frontier):
                yield request
        for name in names:
            remembered = {role: entries[name] for role, entries in pending.items()}
            for request in await self._remembered(frontiers[name], remembered):
                yield request

    async def _listed(self, site: Site, frontier: Frontier) -> list[Request]:
        """Return the requests for a site's feeds and sitemaps in the list of sites, and for its host's files."""
        requests = await self.sources.requests("feeds", site.feeds, frontier)
        # Here too, because robots.txt may be unreachable.
        requests += await self.sources.requests("sitemaps", site.sitemaps, frontier)
        if self.hosts is not None:
            requests += await self.hosts.requests(site.home, None, frontier)
        return requests

    async def _remembered(self, frontier: Frontier, pending: dict[Role, list[Entry]]) -> list[Request]:
        """Return the requests for what earlier runs have found; feeds may no longer list it."""
        self.next_visits.remember(pending[Role.ARTICLE], frontier)
        requests = [*await self._listings(pending[Role.LISTING], frontier)]
        requests += self._sources(pending[Role.SOURCE], frontier)
        await self.next_visits.claim(frontier)
        return [*requests, *self.next_visits.requests(frontier)]

    async def _listings(self, entries: Iterable[Entry], frontier: Frontier) -> list[Request]:
        if not frontier.uses("links"):
            return []
        wanted = [each for each in entries if frontier.wants(each.url) and frontier.claim(each.url)]
        claimed = await self.ledger.claim([each.url for each in wanted])
        return [
            self.make.listing(each.url, frontier.site, each.depth)
            for each in wanted
            if each.url in claimed and frontier.count_page()
        ]

    def _sources(self, entries: Iterable[Entry], frontier: Frontier) -> Iterator[Request]:
        for entry in entries:
            if entry.found_in == "feed" and frontier.uses("feeds") and frontier.sources.open(entry.url):
                yield self.make.source("feeds", entry.url, frontier.site)
            elif entry.found_in != "feed" and frontier.uses("sitemaps"):
                frontier.sources.add_sitemaps([SitemapLink(entry.url, entry.listed)], frontier.since)
        yield from self.next_visits.sitemaps(frontier)
