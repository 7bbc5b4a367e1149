"""One component owns the pace of each host: its delay, its rest after 429 and 503, and when it is left to the next run.

A host is a download slot: a name, with its port. Its delay is the longest of what applies: `delay` of the sites that
name it, else DOWNLOAD_DELAY; the Crawl-delay of its robots.txt; and what its 429 responses have led to. So no host gets
requests faster than its rate, however many sites name it.
"""

from __future__ import annotations

import asyncio
import logging
import math
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from time import monotonic
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import exceptions, signals
from scrapy.http.request import NO_CALLBACK
from twisted.internet.error import ConnectBindError
from twisted.internet.interfaces import IReactorFDSet, ITCPTransport
from twisted.internet.task import LoopingCall
from twisted.python.failure import Failure
from twisted.web.client import HTTPConnectionPool

from newsextract.crawl.outcome import HostIsBusy, HostIsSilent, HostRests, NotSent, Stopped
from newsextract.crawl.requests import find_visit
from newsextract.crawl.scrapy_versions import ROBOTS_PARSED, STEADY, UNREACHABLE, HostNotFound, slot_time
from newsextract.crawl.spider_arguments import sites_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser


logger = logging.getLogger(__name__)

TOO_MANY_REQUESTS, UNAVAILABLE = 429, 503

LONGEST_REST_SECONDS = 3600.0
"""Seconds that a host may rest in one run, in total; one that asks for more is left to the next run."""

FIRST_DELAY_SECONDS, LONGEST_DELAY_SECONDS = 1.0, 60.0
"""Seconds between two requests after the first 429, and at most; a Crawl-delay may ask for more."""

LONGEST_WAIT_FOR_RULES = 30.0
"""Seconds to wait for a robots.txt: until it arrives, the host's pages occupy the places of other requests."""

LONG_CRAWL_DELAY = 30
"""A Crawl-delay above this is obeyed too, but logged: the site will take hours."""

MAX_SECONDS = 86400.0
"""A host that asks for more is mistaken and is retried after a day; otherwise it would not be due for weeks."""

LOOK_SECONDS = 0.1
"""Seconds between two looks at whether the crawl was stopped, for which Scrapy has no signal."""

PATIENT_SECONDS = 2.0
"""Seconds that servers have for the answers that are under way when the crawl is stopped."""

MOST_FAILURES = 5
"""Failures in a row, without retries: one page may hang, but five in a row mean that the host is down."""


@dataclass
class Host:
    """What a host has asked for in this run, and what sites ask for it."""

    usual: dict[str, Any]
    """The settings of its download slot in DOWNLOAD_SLOTS."""
    sites: set[str] = field(default_factory=set)
    """The sites whose limits were applied."""
    listed: float | None = None
    """The longest `delay` of these sites; `None` if none has one."""
    concurrency: int | None = None
    """The least `concurrency` of these sites."""
    crawl_delay: float = 0.0
    slowed: float = 0.0
    """Seconds between two requests since it has answered 429."""
    slowed_at: float = 0.0
    """By the monotonic clock, as `rests_until`."""
    refusals: int = 0
    """429 and 503 responses."""
    rested: float = 0.0
    """Seconds of rest, including those still to come."""
    rests_until: float = 0.0
    waiting: list[Request] = field(default_factory=list)
    """Requests that are sent when the host has rested."""
    is_left: bool = False
    left_until: datetime | None = None

    def pace(self, default: float) -> dict[str, Any]:
        """Return the settings of its download slot by Scrapy's names."""
        usual = self.usual.get("delay", default) if self.listed is None else self.listed
        asked = max(self.crawl_delay, self.slowed)
        # Jitter could make the delay shorter than the host asked for.
        found = {"delay": asked, **STEADY} if asked and asked >= usual else {"delay": usual}
        return found if self.concurrency is None else {**found, "concurrency": self.concurrency}


