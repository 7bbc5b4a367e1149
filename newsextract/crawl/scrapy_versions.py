"""What newer versions of Scrapy have, and what does the same from 2.13 on."""

from __future__ import annotations

from time import monotonic, time
from typing import TYPE_CHECKING, Any

from scrapy import exceptions, signals
from scrapy.core import downloader
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet import defer, error
from twisted.web.client import ResponseFailed

from newsextract.sites.fetching import NOT_FOUND

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

REFUSED = "connection refused"

if hasattr(exceptions, "DownloadFailedError"):
    HostNotFound: type[Exception] = exceptions.CannotResolveHostError
    Cancelled: type[Exception] = exceptions.DownloadCancelledError
    UnsupportedScheme: type[Exception] = exceptions.UnsupportedURLSchemeError
    UNREACHABLE: dict[type[Exception], str] = {
        HostNotFound: NOT_FOUND,
        exceptions.DownloadConnectionRefusedError: REFUSED,
        exceptions.DownloadTimeoutError: "timeout",
        exceptions.ResponseDataLossError: "truncated response",
        exceptions.DownloadFailedError: "connection lost",
        error.ConnectError: "connection lost",
    }
    """Failures of the server or the network, with why the host could not be reached."""
else:  # before 2.15, these are errors of Twisted's
    HostNotFound, Cancelled, UnsupportedScheme = error.DNSLookupError, defer.CancelledError, exceptions.NotSupported
    UNREACHABLE = {
        HostNotFound: NOT_FOUND,
        error.ConnectionRefusedError: REFUSED,
        error.TimeoutError: "timeout",
        defer.TimeoutError: "timeout",
        error.ConnectError: "connection lost",
        error.ConnectionClosed: "connection lost",
        ResponseFailed: "connection lost",
    }

STEADY: dict[str, Any] = {"jitter": 0.0} if "jitter" in downloader.Slot.__annotations__ else {"randomize_delay": False}
"""The settings of a download slot whose delay is never shortened at random."""

slot_time = monotonic if hasattr(downloader, "monotonic") else time
"""The clock by which a download slot notes when it sent its last request."""

ROBOTS_PARSED: object = getattr(signals, "robots_parsed", "newsextract_robots_parsed")
"""The signal with the rules of a host."""


async def download(crawler: Crawler, request: Request) -> Response:
    """Return the response to a request that passes the scheduler by; raises what the downloader does."""
    engine: Any = crawler.engine
    if hasattr(engine, "download_async"):
        response: Response = await engine.download_async(request)
    else:
        response = await maybe_deferred_to_future(engine.download(request))
    return response


async def send(crawler: Crawler, signal: object, **arguments: Any) -> None:
    """Send a signal, and wait for those who listen."""
    manager: Any = crawler.signals
    if hasattr(manager, "send_catch_log_async"):
        await manager.send_catch_log_async(signal, **arguments)
    else:
        await maybe_deferred_to_future(manager.send_catch_log_deferred(signal, **arguments))


async def close_spider(crawler: Crawler, reason: str) -> None:
    """Close the spider."""
    engine: Any = crawler.engine
    if hasattr(engine, "close_spider_async"):
        await engine.close_spider_async(reason=reason)
    else:
        await maybe_deferred_to_future(engine.close_spider(crawler.spider, reason))
