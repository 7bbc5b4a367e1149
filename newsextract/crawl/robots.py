"""robots.txt by RFC 9309: rules are read, missing (everything is allowed), or not known (nothing is)."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, exceptions
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.misc import build_from_crawler, load_object

from newsextract.crawl.outcome import LeftToNextRun, NotSent, RobotsUnknown, Stopped, why_unreached
from newsextract.crawl.scrapy_versions import ROBOTS_PARSED, Cancelled, download, send, slot_time
from newsextract.crawl.sessions import Subscriptions
from newsextract.sites.robots import MAX_DOWNLOADED_BYTES, rules_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser


logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5
"""Redirects followed. RFC 9309 asks for five; a file behind more counts as missing."""


class RobotsRules:
    """In place of Scrapy's middleware, and stricter: it does not fetch pages while the rules are unknown."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats: Any = crawler.stats
        self.rules: dict[str, RobotParser | str] = {}
        """By host and port: the rules, or why they are not known."""
        self.asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the setting; raises `NotConfigured` if robots.txt is not obeyed."""
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise exceptions.NotConfigured
        return cls(crawler)

    async def process_request(self, request: Request, **_: Any) -> None:
        """Refuse what the rules forbid the user agent of the request; raises `RobotsUnknown` if they are not known."""
        if request.meta.get("dont_obey_robotstxt"):
            return
        host = urlsplit(request.url).netloc
        async with self.asking[host]:
            if host not in self.rules:
                self.rules[host] = await self._ask(request)
        rules = self.rules[host]
        if isinstance(rules, str):
            raise RobotsUnknown(host, rules)
        # The one that it will be sent with: a site may have one of its own.
        subscriptions = self.crawler.get_extension(Subscriptions)
        session = subscriptions.of_url(request.url) if subscriptions else None
        agent = session.own.headers_for(request.url).get("User-Agent") if session else None
        if self.forbids(request.url, agent or request.headers.get("User-Agent")):
            self.stats.inc_value("robotstxt/forbidden")
            raise exceptions.IgnoreRequest("Forbidden by robots.txt")

    def forbids(self, url: str, user_agent: str | bytes | None) -> bool:
        """Return whether the rules that are known by now forbid a URL; nothing is fetched for the answer."""
        rules = self.rules.get(urlsplit(url).netloc)
        settings = self.crawler.settings
        agent = settings["ROBOTSTXT_USER_AGENT"] or user_agent or settings["USER_AGENT"]
        return isinstance(rules, str) or (rules is not None and not rules.allowed(url, agent))

    async def _ask(self, request: Request) -> RobotParser | str:
        """Fetch and read the file of a request's host; return a short reason if the rules are not known."""
        asked = _robots_request(request)
        self.stats.inc_value("robotstxt/request_count")
        reason, body = "", b""
        try:
            response = await download(self.crawler, asked)
        except (NotSent, Stopped):
            raise  # the next request asks again, or the next run
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the page with it
            self.stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            reason = self._reason_of(error, asked)
        else:
            self._count_delay_from_now(response.request or asked)
            reason, body = self._read(response)
        if reason:
            self.stats.inc_value("newsextract/robots/unknown")
            logger.info("%s: %s; nothing is fetched from this host in this run", asked.url, reason)
            return reason
        if (some := rules_of(body)) is not body:  # of a gigabyte, the parser would read all, for hours
            self.stats.inc_value("newsextract/robots/truncated")
        parser = load_object(self.crawler.settings["ROBOTSTXT_PARSER"])
        rules: RobotParser = build_from_crawler(parser, self.crawler, some)
        await send(self.crawler, ROBOTS_PARSED, robotparser=rules, request=request, body=some)
        return rules

    def _count_delay_from_now(self, asked: Request) -> None:
        """Let the first page wait a whole delay from the answer.

        The first request to a host has to find its address and connect, and arrives later than it was sent by the
        downloader's count. The page follows on the open connection at once, and came too early by that time.
        """
        downloader = self.crawler.engine.downloader
        if slot := downloader.slots.get(downloader.get_slot_key(asked)):
            slot.lastseen = max(slot.lastseen, slot_time())

    def _reason_of(self, error: Exception, asked: Request) -> str:
        """Return why the rules are not known; an empty string if the file counts as missing."""
        if isinstance(error, LeftToNextRun):
            return "robots.txt: the host asks to wait"
        if isinstance(error, Cancelled):
            self.stats.inc_value("newsextract/robots/too large")
            logger.warning("%s is larger than %s bytes and is not read", asked.url, f"{MAX_DOWNLOADED_BYTES:,}")
            return ""
        reason = why_unreached(error, asked)
        # Any other error counts as a missing file.
        if not reason and not isinstance(error, exceptions.IgnoreRequest):
            logger.warning("%s cannot be read, which allows everything: %s", asked.url, error)
        return reason

    def _read(self, response: Response) -> tuple[str, bytes]:
        """Return why the rules are not known (or an empty string) and the file (empty if missing)."""
        self.stats.inc_value("robotstxt/response_count")
        self.stats.inc_value(f"robotstxt/response_status_count/{response.status}")
        if response.status >= 500:
            return f"robots.txt: http {response.status}", b""
        return "", response.body if 200 <= response.status < 300 else b""


def _robots_request(request: Request) -> Request:
    parts = urlsplit(request.url)
    meta = {
        "dont_obey_robotstxt": True,
        # Also where a site keeps its feed, and wherever the file has moved to.
        "allow_offsite": True,
        "redirect_ttl": MAX_REDIRECTS,
        "download_maxsize": MAX_DOWNLOADED_BYTES,
    }
    if slot := request.meta.get("download_slot"):
        # A host that asks to wait means requests for robots.txt too.
        meta["download_slot"] = slot
    url = f"{parts.scheme}://{parts.netloc}/robots.txt"
    return Request(url, meta=meta, callback=NO_CALLBACK)
