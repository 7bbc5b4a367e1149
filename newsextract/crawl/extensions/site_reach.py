"""Records which sites could be reached: a site that answered no request has not been visited."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from newsextract.crawl.visit import find_visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

UNREACHED = "newsextract/sites/unreached"
"""The stat that counts the sites that could not be reached; the exit code depends on it."""

_NO_ANSWERS = frozenset((408, 425, 429))
"""Statuses that do not count as an answer; neither do 500 and above."""


class SiteReach:
    """Records which sites were sent a request, and which have answered."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.asked: set[str] = set()
        self.reached: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to requests and responses."""
        self = cls(crawler)
        crawler.signals.connect(self.request_scheduled, signal=signals.request_scheduled)
        crawler.signals.connect(self.response_received, signal=signals.response_received)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    @property
    def unreached(self) -> set[str]:
        """The sites that were sent requests and answered none."""
        return self.asked - self.reached

    def request_scheduled(self, request: Request) -> None:
        """Record that a site was sent a request."""
        if visit := find_visit(request):
            self.asked.add(visit.site)

    def response_received(self, response: Response, request: Request) -> None:
        """Record that a site has answered."""
        visit = find_visit(request)
        if visit and response.status < 500 and response.status not in _NO_ANSWERS:
            self.reached.add(visit.site)

    def spider_closed(self) -> None:
        """Count the sites that could not be reached."""
        stats: Any = self.crawler.stats
        stats.set_value(UNREACHED, len(self.unreached))
