"""Refuses requests to private addresses: pages, sources, robots.txt, and each redirect.

A host that is an address, or `localhost`, is refused before anything is sent. A name is refused when it has been
resolved and before a connection is made: the address that was judged is the one that is connected to, so that a name
which points elsewhere a moment later gains nothing.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.exceptions import IgnoreRequest, NotConfigured

from newsextract.crawl.middlewares.resolving import GuardedResolver
from newsextract.settings import PRIVATE_ADDRESSES
from newsextract.sites.private_addresses import AddressPolicy, fold_host

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

MOST_NAMED = 5
"""Refused hosts named in the log."""

_WEB = ("http", "https")


class PrivateAddress(IgnoreRequest):
    """A request was refused because its host is private and not among the allowed ones."""

    def __init__(self, host: str, url: str) -> None:
        super().__init__(f"private address: {host} of {url}; {PRIVATE_ADDRESSES.name} can allow it")
        self.host = host


class PrivateAddressMiddleware:
    """Sits next to the downloader, where it sees every request with the proxy that it will use.

    A proxy is the operator's choice, and may be private. We cannot see what a proxy resolves: behind one, only
    hosts that are written as addresses are refused.
    """

    def __init__(self, crawler: Crawler, policy: AddressPolicy) -> None:
        self.crawler = crawler
        self.policy = policy
        self.resolver = GuardedResolver(policy)
        self.refused: Counter[str] = Counter()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the setting; raises `NotConfigured` if all addresses are allowed."""
        policy = PRIVATE_ADDRESSES.of(crawler.settings)
        if policy.allows_all:
            raise NotConfigured
        self = cls(crawler, policy)
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def process_request(self, request: Request) -> None:
        """Refuse a host that is private as written; the guard judges the others when they are resolved."""
        host = _host_of(request.url)
        if host is None:
            return
        # Not at the start: Scrapy installs its own resolver at a time of its choosing.
        self.resolver.install()
        if proxy := request.meta.get("proxy"):
            self.resolver.exempt.add(fold_host(_host_of(proxy) or ""))
        is_disguised = not proxy and fold_host(host) in self.resolver.exempt
        if self.policy.refuses_host(host) or (is_disguised and fold_host(host) not in self.policy.hosts):
            self._refuse(request, host)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Replace the resolver's error for a refused name by `PrivateAddress`."""
        host = _host_of(request.url) or ""
        if fold_host(host) in self.resolver.refused and not isinstance(exception, IgnoreRequest):
            self._refuse(request, host)

    def spider_closed(self) -> None:
        """Restore the reactor's resolver, and log the refused hosts: the user may have wanted them."""
        self.resolver.uninstall()
        if self.refused:
            hosts = ", ".join(sorted(self.refused)[:MOST_NAMED])
            logger.warning(
                # Not how many: a page and the robots.txt before it are two requests, and one to its author.
                "requests to private addresses were refused (%s); if they are meant, allow them: %s = %s",
                hosts, PRIVATE_ADDRESSES.name, sorted(self.refused)[:MOST_NAMED],
            )  # fmt: skip

    def _refuse(self, request: Request, host: str) -> None:
        self.refused[host] += 1
        stats: Any = self.crawler.stats
        stats.inc_value("newsextract/private_addresses/refused")
        raise PrivateAddress(host, request.url)


def _host_of(url: str) -> str | None:
    parts = urlsplit(url)
    return parts.hostname if parts.scheme in _WEB else None
