"""Refuses requests to private addresses, and follows redirects safely: malformed URLs, unknown charsets, hosts."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from scrapy import Request, signals
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware
from scrapy.exceptions import IgnoreRequest, NotConfigured
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from newsextract.settings import PRIVATE_ADDRESSES
from newsextract.sites.private_addresses import AddressPolicy, fold_host

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress, IHostResolution


# Twisted asks `reactor.nameResolver` whenever it connects to a host, also when that is an address already, and
# connects to what it is given. The guard stands before whatever resolver is installed, Scrapy's or the user's, because
# the setting that names a resolver is read before add-ons can have a say.


@implementer(IHostnameResolver)
@dataclass(eq=False)
class GuardedResolver:
    """Resolves a name to no address if any of its addresses is refused, and remembers the name."""

    policy: AddressPolicy
    exempt: set[str] = field(default_factory=set)
    """Hosts that are not judged: the proxies."""

    refused: set[str] = field(default_factory=set)
    """Hosts that were resolved to a refused address."""

    inner: Any = None
    """The resolver that was installed before."""

    def install(self) -> None:
        """Put the guard before the reactor's resolver; does nothing if it is installed already."""
        reactor = _reactor()
        if self not in _chain(reactor.nameResolver):
            self.inner = reactor.nameResolver
            reactor.installNameResolver(self)

    def uninstall(self) -> None:
        """Restore the reactor's resolver; if another crawl's guard stands before this one, allow everything."""
        reactor = _reactor()
        if reactor.nameResolver is self:
            reactor.installNameResolver(self.inner)
        self.policy = AddressPolicy(allows_all=True)

    def resolveHostName(  # noqa: N802 - Twisted's
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803 - Twisted's
        hostName: str,  # noqa: N803 - Twisted's
        portNumber: int = 0,  # noqa: N803 - Twisted's
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803 - Twisted's
        transportSemantics: str = "TCP",  # noqa: N803 - Twisted's
    ) -> IHostResolution:
        """Resolve the name, and pass its addresses on if all of them are allowed."""
        receiver = _Receiver(self, resolutionReceiver, _ascii(hostName))
        found: IHostResolution = self.inner.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return found

    def allows(self, host: str, addresses: Sequence[Any]) -> bool:
        """Return whether a host may be connected to at these addresses."""
        if host in self.exempt:
            return True
        # One private address among public ones is an attack, and any of them may be tried first.
        is_refused = any(self.policy.refuses(ip_address(address.host), host) for address in addresses)
        if is_refused:
            self.refused.add(host)
        else:
            self.refused.discard(host)
        return not is_refused


@implementer(IResolutionReceiver)
@dataclass(eq=False)
class _Receiver:
    """Holds the addresses of a name back until all of them are known."""

    guard: GuardedResolver
    outer: Any
    host: str
    addresses: list[Any] = field(default_factory=list)

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:  # noqa: N802, N803 - Twisted's
        """Pass it on."""
        self.outer.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802 - Twisted's
        """Keep the address."""
        self.addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802 - Twisted's
        """Pass on all addresses, or none."""
        if self.guard.allows(self.host, self.addresses):
            for address in self.addresses:
                self.outer.addressResolved(address)
        self.outer.resolutionComplete()


def _chain(resolver: Any) -> Iterator[Any]:
    # Each crawl in a process has its own guard, and all of them must allow a host.
    while isinstance(resolver, GuardedResolver):
        yield resolver
        resolver = resolver.inner


def _ascii(host: str) -> str:
    # Twisted passes Unicode names, requests have punycode.
    try:
        return fold_host(host.encode("idna").decode("ascii"))
    except UnicodeError:
        return fold_host(host)


def _reactor() -> Any:
    # Importing `reactor` installs one, and Scrapy must choose it.
    from twisted.internet import reactor  # noqa: PLC0415

    return reactor


# A host that is an address, or `localhost`, is refused before anything is sent. A name is refused when it has been
# resolved and before a connection is made: the address that was judged is the one that is connected to, so that a name
# which points elsewhere a moment later gains nothing.

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

    def process_request(self, request: Request, **_: Any) -> None:
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

    def process_exception(self, request: Request, exception: Exception, **_: Any) -> None:
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


_LOOKED_AT = 4 * 4096
"""Bytes of the characters that Scrapy looks at, four for each at most."""


class MetaRefreshes(MetaRefreshMiddleware):
    """Scrapy's, which decodes all of a page to look at its beginning: not of one that surely has no refresh there."""

    # Scrapy's takes a spider too, but from 2.14 on it warns of those that do.
    def process_response(self, request: Request, response: Response, **old: Any) -> Request | Response:  # type: ignore[override]
        """Return the request for the refresh's target, or the response if there is none, or none that is a URL."""
        if b"refresh" not in response.body[:_LOOKED_AT].lower():
            return response
        try:
            return super().process_response(request, response, **old)
        except ValueError:  # from urllib: brackets without an IPv6 address, a port that is not a number
            return response
