"""Scrapy's downloader, which looks at the lease of a host again in the moment when it sends a request.

Requests wait in the downloader for the delay of their host. If the run stood still meanwhile for longer than its leases
hold, another one visits the host by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader import Downloader

from newsextract.crawl.extensions.host_gate import HostGate
from newsextract.crawl.middlewares.leased_hosts import LeasedHosts
from newsextract.crawl.middlewares.left_hosts import LeaseLost

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.http import Response


class LeasedDownloader(Downloader):
    """Sends requests to leased hosts and sites only; raises `LeaseLost` for others, which `LeasedHosts` sends back."""

    async def _download(self, slot: Slot, request: Request) -> Response:
        gate = self.crawler.get_extension(HostGate)
        if gate is not None and not gate.is_open(self.get_slot_key(request)):
            raise LeaseLost
        # The host may be this run's again, while another has gone on with the site.
        refusing = self.crawler.get_downloader_middleware(LeasedHosts)
        if refusing is not None and refusing.is_given_back(request):
            raise LeaseLost
        return await super()._download(slot, request)
