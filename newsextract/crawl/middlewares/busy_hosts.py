"""Hosts that ask us to slow down: their `Retry-After` is obeyed, and each 429 makes the delay between requests longer.

A host that asks for more than an hour in a run is left to the next one.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.http.request import NO_CALLBACK
from twisted.python.failure import Failure

from newsextract.crawl.extensions.progress import Progress
from newsextract.crawl.middlewares.left_hosts import HostIsBusy
from newsextract.crawl.resting_queue import rest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

TOO_MANY_REQUESTS, UNAVAILABLE = 429, 503

LONGEST_REST_SECONDS = 3600.0
"""Seconds that a host may rest in one run, in total."""

FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 1.0, 60.0
"""Seconds between two requests after the first 429, and at most; a Crawl-delay may ask for more."""

LONGEST_WAIT_FOR_RULES = 30.0
"""Seconds to wait for a robots.txt: until it arrives, the host's pages occupy the places of other requests."""

MAX_SECONDS = 86400.0
"""A host that asks for more is mistaken and is retried after a day; otherwise it would not be due for weeks."""


class _HostRests(Exception):  # noqa: N818 - a state of the host
    """The request waits until its host has rested."""


@dataclass
class BusyHost:
    """The waits that a host has asked for in this run."""

    refusals: int = 0
    """429 and 503 responses that asked to wait or slow down."""
    rested: float = 0.0
    """Seconds of rest, including those still to come."""
    rests_until: float = 0.0
    """By the monotonic clock."""
    delay: float = 0.0
    """Seconds between two requests, if it was slowed down."""
    slowed_at: float = 0.0
    """By the monotonic clock."""
    is_left: bool = False
    left_until: datetime | None = None


