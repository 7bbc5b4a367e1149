"""`fetch_article`: one page, politely, safely and in bounded time; which addresses are private."""

from __future__ import annotations

import gzip
import pickle
import socket
import threading
import zlib
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest

from newsextract import FetchError, fetch_article
from newsextract.page.page import NotHtml
from newsextract.sites.fetching import PageFetcher
from newsextract.sites.private_addresses import AddressPolicy, PrivateAddressesError, is_public, literal_address
from tests.scrapy_runs import STORY, Reply, html, moved, story

if TYPE_CHECKING:
    from newsextract.article import Article
    from tests.scrapy_runs import TinySite, TinyWeb


SENTENCE = "The mayor of town number 1 opened the bridge"
HERE = ["127.0.0.1"]
PACKED = {"Content-Type": "text/html", "Content-Encoding": "gzip"}


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web(
        {
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /members/\n\nUser-agent: rude\nDisallow: /"),
            STORY: html(story(), X_Robots_Tag="noai"),
            "/moved": moved(STORY),
            "/to-members": moved("/members/1"),
            "/members/1": html(story()),
            "/loop": moved("/loop"),
            "/to-intranet": moved("http://127.0.0.2/"),
            "/to-file": moved("file:///etc/passwd"),
            "/nowhere-to": Reply(b"", 302),
            "/to-half-a-host": moved("http://[broken/"),
            "/gone": Reply(b"gone", 410),
            "/gone-unpackable": Reply(b"gone", 410, headers=PACKED),
            "/a.pdf": Reply(b"%PDF-1.7"),
            "/a.jpg": Reply(b"xx", headers={"Content-Type": "image/jpeg"}),
            "/gzip": Reply(gzip.compress(story()), headers=PACKED),
            "/bomb": Reply(gzip.compress(bytes(30_000_000)), headers=PACKED),
            "/broken-gzip": Reply(b"\x1f\x8b\x08\x00 no gzip", headers=PACKED),
            "/deflate": Reply(zlib.compress(story()), headers=PACKED | {"Content-Encoding": "deflate"}),
            "/brotli": Reply(b"x", headers=PACKED | {"Content-Encoding": "br"}),
            "/short": Reply(story(), declared=1_000_000),
            "/latin": Reply("<p>Élysée</p>".encode("cp1252"), headers={"Content-Type": "text/html; charset=cp1252"}),
            "/caf%C3%A9": html(story()),
        }
    )


def fetch(site: TinySite, path: str, **options: Any) -> Article:
    return fetch_article(site.home.rstrip("/") + path, private_addresses=HERE, **options)


@pytest.mark.parametrize("path", [STORY, "/moved", "/gzip", "/deflate", "/café", f"{STORY}#part"])
def test_reads_the_article_at_a_url(path: str, site: TinySite) -> None:
    assert SENTENCE in (fetch(site, path).articleBody or "")


def test_reads_by_the_charset_of_the_header(site: TinySite) -> None:
    assert fetch(site, "/latin", extractor="everything").articleBody == "Élysée"


@pytest.mark.parametrize(("path", "reason"), [
    ("/members/1", "forbidden by robots.txt"), ("/to-members", "forbidden by robots.txt"),
    ("/to-intranet", "private address"), ("/to-file", "not a URL"), ("/loop", "too many redirects"),
    ("/nowhere-to", "the site answered 302"), ("/to-half-a-host", "not a URL"),
    ("/gone", "the site answered 410"), ("/gone-unpackable", "the site answered 410"), ("/bomb", "too large"),
    ("/broken-gzip", "not fetched"), ("/brotli", "not fetched"), ("/short", "not fetched"),
])  # fmt: skip
def test_says_why_there_is_no_page(path: str, reason: str, site: TinySite) -> None:
    with pytest.raises(FetchError) as caught:
        fetch(site, path)
    assert caught.value.reason == reason
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)  # noqa: S301 - our own


def test_robots_rules_are_those_for_the_user_agent(site: TinySite) -> None:
    with pytest.raises(FetchError, match=r"forbidden by robots\.txt"):
        fetch(site, STORY, user_agent="rude")


@pytest.mark.parametrize("path", ["/a.pdf", "/a.jpg"])
def test_what_is_no_page_is_refused(path: str, site: TinySite) -> None:
    with pytest.raises(NotHtml):
        fetch(site, path)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/", "http://localhost/", "http://2130706433/", "http://[::1]/", "http://169.254.169.254/x"]
)
def test_private_addresses_are_refused(url: str) -> None:
    with pytest.raises(FetchError, match="private address"):
        fetch_article(url)


def test_a_name_for_a_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    public = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 80))
    private = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [public, private])
    with pytest.raises(FetchError, match=r"private address: news\.example"):
        fetch_article("http://news.example/a")


@pytest.mark.parametrize(("url", "message"), [
    ("example.com/a", "not a URL"), ("ftp://example.com/a", "not a URL"), ("https://", "not a URL"),
    ("https://exa mple.com/", "not a URL"), ("http://me:hush@example.com/", "not a URL"),
    ("http://[broken/", "not a URL"), ("http://example.com:0/", "not a URL"),
])  # fmt: skip
def test_a_wrong_url_is_refused(url: str, message: str) -> None:
    with pytest.raises(FetchError, match=message) as caught:
        fetch_article(url)
    assert "hush" not in str(caught.value)


def test_rules_that_are_not_known_forbid(tiny_web: TinyWeb) -> None:
    ill = tiny_web({"/robots.txt": Reply(b"", 503), STORY: html(story())})
    with pytest.raises(FetchError, match=r"robots\.txt is not known: .* answered 503"):
        fetch(ill, STORY)


def test_rules_that_have_moved_are_followed(tiny_web: TinyWeb) -> None:
    routes = {"/robots.txt": moved("/r"), "/r": Reply(b"User-agent: *\nDisallow: /"), STORY: html(story())}
    with pytest.raises(FetchError, match="forbidden"):
        fetch(tiny_web(routes), STORY)


def test_an_answer_without_end_ends_in_time(tiny_web: TinyWeb) -> None:
    slow = tiny_web({STORY: html(story())})
    slow.dripping.add(STORY)
    with pytest.raises(FetchError, match=r"timeout: .* was not there within 0\.5 seconds"):
        fetch(slow, STORY, timeout=0.5)
    for thread in threading.enumerate():
        if thread.name == "newsextract-fetch":
            thread.join(10)
            assert not thread.is_alive()


def test_a_proxy_may_be_named_without_its_scheme_and_one_that_is_away_is_named(tiny_web: TinyWeb) -> None:
    routes = {"http://far.example/robots.txt": Reply(b"", 404), "http://far.example/a": html(story())}
    proxy = tiny_web(routes).home.removeprefix("http://").rstrip("/")
    page = PageFetcher(proxies={"http": proxy}).fetch("http://far.example/a")
    assert page.url == "http://far.example/a"
    with pytest.raises(FetchError, match=r"no way through the proxy: 127\.0\.0\.1:1, which http_proxy names"):
        PageFetcher(proxies={"http": "127.0.0.1:1"}).fetch("http://far.example/a")


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


@pytest.mark.parametrize("value", [
    ["127.0.0.1", "10.1.0.0/16", "Intranet.example"],
    '["127.0.0.1", "10.1.0.0/16", "intranet.example"]',
    "127.1, 10.1.0.0/16,intranet.example.",
])  # fmt: skip
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
