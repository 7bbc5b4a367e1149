"""The connections of a crawl: how many it may have, how long they stay open, and the end of those that hang."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from twisted.internet.interfaces import IReactorFDSet, ITCPTransport
from twisted.web.client import HTTPConnectionPool

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
