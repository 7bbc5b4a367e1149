"""Awaiting, in Scrapy's components, what another thread does."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

from scrapy.utils.asyncio import is_asyncio_available
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from concurrent.futures import Future

R = TypeVar("R")


async def done(future: Future[R]) -> R:
    """Return the result of a thread's future, or raise its error, while the reactor goes on, whichever it is."""
    if is_asyncio_available():
        return await asyncio.wrap_future(future)
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    arrived: Deferred[None] = Deferred()
    future.add_done_callback(lambda _: reactor.callFromThread(arrived.callback, None))
    await arrived
    return future.result()
