"""What newer versions of Scrapy have, and the same from 2.13 on; and how its coroutines await other threads."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread
from time import monotonic, time
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy import exceptions, signals
from scrapy.core import downloader
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet import defer, error
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from newsextract.sites.fetching import NOT_FOUND

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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


# Awaits what other threads and processes do in Scrapy's coroutines, with and without asyncio.

_T = TypeVar("_T")


def answer_of(future: Future[_T]) -> Awaitable[_T]:
    """Return an awaitable for the result of a future; it does not block the reactor."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # a reactor of Twisted's own
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        deferred: Deferred[_T] = Deferred()
        future.add_done_callback(lambda done: reactor.callFromThread(_fire, deferred, done))
        return deferred
    return asyncio.wrap_future(future)


def in_thread(work: Callable[[], _T]) -> Future[_T]:
    """Run `work` in a thread of its own, because the reactor must not block; return the future of its result."""
    future: Future[_T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except Exception as error:  # noqa: BLE001 - of whatever kind, it goes to who waits
            future.set_exception(error)

    Thread(target=run, name="newsextract-work", daemon=True).start()
    return future


def _fire(deferred: Deferred[_T], done: Future[_T]) -> None:
    error = done.exception()
    if error is None:
        deferred.callback(done.result())
    else:
        deferred.errback(Failure(error))  # type: ignore[no-untyped-call]
