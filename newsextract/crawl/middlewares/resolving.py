"""Guards the reactor's resolver, so that private addresses are refused.

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

from newsextract.sites.private_addresses import AddressPolicy, fold_host

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from twisted.internet.interfaces import IAddress, IHostResolution


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