class BusyHosts:
    """Rests, slows down and leaves hosts by their answers; the key of a host is its download slot."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.hosts: dict[str, BusyHost] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to responses as they arrive: a middleware would see them only after the next request was sent."""
        self = cls(crawler)
        crawler.signals.connect(self.response_downloaded, signal=signals.response_downloaded)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def process_request(self, request: Request) -> Request | None:
        """Refuse requests to a host that was left; put requests to a resting host back into the queue."""
        key = self.crawler.engine.downloader.get_slot_key(request)
        host = self.hosts.get(key)
        if host is not None and host.is_left:
            raise self._refusal(key, host)
        if host is None or host.rests_until <= monotonic() or _is_awaited(request):
            return None
        return request.replace(dont_filter=True)

    def process_exception(self, request: Request, exception: Exception) -> Request | None:
        """Put requests that were in the downloader when their host began to rest back into the queue."""
        return request.replace(dont_filter=True) if isinstance(exception, _HostRests) else None

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Rest, slow down or leave the host as the response asks."""
        if response.status not in (TOO_MANY_REQUESTS, UNAVAILABLE):
            return
        key = request.meta["download_slot"]
        slot = self.crawler.engine.downloader.slots[key]
        host = self.hosts.setdefault(key, BusyHost())
        seconds = asked_seconds(response.headers.get("Retry-After"), datetime.now(UTC))
        host.refusals += 1
        if response.status == TOO_MANY_REQUESTS:
            self._slow_down(key, host, slot, request)
        if seconds:
            self._rest(key, host, slot, seconds)
        if seconds > LONGEST_WAIT_FOR_RULES and request.meta.get("dont_obey_robotstxt"):
            request.meta["dont_retry"] = True

    def spider_closed(self) -> None:
        """Log what the hosts have asked for."""
        progress = self.crawler.get_extension(Progress)
        for line in self.lines():
            logger.warning("%s", line)
            if progress is not None:
                progress.console.print(line, soft_wrap=True, highlight=False, markup=False)

    @property
    def left(self) -> dict[str, datetime | None]:
        """The hosts that were left, with the time that they named, or `None`."""
        return {key: host.left_until for key, host in self.hosts.items() if host.is_left}

    def lines(self) -> Iterator[str]:
        """Yield a line for each host that has asked for something."""
        for key, host in self.hosts.items():
            parts = [f"rested {host.rested:.0f} s"] if host.rested else []
            parts += [f"slowed to {host.delay:g} s between requests"] if host.delay else []
            parts += [f"left to the next run{_at(host.left_until)}"] if host.is_left else []
            if parts:
                yield f"{key} asked for fewer requests {host.refusals} times: {', '.join(parts)}"

    def _slow_down(self, key: str, host: BusyHost, slot: Slot, request: Request) -> None:
        sent = monotonic() - request.meta.get("download_latency", 0.0)
        if sent < host.slowed_at:
            return  # on its way before the host was slowed down
        if host.delay >= LONGEST_DELAY_SECONDS:
            self._leave(key, host, slot, None)
            return
        slower = min(max(slot.delay * 2, FIRST_DELAY_SECONDS), LONGEST_DELAY_SECONDS)
        host.delay, host.slowed_at = max(slower, slot.delay), monotonic()
        slot.delay, slot.jitter = host.delay, 0.0
        by_slot = self.crawler.engine.downloader.per_slot_settings
        by_slot[key] = {**by_slot.get(key, {}), "delay": host.delay, "jitter": 0.0}
        self._count("slowed")
        logger.warning("%s answers 429: %g s between requests from now on", key, host.delay)

    def _rest(self, key: str, host: BusyHost, slot: Slot, seconds: float) -> None:
        now = monotonic()
        more = now + seconds - max(host.rests_until, now)
        if more <= 0 or host.is_left:
            return  # it rests for longer already
        if host.rested + more > LONGEST_REST_SECONDS:
            self._leave(key, host, slot, datetime.now(UTC) + timedelta(seconds=seconds))
            return
        host.rested, host.rests_until = host.rested + more, now + seconds
        _send_back(slot, _HostRests())
        rest(self.crawler.engine.downloader, slot, seconds)
        self._count("rests")
        logger.warning("%s asks to wait %.0f s, and is left alone for so long", key, seconds)

    def _leave(self, key: str, host: BusyHost, slot: Slot, until: datetime | None) -> None:
        host.is_left, host.left_until = True, until
        _send_back(slot, self._refusal(key, host), is_for_good=True)
        self._count("left")
        logger.warning("%s is left to the next run%s", key, _at(until))

    def _refusal(self, key: str, host: BusyHost) -> HostIsBusy:
        return HostIsBusy(f"{key} has asked for fewer requests and is left to the next run", host.left_until)

    def _count(self, what: str) -> None:
        stats: Any = self.crawler.stats
        stats.inc_value(f"newsextract/busy_hosts/{what}")


def _is_awaited(request: Request) -> bool:
    """Return whether a caller awaits the response and would only send the request again."""
    return request.callback is NO_CALLBACK


def _send_back(slot: Slot, why: Exception, *, is_for_good: bool = False) -> None:
    """Empty the queue of a slot, where requests occupy the places of other hosts."""
    waiting = list(slot.queue)
    slot.queue.clear()
    for request, answer in waiting:
        if _is_awaited(request) and not is_for_good:
            slot.queue.append((request, answer))
        else:
            answer.errback(Failure(why))  # type: ignore[no-untyped-call] # Twisted's


def asked_seconds(header: bytes | None, now: datetime) -> float:
    """Return the seconds that a `Retry-After` asks for, as a number or a date; 0 if it is missing or invalid.

    >>> noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    >>> [asked_seconds(text, noon) for text in (b"120", b"Sun, 01 Mar 2026 12:01:30 GMT", b"-5", b"soon", None)]
    [120.0, 90.0, 0.0, 0.0, 0.0]
    >>> asked_seconds(b"864000", noon) == asked_seconds(b"9" * 400, noon) == MAX_SECONDS
    True
    """
    text = (header or b"").decode("latin-1").strip()
    try:
        seconds = float(text) if text.isdigit() else (parsedate_to_datetime(text) - now).total_seconds()
    except (ValueError, TypeError, OverflowError):  # not a date, or a date without a time zone
        return 0.0
    return min(max(seconds, 0.0), MAX_SECONDS)


def _at(until: datetime | None) -> str:
    return f", from {until:%Y-%m-%d %H:%M} UTC on" if until else ""
