"""Parses as much of a robots.txt as RFC 9309 asks for: Scrapy would parse a gigabyte, for hours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.robotstxt import ProtegoRobotParser

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MAX_PARSED_BYTES = 512 * 1024
"""RFC 9309 asks crawlers to parse at least 500 KiB; the rest is ignored, as search engines do."""

MAX_DOWNLOADED_BYTES = 5 * 1024 * 1024
"""Bytes after decompression. A larger file is not a real robots.txt, and counts as missing."""


class BoundedRobotParser(ProtegoRobotParser):
    """Scrapy's parser, for the first half megabyte."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Parse the file up to the last whole line within the limit."""
        if len(robotstxt_body) > MAX_PARSED_BYTES:
            robotstxt_body = robotstxt_body[:MAX_PARSED_BYTES].rpartition(b"\n")[0]
            stats: Any = getattr(crawler, "stats", None)
            if stats is not None:
                stats.inc_value("newsextract/robots/truncated")
        return super().from_crawler(crawler, robotstxt_body)
