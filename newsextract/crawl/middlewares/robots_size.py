"""Reads as much of a robots.txt as RFC 9309 asks for: Scrapy would take a gigabyte, and spend a night on parsing it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy.exceptions import DownloadCancelledError
from scrapy.robotstxt import ProtegoRobotParser

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MAX_PARSED_BYTES = 512 * 1024
"""RFC 9309 has crawlers parse at least 500 KiB; the rest is left out, as search engines do."""

MAX_DOWNLOADED_BYTES = 5 * 1024 * 1024
"""Unpacked. A file of more is none for robots, and counts as one that could not be fetched."""


class BoundedRobotParser(ProtegoRobotParser):
    """Scrapy's parser, for the first half megabyte."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Parse the file up to the last line that is whole."""
        if len(robotstxt_body) > MAX_PARSED_BYTES:
            robotstxt_body = robotstxt_body[:MAX_PARSED_BYTES].rpartition(b"\n")[0]
            _count(crawler, "newsextract/robots/truncated")
        return super().from_crawler(crawler, robotstxt_body)


class RobotsSizeMiddleware:
    """Bounds the download of robots.txt, which Scrapy asks for itself."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Build it."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Give the request its limit."""
        if _is_robots(request):
            request.meta.setdefault("download_maxsize", MAX_DOWNLOADED_BYTES)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Count a file that was larger."""
        if _is_robots(request) and isinstance(exception, DownloadCancelledError):
            _count(self.crawler, "newsextract/robots/too large")
            logger.warning("%s is larger than %s bytes and is not read", request.url, f"{MAX_DOWNLOADED_BYTES:,}")


def _is_robots(request: Request) -> bool:
    return bool(request.meta.get("dont_obey_robotstxt")) and urlsplit(request.url).path == "/robots.txt"


def _count(crawler: Crawler, name: str) -> None:
    stats: Any = getattr(crawler, "stats", None)
    if stats is not None:
        stats.inc_value(name)
