"""Keeps the connections of a crawl of thousands of sites below what the system lets a process have open."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from twisted.web.client import HTTPConnectionPool

MOST_OPEN = 10_240
"""Files and connections that a crawl asks the system for; macOS gives no more."""


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


class BoundedPool(HTTPConnectionPool):
    """Twisted's, which bounds the idle connections of each host, but not of thousands of hosts."""

    def __init__(self, pool: HTTPConnectionPool, most_idle: int) -> None:
        vars(self).update(vars(pool))
        self.most_idle = most_idle

    def _putConnection(self, key: Any, connection: Any) -> None:  # noqa: N802 - Twisted's
        super()._putConnection(key, connection)  # type: ignore[no-untyped-call]
        if len(self._timeouts) > self.most_idle:
            next(iter(self._timeouts.values())).reset(0)  # the oldest has been idle for long enough


class BoundedHandler(HTTP11DownloadHandler):
    """Scrapy's with a bounded pool: a quarter of the limit for each scheme, which leaves half for everything else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pool = BoundedPool(self._pool, open_limit() // 4)
