"""robots.txt by RFC 9309: rules are read, missing (everything is allowed), or not known (nothing is)."""

from __future__ import annotations

import logging
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, exceptions, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.misc import build_from_crawler
from twisted.internet.defer import Deferred

from newsextract.crawl.outcome import UNREACHABLE, LeftToNextRun, RobotsUnknown
from newsextract.crawl.sessions import Subscriptions
from newsextract.sites.robots import MAX_DOWNLOADED_BYTES, rules_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser


class BoundedRobotParser(ProtegoRobotParser):
    """Scrapy's parser, for the first half megabyte: of a gigabyte it would parse all, for hours."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, robotstxt_body: bytes) -> Self:
        """Parse the file up to the last whole line within the limit."""
        rules = rules_of(robotstxt_body)
        stats: Any = getattr(crawler, "stats", None)
        if rules is not robotstxt_body and stats is not None:
            stats.inc_value("newsextract/robots/truncated")
        return super().from_crawler(crawler, rules)


logger = logging.getLogger(__name__)

MAX_REDIRECTS = 5
"""Redirects followed. RFC 9309 asks for five; a file behind more counts as missing."""


class RobotsRules(RobotsTxtMiddleware):
    """Scrapy's middleware, made stricter: it does not fetch pages while the rules are unknown."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._stats: Any = crawler.stats
        self._rules: dict[str, RobotParser | str] = {}
        """By host and port: the rules, or why they are not known."""
        self._waiting: dict[str, list[Deferred[None]]] = {}

    async def robot_parser(self, request: Request) -> RobotParser:
        """Return the rules for a request; raises `RobotsUnknown`."""
        host = urlsplit(request.url).netloc
        while host in self._waiting:
            waiter: Deferred[None] = Deferred()
            self._waiting[host].append(waiter)
            await maybe_deferred_to_future(waiter)
        if host not in self._rules:
            self._waiting[host] = []
            try:
                self._rules[host] = await self._ask(request)
            finally:  # if it fails, waiting requests must still go on
                for waiter in self._waiting.pop(host):
                    waiter.callback(None)
        rules = self._rules[host]
        if isinstance(rules, str):
            raise RobotsUnknown(host, rules)
        return rules

    def process_request_2(self, rp: RobotParser | None, request: Request) -> None:
        """Judge the request by the user agent that it will be sent with, which a site may have of its own."""
        subscriptions = self.crawler.get_extension(Subscriptions)
        own = subscriptions.subscription_of(request.url) if subscriptions else None
        agent = own.headers_for(request.url).get("User-Agent") if own is not None else None
        judged = request.replace(headers={**request.headers, "User-Agent": agent}) if agent else request
        super().process_request_2(rp, judged)

    def forbids(self, url: str, user_agent: bytes) -> bool:
        """Return whether the rules that are known by now forbid a URL; nothing is fetched for the answer."""
        rules = self._rules.get(urlsplit(url).netloc)
        agent = self._robotstxt_useragent or user_agent or self._default_useragent
        return isinstance(rules, str) or (rules is not None and not rules.allowed(url, agent))

    async def _ask(self, request: Request) -> RobotParser | str:
        """Fetch and read the file of a request's host; return a short reason if the rules are not known."""
        asked = _robots_request(request)
        self._stats.inc_value("robotstxt/request_count")
        reason, body = "", b""
        try:
            response = await self.crawler.engine.download_async(asked)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the page with it
            self._stats.inc_value(f"robotstxt/exception_count/{type(error)}")
            reason = self._reason_of(error, asked)
        else:
            self._count_delay_from_now(response.request or asked)
            reason, body = self._read(response)
        if reason:
            self._stats.inc_value("newsextract/robots/unknown")
            logger.warning("%s: %s; nothing is fetched from this host in this run", asked.url, reason)
            return reason
        rules: RobotParser = build_from_crawler(self._parserimpl, self.crawler, body)
        await self.crawler.signals.send_catch_log_async(signals.robots_parsed, robotparser=rules, request=request)
        return rules

    def _count_delay_from_now(self, asked: Request) -> None:
        """Let the first page wait a whole delay from the answer.

        The first request to a host has to find its address and connect, and arrives later than it was sent by the
        downloader's count. The page follows on the open connection at once, and came too early by that time.
        """
        downloader = self.crawler.engine.downloader
        if slot := downloader.slots.get(downloader.get_slot_key(asked)):
            slot.lastseen = max(slot.lastseen, monotonic())

    def _reason_of(self, error: Exception, asked: Request) -> str:
        """Return why the rules are not known; an empty string if the file counts as missing."""
        if isinstance(error, LeftToNextRun):
            return "robots.txt: the host asks to wait"
        if isinstance(error, exceptions.DownloadCancelledError):
            self._stats.inc_value("newsextract/robots/too large")
            logger.warning("%s is larger than %s bytes and is not read", asked.url, f"{MAX_DOWNLOADED_BYTES:,}")
            return ""
        reason = next((reason for kind, reason in UNREACHABLE.items() if isinstance(error, kind)), "")
        # Any other error counts as a missing file.
        if not reason and not isinstance(error, exceptions.IgnoreRequest):
            logger.warning("%s cannot be read, which allows everything: %s", asked.url, error)
        return reason

    def _read(self, response: Response) -> tuple[str, bytes]:
        """Return why the rules are not known (or an empty string) and the file (empty if missing)."""
        self._stats.inc_value("robotstxt/response_count")
        self._stats.inc_value(f"robotstxt/response_status_count/{response.status}")
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
    return Request(url, priority=RobotsTxtMiddleware.DOWNLOAD_PRIORITY, meta=meta, callback=NO_CALLBACK)
