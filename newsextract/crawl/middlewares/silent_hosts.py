"""Hosts that do not answer: after some failures in a row the rest of their pages is left to the next run.

A site that is down would otherwise cost every one of its thousand addresses a time-out and all retries. Each site's own
requests count, and silence the host for that site alone: another site can name addresses that hang, as its feeds.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from scrapy import exceptions

from newsextract.crawl.middlewares.left_hosts import HostIsSilent
from newsextract.crawl.visit import find_visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

MOST_FAILURES = 5
"""Failures in a row, without retries: one page may hang, but five in a row mean that the host is down."""

_SILENT = (
    exceptions.CannotResolveHostError, exceptions.DownloadConnectionRefusedError, exceptions.DownloadTimeoutError,
    exceptions.DownloadFailedError,
)  # fmt: skip


class SilentHosts:
    """Counts failures per site, scheme, host and port, and sends no more requests after too many."""

    def __init__(self, stats: StatsCollector) -> None:
        self.stats = stats
        self.failures: Counter[tuple[str, str]] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Count in the stats of the crawl."""
        assert crawler.stats is not None  # noqa: S101 - Scrapy makes them before the middlewares
        return cls(crawler.stats)

    def process_request(self, request: Request) -> None:
        """Refuse requests to a silent host; requests of other people's spiders pass."""
        visit = find_visit(request)
        if visit is not None and self.failures[visit.site, _host_of(request)] >= MOST_FAILURES:
            self.stats.inc_value("newsextract/silent_hosts/requests")
            raise HostIsSilent(f"{_host_of(request)} does not answer: {request.url} is left to the next run")

    def process_response(self, request: Request, response: Response) -> Response:
        """Record that a host answers."""
        if visit := find_visit(request):
            self.failures.pop((visit.site, _host_of(request)), None)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a failure that no retry could help; a name that does not exist is enough by itself."""
        visit = find_visit(request)
        if visit is None or not isinstance(exception, _SILENT):
            return
        host = _host_of(request)
        is_unknown = isinstance(exception, exceptions.CannotResolveHostError)
        before = self.failures[visit.site, host]
        self.failures[visit.site, host] = MOST_FAILURES if is_unknown else before + 1
        if before < MOST_FAILURES <= self.failures[visit.site, host]:
            self.stats.inc_value("newsextract/silent_hosts")
            logger.warning("%s does not answer: the rest of it is left to the next run", host)


def _host_of(request: Request) -> str:
    parts = urlsplit(request.url)
    return f"{parts.scheme}://{parts.netloc}"