class Throttle:
    """Slows down, rests and leaves hosts; sits behind robots.txt, so that what waited for that meets a host at rest.

    A request to a host at rest fails with `HostRests`, and is sent anew when the host has rested: in the downloader, it
    would occupy the place of requests to other hosts.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.stats: Any = crawler.stats
        self.limits = {site.name: site.limits for site in sites_of(crawler.spider)}
        self.hosts: dict[str, Host] = {}
        bound_idle_connections()
        self.stopped_at: float | None = None
        """When it was noticed that the crawl was stopped, by the monotonic clock."""
        self.cuts: list[Callable[[], None]] = [cut_all]
        """What ends the work that is still under way some time after the crawl was stopped."""
        self.look = LoopingCall(self._stop_when_stopped)
        self.failures: Counter[tuple[str, str]] = Counter()
        """Failures in a row by site and host: a site's feed can name hosts that hang, which other sites still reach."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Listen to responses as they arrive: a middleware would see them only after the next request was sent."""
        self = cls(crawler)
        crawler.signals.connect(self.response_downloaded, signal=signals.response_downloaded)
        crawler.signals.connect(self.robots_parsed, signal=ROBOTS_PARSED)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        crawler.signals.connect(self.spider_idle, signal=signals.spider_idle)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def spider_opened(self) -> None:
        """Begin to look for a stop."""
        self.look.start(LOOK_SECONDS, now=False)

    def spider_closed(self) -> None:
        """End that."""
        if self.look.running:
            self.look.stop()

    def process_request(self, request: Request, **_: Any) -> None:
        """Refuse requests to hosts that are silent, at rest or left, and all once the crawl was stopped."""
        if self.stopped_at is not None:
            raise Stopped(f"the crawl was stopped: {request.url} is left to the next run")
        if request.meta.get("redirect_times"):  # it waits for the delay of the host that it has come to
            request.meta["download_slot"] = urlsplit(request.url).netloc
        visit = find_visit(request)
        if visit is not None and self.failures[visit.site, _server_of(request)] >= MOST_FAILURES:
            self._count("silent_hosts/requests")
            raise HostIsSilent(f"{_server_of(request)} does not answer: {request.url} is left to the next run")
        key, host = self._host_of(request)
        if host.is_left:
            raise _refusal(key)
        if host.rests_until > monotonic() and not _is_awaited(request):
            raise HostRests(f"{key} is at rest")

    def process_response(self, request: Request, response: Response, **_: Any) -> Response:
        """Record that a host answers; raises `Stopped` if the answer was cut."""
        if self.has_cut and "partial" in response.flags:
            raise Stopped(f"the crawl was stopped before all of {request.url} had come")
        if visit := find_visit(request):
            self.failures.pop((visit.site, _server_of(request)), None)
        return response

    def process_exception(self, request: Request, exception: Exception, **_: Any) -> None:
        """Count a failure after all retries, unless it is ours; keep requests whose host is at rest."""
        if self.has_cut and not isinstance(exception, exceptions.IgnoreRequest):
            raise Stopped(f"the crawl was stopped before {request.url} had come") from exception
        if isinstance(exception, ConnectBindError | NotSent):
            if not self.stats.get_value("newsextract/not_sent"):
                logger.error("requests are left to the next run, as this machine cannot send them: %s", exception)
            self._count("not_sent")
            raise NotSent(str(exception)) from exception
        if isinstance(exception, HostRests) and not isinstance(exception, Stopped):
            self._host_of(request)[1].waiting.append(request.replace(dont_filter=True))
        elif (visit := find_visit(request)) and isinstance(exception, tuple(UNREACHABLE)):
            self._count_failure(visit.site, _server_of(request), exception)

    @property
    def has_cut(self) -> bool:
        """Whether the crawl was stopped so long ago that its connections were cut."""
        return self.stopped_at is not None and monotonic() - self.stopped_at > PATIENT_SECONDS

    @property
    def is_waiting(self) -> bool:
        """Whether requests wait for a host to have rested."""
        return any(host.waiting for host in self.hosts.values())

    def spider_idle(self) -> None:
        """Keep the spider open while requests wait."""
        if self.is_waiting:
            raise exceptions.DontCloseSpider

    def robots_parsed(self, robotparser: RobotParser, request: Request) -> None:
        """Apply the Crawl-delay, which Scrapy parses but does not apply."""
        settings = self.crawler.settings
        rules = getattr(robotparser, "rp", robotparser)  # before 2.19, Scrapy asks for no Crawl-delay itself
        asked = rules.crawl_delay(settings["ROBOTSTXT_USER_AGENT"] or settings["USER_AGENT"]) or 0.0
        key, host = self._host_of(request)
        # Python parses "inf" as a number, but such a wait would never end.
        if math.isfinite(asked) and asked > self._pace(host)["delay"]:
            host.crawl_delay = asked
            self._apply(key, host)
            self._count("crawl_delays")
            log = logger.warning if asked > LONG_CRAWL_DELAY else logger.info
            log("%s asks for %g s between requests", key, asked)

    def response_downloaded(self, response: Response, request: Request) -> None:
        """Rest, slow down or leave the host as the response asks."""
        if response.status not in (TOO_MANY_REQUESTS, UNAVAILABLE):
            return
        key, host = self._host_of(request)
        seconds = asked_seconds(response.headers.get("Retry-After"), datetime.now(UTC))
        host.refusals += 1
        if response.status == TOO_MANY_REQUESTS:
            self._slow_down(key, host, sent=monotonic() - request.meta.get("download_latency", 0.0))
        if seconds:
            self._rest(key, host, seconds)
        if seconds > LONGEST_WAIT_FOR_RULES and request.meta.get("dont_obey_robotstxt"):
            request.meta["dont_retry"] = True

    @property
    def left(self) -> dict[str, datetime | None]:
        """The hosts that are left to the next run, with the time that they named, or `None`."""
        return {key: host.left_until for key, host in self.hosts.items() if host.is_left}

    def lines(self) -> Iterator[str]:
        """Yield a line for each host that has asked for fewer requests."""
        for key, host in self.hosts.items():
            parts = [f"rested {host.rested:.0f} s"] if host.rested else []
            parts += [f"slowed to {host.slowed:g} s between requests"] if host.slowed else []
            parts += [f"left to the next run{_at(host.left_until)}"] if host.is_left else []
            if parts:
                yield f"{key} asked for fewer requests {host.refusals} times: {', '.join(parts)}"

    def _host_of(self, request: Request) -> tuple[str, Host]:
        """Return the host of a request by its slot, with the limits of the site that it is for."""
        downloader = self.crawler.engine.downloader
        key = downloader.get_slot_key(request)
        if (host := self.hosts.get(key)) is None:
            host = self.hosts[key] = Host(dict(downloader.per_slot_settings.get(key, {})))
        visit = find_visit(request)
        if visit is not None and visit.site not in host.sites:
            self._add_site(key, host, visit.site)
        return key, host

    def _add_site(self, key: str, host: Host, site: str) -> None:
        host.sites.add(site)
        limits = self.limits.get(site)
        if limits is None or (limits.delay is None and limits.concurrency is None):
            return
        if limits.delay is not None:
            host.listed = max(limits.delay, host.listed or 0.0)
        if limits.concurrency is not None:
            host.concurrency = min(limits.concurrency, host.concurrency or limits.concurrency)
        self._apply(key, host)

    def _pace(self, host: Host) -> dict[str, Any]:
        return host.pace(self.crawler.settings.getfloat("DOWNLOAD_DELAY"))

    def _apply(self, key: str, host: Host) -> None:
        """Give the host's pace to its download slot, and to the one that the downloader makes after a pause."""
        downloader, pace = self.crawler.engine.downloader, self._pace(host)
        downloader.per_slot_settings[key] = {**host.usual, **pace}
        if slot := downloader.slots.get(key):
            for name, value in pace.items():
                setattr(slot, name, value)

    def _slow_down(self, key: str, host: Host, *, sent: float) -> None:
        if sent < host.slowed_at:
            return  # on its way before the host was slowed down
        if host.slowed >= LONGEST_DELAY_SECONDS:
            self._leave(key, host, None)
            return
        delay = self._pace(host)["delay"]
        slower = min(max(delay * 2, FIRST_DELAY_SECONDS), LONGEST_DELAY_SECONDS)
        host.slowed, host.slowed_at = max(slower, delay), monotonic()
        self._apply(key, host)
        self._count("busy_hosts/slowed")
        logger.warning("%s answers 429: %g s between requests from now on", key, host.slowed)

    def _rest(self, key: str, host: Host, seconds: float) -> None:
        now = monotonic()
        more = now + seconds - max(host.rests_until, now)
        if more <= 0 or host.is_left:
            return  # it rests for longer already
        if host.rested + more > LONGEST_REST_SECONDS:
            self._leave(key, host, datetime.now(UTC) + timedelta(seconds=seconds))
            return
        host.rested, host.rests_until = host.rested + more, now + seconds
        slot = self.crawler.engine.downloader.slots[key]
        _send_back(slot, HostRests(f"{key} is at rest"))
        # For requests whose answer is awaited. Without a delay, the downloader does not look when it sent the last.
        slot.lastseen, slot.delay = slot_time() + seconds, slot.delay or 0.01
        asyncio.get_running_loop().call_later(seconds, self._end_rest, host, host.rests_until)
        self._count("busy_hosts/rests")
        logger.warning("%s asks to wait %.0f s, and is left alone for so long", key, seconds)

    def _stop_when_stopped(self) -> None:
        """Send back what waits once Ctrl-C or SIGTERM has come, and soon cut what hangs; the next run asks."""
        if self.crawler.crawling:
            return
        self.stopped_at = self.stopped_at or monotonic()
        for key, slot in self.crawler.engine.downloader.slots.items():
            _send_back(slot, Stopped(f"{key}: the crawl was stopped"), is_for_good=True)
        if self.has_cut:
            logging.getLogger("scrapy.core.downloader").setLevel(logging.ERROR)  # it would warn of what was cut
            for cut in self.cuts:
                cut()

    def _end_rest(self, host: Host, until: float) -> None:
        if host.rests_until == until and self.crawler.engine.spider:  # else it rests longer, or all is over
            self._send_waiting(host)

    def _send_waiting(self, host: Host) -> None:
        waiting, host.waiting = host.waiting, []
        for request in waiting:
            self.crawler.engine.crawl(request)

    def _leave(self, key: str, host: Host, until: datetime | None) -> None:
        host.is_left, host.left_until = True, until
        _send_back(self.crawler.engine.downloader.slots[key], _refusal(key), is_for_good=True)
        self._send_waiting(host)  # to be refused
        self._count("busy_hosts/left")
        logger.warning("%s is left to the next run%s", key, _at(until))

    def _count_failure(self, site: str, server: str, error: Exception) -> None:
        """Count a failure that no retry could help; a name that does not exist is enough by itself."""
        before = self.failures[site, server]
        is_unknown = isinstance(error, HostNotFound)
        self.failures[site, server] = MOST_FAILURES if is_unknown else before + 1
        if before < MOST_FAILURES <= self.failures[site, server]:
            self._count("silent_hosts")
            logger.warning("%s does not answer: the rest of it is left to the next run", server)

    def _count(self, what: str) -> None:
        self.stats.inc_value(f"newsextract/{what}")


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


