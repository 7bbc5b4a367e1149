"""Awaits futures of other threads and processes in Scrapy's coroutines, with and without asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from concurrent.futures import Future

_T = TypeVar("_T")


def answer_of(future: Future[_T]) -> Awaitable[_T]:
    """Return an awaitable for the result of a future; it does not block the reactor."""
    if is_asyncio_available():
        return asyncio.wrap_future(future)
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    deferred: Deferred[_T] = Deferred()
    future.add_done_callback(lambda done: reactor.callFromThread(_fire, deferred, done))
    return deferred


def _fire(deferred: Deferred[_T], done: Future[_T]) -> None:
    error = done.exception()
    if error is None:
        deferred.callback(done.result())
    else:
        deferred.errback(Failure(error))  # type: ignore[no-untyped-call]
