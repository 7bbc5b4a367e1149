"""The reactor's resolver, with a guard that keeps private addresses back.

Twisted asks `reactor.nameResolver` whenever it connects to a host, also when that is an address already, and
connects to what it is given. The guard stands before whatever resolver is installed, Scrapy's or the user's, because
the setting that names a resolver is read before add-ons can have a say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from zope.interface import implementer

from newsextract.sites.addresses.private_addresses import AddressPolicy, fold_host

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from twisted.internet.interfaces import IAddress, IHostResolution


@implementer(IHostnameResolver)
@dataclass(eq=False)
class GuardedResolver:
    """Resolves a name to nothing when any of its addresses is refused, and remembers it."""

    policy: AddressPolicy
    exempt: set[str] = field(default_factory=set)
    """Hosts that are not judged: the proxies."""

    refused: set[str] = field(default_factory=set)
    """Hosts that were resolved to a refused address."""

    inner: Any = None
    """The resolver that was installed before."""

    def install(self) -> None:
        """Stand before the reactor's resolver; nothing changes where it does already."""
        reactor = _reactor()
        if self not in _chain(reactor.nameResolver):
            self.inner = reactor.nameResolver
            reactor.installNameResolver(self)

    def uninstall(self) -> None:
        """Give the reactor its resolver back; behind the guard of another crawl, let everything pass."""
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
        """Resolve the name, and pass its addresses on if all may be visited."""
        receiver = _Receiver(self, resolutionReceiver, _ascii(hostName))
        found: IHostResolution = self.inner.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )
        return found

    def allows(self, host: str, addresses: Sequence[Any]) -> bool:
        """Return whether a host may be connected to at these addresses."""
        if host in self.exempt:
            return True
        # One bad address among good ones is a trick, and which of them is tried first is chance.
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
        """Pass the addresses on, or none."""
        if self.guard.allows(self.host, self.addresses):
            for address in self.addresses:
                self.outer.addressResolved(address)
        self.outer.resolutionComplete()


def _chain(resolver: Any) -> Iterator[Any]:
    # Several crawls of one process have a guard each, and a site must suit all of them.
    while isinstance(resolver, GuardedResolver):
        yield resolver
        resolver = resolver.inner


def _ascii(host: str) -> str:
    # Twisted hands over the letters that people read, and requests have those that resolvers ask for.
    try:
        return fold_host(host.encode("idna").decode("ascii"))
    except UnicodeError:
        return fold_host(host)


def _reactor() -> Any:
    # Importing it chooses one, which is Scrapy's to do.
    from twisted.internet import reactor  # noqa: PLC0415

    return reactor
