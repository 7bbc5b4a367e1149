"""Refuses the requests of sites that another run visits now, and holds those that would go to a host of another run.

The queue hands out no request to a host that is not leased; this is for those that do not come from it, such as for
robots.txt, and for sites that were given back while their requests were waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from newsextract.crawl.extensions.host_gate import HostGate
from newsextract.crawl.middlewares.left_hosts import LeaseLost, LeftToOthers
from newsextract.crawl.visit import find_visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

LOOK_SECONDS = 0.1
"""Seconds between two looks at a host that another run holds."""

LONGEST_WAIT_SECONDS = 600.0
"""After that, the request is left to the next run: the other one needs the host for all its pages."""


class LeasedHosts:
    """Lets pass what goes to hosts and sites that this run has leased."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.sites_given_back: set[str] = set()
        """The sites of this crawl that it does not visit now; the spider keeps it up to date."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the middleware of a crawl."""
        return cls(crawler)

    def is_given_back(self, request: Request) -> bool:
        """Return whether a request is for a site that this run does not visit now."""
        visit = find_visit(request)
        return visit is not None and visit.site in self.sites_given_back

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Put a request back into the queue whose host was lost while it waited in the downloader."""
        return request.replace(dont_filter=True) if isinstance(exception, LeaseLost) else None

    async def process_request(self, request: Request) -> None:
        """Raise `LeftToOthers` for a request of another run's site; wait for the host of any other."""
        if self.is_given_back(request):
            raise LeftToOthers(f"another run visits its site: {request.url} is left to it")
        gate = self.crawler.get_extension(HostGate)
        if gate is None:
            return
        host, waited = self.crawler.engine.downloader.get_slot_key(request), 0.0
        while not gate.is_open(host):
            if waited > LONGEST_WAIT_SECONDS:
                raise LeftToOthers(f"another run visits {host}: {request.url} is left to the next one")
            pause: Deferred[None] = Deferred()
            call_later(LOOK_SECONDS, pause.callback, None)
            await maybe_deferred_to_future(pause)
            waited += LOOK_SECONDS
