"""Which IP addresses are public, and which can only be reached from inside a private network.

A crawler that follows links fetches what strangers tell it to. They must not make it fetch what is behind the
operator's firewall: the database, the router, the credentials that clouds hand out at 169.254.169.254.

The tables are IANA's registries of special-purpose addresses, written out because Python's `ipaddress` knows them
differently from version to version: 3.11 treats multicast, `fec0::/10` and IPv4 inside IPv6 as public.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Any, Self, TypeAlias

IpAddress: TypeAlias = IPv4Address | IPv6Address
IpNetwork: TypeAlias = IPv4Network | IPv6Network

_SPECIAL_IPV4 = tuple(map(IPv4Network, (
    "0.0.0.0/8",  # this host, which connects to loopback
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  # private
    "100.64.0.0/10",  # behind a carrier's NAT
    "127.0.0.0/8", "169.254.0.0/16",  # loopback, link-local
    "192.0.0.0/24", "192.88.99.0/24",  # protocol assignments, relays of 6to4
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  # documentation
    "198.18.0.0/15",  # benchmarks
    "224.0.0.0/4", "240.0.0.0/4",  # multicast, reserved and broadcast
)))  # fmt: skip

_GLOBAL_IPV6 = IPv6Network("2000::/3")
"""Global unicast; loopback, link-local, unique-local and multicast addresses are outside it."""

_SPECIAL_IPV6 = tuple(map(IPv6Network, (
    "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID
    "2001:db8::/32", "3fff::/20",  # documentation
)))  # fmt: skip

_MAPPED, _NAT64, _SIX_TO_FOUR = IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16")
"""IPv6 networks whose addresses lead to an IPv4 address."""

_LOCAL_NAME = re.compile(r"(?:.+\.)?(?:localhost|localhost\.localdomain|localhost[46]|ip6-(?:localhost|loopback))")
_NUMBER = re.compile(r"0x[0-9a-f]*|0[0-7]*|[1-9][0-9]*")
_SWITCHES = {"": False, "0": False, "false": False, "1": True, "true": True}


class PrivateAddressesError(ValueError):
    """The setting is invalid; the message says what would be valid."""


def is_public(address: IpAddress) -> bool:
    """Return whether an address can be reached from anywhere on the internet.

    >>> is_public(IPv4Address("93.184.215.14")), is_public(IPv6Address("::ffff:10.0.0.1"))
    (True, False)
    """
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_IPV4)
    address = IPv6Address(int(address))  # without its zone
    if inner := _embedded(address):
        return is_public(inner)
    return address in _GLOBAL_IPV6 and not any(address in network for network in _SPECIAL_IPV6)


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _MAPPED or address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address(int(address) >> 80 & 0xFFFFFFFF)
    return None


def literal_address(host: str) -> IpAddress | None:
    """Return the IP address that a host spells, in any form that C libraries accept; `None` if it is a name.

    >>> [str(literal_address(host)) for host in ("127.1", "0x7f.0.0.1", "2130706433", "[::1]", "１２７.0.0.1.")]
    ['127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', '127.0.0.1']
    >>> literal_address("example.com") is None
    True
    """
    folded = fold_host(host)
    if ":" in folded:
        try:
            return IPv6Address(folded.partition("%")[0])
        except ValueError:
            return None
    return _read_ipv4(folded.split("."))


def _read_ipv4(parts: list[str]) -> IPv4Address | None:
    # As inet_aton does: up to four numbers, decimal, octal or hexadecimal; the last fills the remaining bytes.
    if len(parts) > 4 or not all(map(_NUMBER.fullmatch, parts)) or max(map(len, parts)) > 20:
        return None
    *first, last = (_number(part) for part in parts)
    if any(number > 0xFF for number in first) or last >= 1 << 8 * (4 - len(first)):
        return None
    return IPv4Address(sum(number << 8 * (3 - place) for place, number in enumerate(first)) + last)


def _number(written: str) -> int:
    if written.startswith("0x"):
        return int(written[2:] or "0", 16)
    return int(written, 8 if written.startswith("0") else 10)


def fold_host(host: str) -> str:
    """Return a host as resolvers look it up: ASCII digits and dots, lower case, no brackets, no trailing dot.

    >>> fold_host("LOCALHOST。"), fold_host("[FE80::1]")
    ('localhost', 'fe80::1')
    """
    folded = unicodedata.normalize("NFKC", host).replace("。", ".").strip().lower().removesuffix(".")
    return folded.removeprefix("[").removesuffix("]")


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """Which private addresses may be fetched."""

    allows_all: bool = False
    hosts: frozenset[str] = frozenset()
    """Names that may resolve to a private address."""

    networks: tuple[IpNetwork, ...] = ()

    @classmethod
    def parse(cls, value: Any) -> Self:
        """Read `NEWSEXTRACT_PRIVATE_ADDRESSES`: True, False, or a list of hosts and networks, in JSON or with commas.

        Raises:
            PrivateAddressesError: it is none of these.
        """
        if isinstance(value, str):
            value = _SWITCHES.get(value.strip().lower(), value)
        if value is None or isinstance(value, bool | int):
            return cls(allows_all=bool(value))
        networks, hosts = [], set()
        for entry in _entries(value):
            if network := _network(entry):
                networks.append(network)
            else:
                hosts.add(fold_host(entry))
        return cls(False, frozenset(hosts), tuple(networks))

    def refuses_host(self, host: str) -> bool:
        """Return whether a host is private and not allowed, judging by its name alone, without a lookup."""
        if address := literal_address(host):
            return self.refuses(address, host)
        return bool(_LOCAL_NAME.fullmatch(fold_host(host))) and self.refuses(IPv4Address("127.0.0.1"), host)

    def refuses(self, address: IpAddress, host: str) -> bool:
        """Return whether the address that a host resolves to is private and not allowed."""
        if self.allows_all or is_public(address) or fold_host(host) in self.hosts:
            return False
        inner = _embedded(address) if isinstance(address, IPv6Address) else None
        return not any((inner or address) in network for network in self.networks)


def _entries(value: Any) -> list[str]:
    entries = value
    if isinstance(value, str):
        try:
            entries = json.loads(value) if value.lstrip().startswith("[") else value.split(",")
        except ValueError as error:
            raise PrivateAddressesError(f"{value!r} is not a JSON list: {error}") from error
    if not isinstance(entries, list | tuple | set | frozenset) or not all(isinstance(each, str) for each in entries):
        raise PrivateAddressesError(f"{value!r} is neither True nor False nor a list of hosts and networks")
    return [each.strip() for each in entries if each.strip()]


def _network(entry: str) -> IpNetwork | None:
    if address := literal_address(entry):
        return ip_network(str(address))
    if re.fullmatch(r"[^\W_]([\w.-]*\w)?\.?", entry):
        return None  # a name
    try:
        return ip_network(entry)
    except ValueError as error:
        example = 'write ["127.0.0.1", "10.1.0.0/16", "intranet.example"]'
        raise PrivateAddressesError(f"{entry!r} is neither a host nor a network ({error}); {example}") from error
