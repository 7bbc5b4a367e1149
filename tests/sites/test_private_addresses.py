"""Private addresses are told from public ones, in any spelling."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

import pytest

from newsextract.sites.private_addresses import AddressPolicy, PrivateAddressesError, is_public, literal_address

PRIVATE = {
    "this host": "0.0.0.0 0.1.2.3 ::",
    "private": "10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.1.1",
    "behind a carrier's NAT": "100.64.0.1 100.127.255.255",
    "loopback": "127.0.0.1 127.255.255.254 ::1",
    "link-local": "169.254.1.1 169.254.169.254 fe80::1 fe80::1%eth0 febf::1",
    "unique-local": "fc00::1 fd00:ec2::254 fec0::1",
    "protocol assignments": "192.0.0.1 192.0.0.170 192.88.99.1 2001::1 2001:20::1",
    "documentation": "192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1",
    "benchmarks": "198.18.0.1 198.19.255.255 2001:2::1",
    "multicast": "224.0.0.1 239.255.255.255 ff02::1 ff0e::1",
    "reserved": "240.0.0.1 255.255.255.255 100::1 5f00::1 4000::1 e000::1",
    "IPv4 mapped into IPv6": "::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe",
    "IPv4-compatible IPv6": "::127.0.0.1 ::10.0.0.1 ::8.8.8.8",
    "NAT64": "64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808",
    "6to4": "2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101::1",
    "Teredo": "2001:0:4136:e378:8000:63bf:3fff:fdd2",
}
PUBLIC = """
    1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 172.15.255.255 172.32.0.0 192.0.1.1 198.17.255.255
    198.20.0.0 223.255.255.255 2606:4700::1 2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::1
"""


@pytest.mark.parametrize("name", PRIVATE)
def test_keeps_out_what_is(name: str) -> None:
    assert [ip for ip in PRIVATE[name].split() if is_public(ip_address(ip))] == []


def test_lets_in_what_anybody_can_reach() -> None:
    assert [ip for ip in PUBLIC.split() if not is_public(ip_address(ip))] == []


@pytest.mark.parametrize(
    "host",
    """
    127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0X7F.0.0.1 0x7f.1 0177.0.0.1 017700000001 00177.0.0.01 127.0.0.1.
    １２７.０.０.１ 127。0。0。1 ①②⑦.0.0.1 localhost LOCALHOST localhost. a.localhost localhost.localdomain
    ip6-localhost [::1] ::1 [0:0::1] [::ffff:127.0.0.1] [::ffff:7f00:1] [fe80::1%25eth0] 0 0x 0.0.0.0 [::]
    """.split(),
)
def test_knows_a_private_host_in_this_spelling(host: str) -> None:
    assert AddressPolicy().refuses_host(host)


@pytest.mark.parametrize(
    "host",
    """
    example.com 127.0.0.1.example.com localhost.example.com mylocalhost 1.1.1.1 256.1.1.1 1.2.3.4.5 0x7g.1 08.1.1.1
    4294967296 127..1 -1 dead.beef [::g] 1e3 99999999999999999999999999
    """.split(),
)
def test_takes_other_hosts_for_names_or_public(host: str) -> None:
    assert not AddressPolicy().refuses_host(host)


def test_reads_the_last_number_as_all_that_is_left() -> None:
    assert [str(literal_address(host)) for host in ("10.258", "10.1.258", "167772161")] == [
        "10.0.1.2", "10.1.1.2", "10.0.0.1",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [True, 1, "True", "1", "true"])
def test_a_switch_allows_all(value: Any) -> None:
    assert not AddressPolicy.parse(value).refuses_host("10.0.0.1")


@pytest.mark.parametrize("value", [False, 0, None, "", "0", "False", [], "[]"])
def test_nothing_is_allowed_by(value: Any) -> None:
    assert AddressPolicy.parse(value).refuses_host("10.0.0.1")


@pytest.mark.parametrize(
    "value",
    [
        ["127.0.0.1", "10.1.0.0/16", "Intranet.example"],
        '["127.0.0.1", "10.1.0.0/16", "intranet.example"]',
        "127.1, 10.1.0.0/16,intranet.example.",
    ],
)
def test_a_list_allows_what_it_names_and_nothing_else(value: Any) -> None:
    policy = AddressPolicy.parse(value)
    inside = ip_address("192.168.0.1")
    assert not any(map(policy.refuses_host, ["127.0.0.1", "localhost", "10.1.2.3", "[::ffff:10.1.2.3]", "0x7f.1"]))
    assert all(map(policy.refuses_host, ["127.0.0.2", "10.2.0.0", "[::1]"]))
    assert not policy.refuses(inside, "INTRANET.example")
    assert policy.refuses(inside, "www.intranet.example")


@pytest.mark.parametrize("value", ["[1", '["10.0.0.0/8"', ["10.0.0.1/8"], ["10.0.0.0/99"], ["http://a/"], [1], 1.5, {}])
def test_says_what_it_cannot_read(value: Any) -> None:
    with pytest.raises(PrivateAddressesError, match=r"list|network"):
        AddressPolicy.parse(value)
