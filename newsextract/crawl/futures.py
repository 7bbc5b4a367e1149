"""Awaits what other threads and processes do in Scrapy's coroutines, with and without asyncio."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from functools import partial
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary

from scrapy.utils.asyncio import is_asyncio_available
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

_T = TypeVar("_T")


class _Arrivals:
    """Passes what futures have become to an event loop, and wakes it once for all that arrive together."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._wake = loop.call_soon_threadsafe
        self._is_closed = loop.is_closed
        self._lock = Lock()
        self._arrived: list[tuple[asyncio.Future[Any], Future[Any]]] = []

    def add(self, awaited: asyncio.Future[Any], done: Future[Any]) -> None:
        """Settle the awaited future in the thread of the loop; called in any thread."""
        if self._is_closed():
            return  # nobody awaits it any more
        with self._lock:
            self._arrived.append((awaited, done))
            is_first = len(self._arrived) == 1
        if is_first:
            self._wake(self._settle)

    def _settle(self) -> None:
        with self._lock:
            arrived, self._arrived = self._arrived, []
        for awaited, done in arrived:
            if awaited.done():
                continue  # given up
            if done.cancelled():
                awaited.cancel()
            elif (error := done.exception()) is None:
                awaited.set_result(done.result())
            elif isinstance(error, StopIteration):  # which no awaited future may raise
                awaited.set_exception(RuntimeError(f"an iterator was at its end: {error!r}"))
            else:
                awaited.set_exception(error)


_arrivals: WeakKeyDictionary[asyncio.AbstractEventLoop, _Arrivals] = WeakKeyDictionary()


def answer_of(future: Future[_T]) -> Awaitable[_T]:
    """Return an awaitable for the result of a future; it does not block the reactor."""
    if is_asyncio_available():
        loop = asyncio.get_event_loop()
        awaited: asyncio.Future[_T] = loop.create_future()
        if loop not in _arrivals:
            _arrivals[loop] = _Arrivals(loop)
        future.add_done_callback(partial(_arrivals[loop].add, awaited))
        return awaited
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    deferred: Deferred[_T] = Deferred()
    future.add_done_callback(lambda done: reactor.callFromThread(_fire, deferred, done))
    return deferred


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
