"""Awaits what other threads and processes do in Scrapy's coroutines, with and without asyncio."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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
