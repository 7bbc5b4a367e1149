"""Applies the delay and the concurrency that the list of sites sets for a site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.spider_arguments import sites_of
from newsextract.crawl.visit import find_visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from newsextract.sites.site import Limits


class SiteManners:
    """Gives the download slots of a site's hosts its own settings, before the first request to each.

    A Crawl-delay in robots.txt comes later, and can only slow the slot down further.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settled: set[str] = set()
        self.limits: dict[str, Limits] = {site.name: site.limits for site in sites_of(crawler.spider)}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to the start of the spider, and to requests for hosts that are found later."""
        self = cls(crawler)
        if not any(map(slot_settings, self.limits.values())):
            raise NotConfigured
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.request_scheduled, signal=signals.request_scheduled)
        return self

    def spider_opened(self) -> None:
        """Configure the slots of the start pages' hosts."""
        for site in sites_of(self.crawler.spider):
            for slot in site.slots:
                self._settle(slot, site.limits)

    def request_scheduled(self, request: Request) -> None:
        """Configure the slot of a new host, such as a subdomain."""
        slot, visit = request.meta.get("download_slot"), find_visit(request)
        if slot and visit and (limits := self.limits.get(visit.site)):
            self._settle(slot, limits)

    def _settle(self, slot: str, limits: Limits) -> None:
        if slot in self.settled:
            return
        self.settled.add(slot)
        if own := slot_settings(limits):
            by_slot = self.crawler.engine.downloader.per_slot_settings
            by_slot[slot] = {**by_slot.get(slot, {}), **own}


def slot_settings(limits: Limits) -> dict[str, Any]:
    """Return the settings of a download slot by Scrapy's names; an empty dict if a site sets none.

    >>> from newsextract.sites.site import Limits
    >>> slot_settings(Limits(delay=1.5)), slot_settings(Limits(articles=3))
    ({'delay': 1.5}, {})
    """
    named = {"delay": limits.delay, "concurrency": limits.concurrency}
    return {name: value for name, value in named.items() if value is not None}
