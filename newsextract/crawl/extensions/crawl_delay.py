"""Applies the Crawl-delay of robots.txt, which Scrapy parses but does not apply."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.robotstxt import RobotParser

logger = logging.getLogger(__name__)

LONG_SECONDS = 30
"""A delay above this is obeyed too, but logged: the site will take hours."""


class CrawlDelay:
    """Raises the delay of a host's download slot to what its robots.txt asks for; never lowers it."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.user_agent = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to parsed robots.txt files."""
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured  # robots.txt is not fetched then
        self = cls(crawler)
        crawler.signals.connect(self.robots_parsed, signal=signals.robots_parsed)
        return self

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Set the delay of the host's slot."""
        asked = robotparser.crawl_delay(self.user_agent) or 0.0
        if not math.isfinite(asked):
            return  # Python parses "inf" as a number, but such a wait would never end
        downloader = self.crawler.engine.downloader
        key = downloader.get_slot_key(request)
        known = downloader.per_slot_settings.get(key, {})
        if asked <= known.get("delay", self.crawler.settings.getfloat("DOWNLOAD_DELAY")):
            return
        # Jitter could make the delay shorter than the host asked for.
        downloader.per_slot_settings[key] = {**known, "delay": asked, "jitter": 0.0}
        if slot := downloader.slots.get(key):
            slot.delay, slot.jitter = asked, 0.0
        self.crawler.stats.inc_value("newsextract/crawl_delays")
        log = logger.warning if asked > LONG_SECONDS else logger.info
        log("%s asks for %g s between requests", key, asked)
