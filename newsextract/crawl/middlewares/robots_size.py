"""Parses as much of a robots.txt as RFC 9309 asks for: Scrapy would parse a gigabyte, for hours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.robotstxt import ProtegoRobotParser

from newsextract.sites.robots import rules_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class BoundedRobotParser(ProtegoRobotParser):
    """Scrapy's parser, for the first half megabyte."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Parse the file up to the last whole line within the limit."""
        rules = rules_of(robotstxt_body)
        stats: Any = getattr(crawler, "stats", None)
        if rules is not robotstxt_body and stats is not None:
            stats.inc_value("newsextract/robots/truncated")
        return super().from_crawler(crawler, rules)