def _send_back(slot: Slot, why: Exception, *, is_for_good: bool = False) -> None:
    """Empty the queue of a slot, where requests occupy the places of other hosts."""
    waiting = list(slot.queue)
    slot.queue.clear()
    for request, answer in waiting:
        if _is_awaited(request) and not is_for_good:
            slot.queue.append((request, answer))
        else:
            answer.errback(Failure(why))  # type: ignore[no-untyped-call] # Twisted's


def _is_awaited(request: Request) -> bool:
    """Return whether a caller awaits the response and would only send the request again."""
    return request.callback is NO_CALLBACK


def _refusal(key: str) -> HostIsBusy:
    return HostIsBusy(f"{key} has asked for fewer requests and is left to the next run")


def _at(until: datetime | None) -> str:
    return f", from {until:%Y-%m-%d %H:%M} UTC on" if until else ""


def _server_of(request: Request) -> str:
    parts = urlsplit(request.url)
    return f"{parts.scheme}://{parts.netloc}"


# The connections of a crawl: how many it may have, how long they stay open, and the end of those that hang.

MOST_OPEN = 10_240
"""Files and connections that a crawl asks the system for; macOS gives no more."""

HOSTS_A_SECOND = 60
"""New hosts that a crawl reaches on a fast machine."""


def open_limit() -> int:
    """Return how many files and connections this process may have open, after raising that to what is wanted."""
    if sys.platform == "win32":
        return MOST_OPEN
    import resource  # noqa: PLC0415 - not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_OPEN if hard == resource.RLIM_INFINITY else min(MOST_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return MOST_OPEN if soft == resource.RLIM_INFINITY else soft


def bound_idle_connections() -> None:
    """Let connections that wait for a next request end so soon that those of many hosts fit into the limit.

    Scrapy bounds them for each host, but not for all. A crawl reaches at most `HOSTS_A_SECOND` new hosts, so that half
    of the limit is left to what is under way, to files and to databases.
    """
    seconds = open_limit() / 2 / HOSTS_A_SECOND
    HTTPConnectionPool.cachedConnectionTimeout = min(int(seconds) or 1, HTTPConnectionPool.cachedConnectionTimeout)


def cut_all() -> None:
    """Cut all connections that Twisted has in this process, and those that it is about to make."""
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    known: Any = reactor
    if IReactorFDSet.providedBy(known):
        for each in {*known.getReaders(), *known.getWriters()}:
            if ITCPTransport.providedBy(each):
                each.abortConnection()
