"""The connections of a crawl: how many it may have, to which hosts they stay open, and the end of those that hang."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, ITCPTransport
from twisted.web.client import HTTPConnectionPool

MOST_OPEN = 10_240
"""Files and connections that a crawl asks the system for; macOS gives no more."""

IDLE_SECONDS = HTTPConnectionPool.cachedConnectionTimeout + 60
"""Seconds after a request by which its connection is closed: Twisted's, from the answer on, and those of a page."""


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


@dataclass
class KeptHosts:
    """The hosts whose connections stay open for the next request: Scrapy bounds them by host, but not for all hosts."""

    most: int
    asked: dict[str, float] = field(default_factory=dict)
    """When they were last asked; the longest ago comes first."""

    def keeps(self, host: str) -> bool:
        """Return whether the connection for a request that is sent now stays open.

        >>> hosts = KeptHosts(most=2)
        >>> [hosts.keeps(host) for host in ("a.example", "b.example", "c.example", "a.example")]
        [True, True, False, True]
        """
        now = monotonic()
        while self.asked and now - next(iter(self.asked.values())) > IDLE_SECONDS:
            del self.asked[next(iter(self.asked))]
        if self.asked.pop(host, None) is None and len(self.asked) >= self.most:
            return False
        self.asked[host] = now
        return True


def cut_all() -> None:
    """Cut all connections that Twisted has in this process, and those that it is about to make."""
    from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

    known: Any = reactor
    if IReactorFDSet.providedBy(known):
        for each in {*known.getReaders(), *known.getWriters()}:
            if ITCPTransport.providedBy(each):
                each.abortConnection()
