"""`fetch_article`: one page, politely, safely and in bounded time."""

from __future__ import annotations

import gzip
import pickle
import socket
import threading
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from newsextract import FetchError, fetch_article
from newsextract.page.page import NotHtml
from newsextract.sites.fetching import PageFetcher
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


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/members/1", "forbidden by robots.txt"),
        ("/to-members", "forbidden by robots.txt"),
        ("/to-intranet", "private address"),
        ("/to-file", "not a URL"),
        ("/loop", "too many redirects"),
        ("/nowhere-to", "the site answered 302"),
        ("/to-half-a-host", "not a URL"),
        ("/gone", "the site answered 410"),
        ("/gone-unpackable", "the site answered 410"),
        ("/bomb", "too large"),
        ("/broken-gzip", "not fetched"),
        ("/brotli", "not fetched"),
        ("/short", "not fetched"),
    ],
)
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


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("example.com/a", "not a URL"),
        ("ftp://example.com/a", "not a URL"),
        ("https://", "not a URL"),
        ("https://exa mple.com/", "not a URL"),
        ("http://me:hush@example.com/", "not a URL"),
        ("http://[broken/", "not a URL"),
        ("http://example.com:0/", "not a URL"),
    ],
)
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
