"""URLs: cleaned, compared, and told apart by site; links of a page, and whether they lead to articles."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html

from newsextract.page import urls as registrable_domains
from newsextract.page.links import ARTICLE_THRESHOLD, Link, article_likeness, is_section_like, page_links
from newsextract.page.urls import (
    MAX_URL_CHARS,
    clean_url,
    is_binary_url,
    is_on_site,
    is_public_suffix,
    same_owner,
    site_of,
    url_key,
)


@pytest.mark.parametrize(("url", "expected"), [
    ("https://example.com", "https://example.com/"),
    ("https://EXAMPLE.com:443/A//b/?x=%2F&x=2", "https://example.com/A//b/?x=%2F&x=2"),
    ("http://example.com:8000/a#comments", "http://example.com:8000/a"),
    ("https://example.com/a?z=1&a=2&", "https://example.com/a?z=1&a=2&"),
    ("  https://example.com/a\n", "https://example.com/a"),
    ("https://example.com/été?q=é", "https://example.com/%C3%A9t%C3%A9?q=%C3%A9"),
    ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ("http://[2001:db8::1]:80/a", "http://[2001:db8::1]/a"),
])  # fmt: skip
def test_changes_only_the_spelling(url: str, expected: str) -> None:
    assert clean_url(url) == expected


@pytest.mark.parametrize("tracking", [
    "utm_source=x", "UTM_Medium=x", "fbclid=1", "gclid=1", "mc_cid=1", "xtor=RSS-3", "at_medium=email",
    "pk_campaign=1", "spm=a.b",
])  # fmt: skip
def test_drops_tracking(tracking: str) -> None:
    assert clean_url(f"https://example.com/a?{tracking}") == "https://example.com/a"
    assert clean_url(f"https://example.com/a?id=3&{tracking}&b") == "https://example.com/a?id=3&b"


@pytest.mark.parametrize("query", ["id=7", "p=1234", "article=9", "cid=5", "ref=a", "from=x", "atlas=1", "spmx=1"])
def test_keeps_what_may_identify_the_article(query: str) -> None:
    assert clean_url(f"https://example.com/?{query}") == f"https://example.com/?{query}"


@pytest.mark.parametrize("garbage", [
    "", "#top", "mailto:desk@example.com", "javascript:void(0)", "data:text/html,hello", "tel:+33123456789",
    "ftp://example.com/a", "http://", "http:///a", "http://[bad", "http://example.com:99999/",
    "http://example.com:port/", "http://{{host}}/a", "http://exa mple.com/", "http://a..b/",
    "https://example.com/\0", "https://example.com/" + "a" * MAX_URL_CHARS,
])  # fmt: skip
def test_answers_none_to_what_is_no_page(garbage: str) -> None:
    assert clean_url(garbage) is None
    assert site_of(garbage) == ""


def test_resolves_against_the_page() -> None:
    base = "https://example.com/news/today/"
    assert clean_url("../a.html", base) == "https://example.com/news/a.html"
    assert clean_url("//cdn.example.org/a", base) == "https://cdn.example.org/a"
    assert clean_url("?page=2", base) == "https://example.com/news/today/?page=2"
    assert clean_url("http://[bad", base) is None
    assert clean_url("a", "http://[bad") is None


@given(st.text())
@example("http://\ud800/")
@example("http://xn--/")
@example("http://a" + "\u0300" * 300 + ".fr/")
def test_never_raises_and_settles_at_once(text: str) -> None:
    for url in (text, f"http://{text}", f"https://example.com/{text}"):
        for cleaned in (clean_url(url), clean_url(url, "https://example.com/a/")):
            is_on_site(url, text)
            same_owner(url, text)
            is_binary_url(url)
            url_key(url)
            assert cleaned is None or (clean_url(cleaned) == cleaned and urlsplit(cleaned).hostname)


def test_names_the_site() -> None:
    assert site_of("https://WWW.Example.co.uk:443/a") == "example.co.uk"
    assert site_of("http://user:word@example.com@evil.example/") == "evil.example"
    assert site_of("http://[::1]:81/") == "[::1]:81"


def test_the_key_joins_spellings_of_one_page_only() -> None:
    assert url_key("http://example.com/a/#x") == url_key("https://www.example.com/a?utm_source=y")
    assert url_key("https://example.com/a?id=1") != url_key("https://example.com/a?id=2")
    assert url_key("https://example.com/a") != url_key("https://m.example.com/a")


def test_tells_binaries_by_the_extension_of_the_path() -> None:
    assert is_binary_url("https://example.com/a.b/photo.JPG?w=300")
    assert is_binary_url("https://example.com/archive.tar.gz#x")
    assert not is_binary_url("https://example.com/show?file=a.pdf")
    assert not is_binary_url("https://example.zip/")


PAGE = "https://example.com/news/"


def links(body: str) -> list[Link]:
    return page_links(html.fromstring(f"<html><body>{body}</body></html>"), PAGE)


def test_lists_links_in_order_once_and_clean() -> None:
    found = links(
        '<a href="b?utm_source=x">Second <b>page</b>\n here</a><a href="/a">A</a><a href="b#top"></a>'
        '<a rel="nofollow" href="//example.org/c">C</a>'
    )
    assert found == [
        Link("https://example.com/news/b", "Second page here"),
        Link("https://example.com/a", "A"),
        Link("https://example.org/c", "C"),
    ]


@pytest.mark.parametrize("href", ["", "#top", "mailto:a@b.c", "javascript:void(0)", "x.pdf", "http://[bad", ".", "?#x"])
def test_leaves_out_what_is_no_other_page(href: str) -> None:
    assert links(f'<a href="{href}">text</a><a>no address</a>') == []


@pytest.mark.parametrize("anchor", [
    '<a href="/a"><img alt=" Flood  hits "></a>',
    '<a href="/a" title="Flood hits"> </a>',
    '<a href="/a" aria-label="Flood hits"><svg></svg></a>',
    '<a href="/a"><img src="x"></a><h2><a href="/a">Flood hits</a></h2>',
    '<a href="/a"><!-- note -->Flood hits</a>',
    '<map><area href="/a" title="Flood hits"></map>',
])  # fmt: skip
def test_reads_the_text_that_names_the_page(anchor: str) -> None:
    assert links(anchor) == [Link("https://example.com/a", "Flood hits")]


def test_a_link_ends_where_another_begins() -> None:
    found = links('<a href="/a">One <b><img alt=x></b> and <i><a href="/b">two</a></i> three</a>')
    assert found == [Link("https://example.com/a", "One and"), Link("https://example.com/b", "two")]


def test_heeds_the_base_element() -> None:
    tree = html.fromstring('<html><head><base href="/de/"></head><body><a href="a">A</a></body></html>')
    assert page_links(tree, PAGE) == [Link("https://example.com/de/a", "A")]
    tree = html.fromstring('<html><head><base href="http://[bad"></head><body><a href="a">A</a></body></html>')
    assert page_links(tree, PAGE) == [Link("https://example.com/news/a", "A")]


@pytest.mark.parametrize("path", [
    "/2024/05/14/floods",
    "/news/world/floods-close-three-alpine-passes",
    "/politik/wahl-in-bayern-das-ist-das-ergebnis-a-1234567.html",
    "/article/20240514-crue",
    "/actu/crue-dans-les-alpes_6234567_3210.html",
    "/news/articles/c0vw1y3k5lno-floods-alps-today",
    "/story/58e88d41-d4cb-50a8-8a40-07d4bca79e0d.html",
    "/?p=34508",
    "/c/2024-05/14/content_12345.htm",
    "/категория/наводнение-закрыло-три-перевала-в-альпах",
    "/%E6%96%B0%E9%97%BB/%E6%B4%AA%E6%B0%B4%E5%B0%81%E9%94%81%E9%98%BF%E5%B0%94%E5%8D%91%E6%96%AF%E5%B1%B1%E5%8F%A3",
])  # fmt: skip
def test_recognises_addresses_of_articles(path: str) -> None:
    assert article_likeness(f"https://example.com{path}") >= ARTICLE_THRESHOLD
    assert not is_section_like(f"https://example.com{path}", "A headline as long as headlines are")


@pytest.mark.parametrize("path", [
    "/", "/index.html", "/world", "/world/europe/", "/tag/floods-in-the-alpine-passes", "/author/ann-example",
    "/auteur/ann-example", "/Catégorie/Sport", "/suche?q=hochwasser", "/news?page=12", "/world/page/3/",
    "/login", "/mentions-legales", "/impressum.html", "/关于我们", "/タグ/東京",
])  # fmt: skip
def test_recognises_the_rest(path: str) -> None:
    assert article_likeness(f"https://example.com{path}") < ARTICLE_THRESHOLD


@pytest.mark.parametrize("headline", ["Floods close three Alpine passes", "洪水封锁阿尔卑斯山三处山口"])
def test_a_headline_speaks_for_an_article(headline: str) -> None:
    url = "https://example.com/floods-in-alps"
    assert article_likeness(url, headline) > article_likeness(url, "Alps")


@pytest.mark.parametrize("path", ["/", "/world", "/en/news/europe", "/arts-and-culture/", "/rubrique/sport"])
def test_visits_sections(path: str) -> None:
    assert is_section_like(f"https://example.com{path}")


@pytest.mark.parametrize(
    "path", ["/login", "/about-us", "/datenschutz", "/tag/alps", "/author/ann", "/news?page=2", "/a/b/c/d", "/feed"]
)
def test_visits_nothing_endless_or_about_the_house(path: str) -> None:
    assert not is_section_like(f"https://example.com{path}")


@pytest.mark.parametrize(("url", "site", "expected"), [
    ("https://www.example.com/a", "example.com", True), ("https://example.com/a", "www.example.com", True),
    ("https://sport.example.com/a", "Example.com", True),
    ("https://example.com.evil.example/", "example.com", False),
    ("https://example.com/", "sport.example.com", False), ("http://127.0.0.1:81/", "127.0.0.1:80", False),
    ("http://127.0.0.1/", "127.0.0.1:80", True), ("http://127.0.0.1:81/", "127.0.0.1:81", True),
    ("https://anna.github.io/", "github.io", False), ("mailto:a@example.com", "example.com", False),
    ("https://example.com/", "", False),
])  # fmt: skip
def test_knows_whose_page_it_is(url: str, site: str, expected: bool) -> None:
    assert is_on_site(url, site) is expected


@pytest.mark.parametrize(("one", "other"), [
    ("https://www.example.com/a", "http://example.com:80/b"),
    ("https://amp.sport.example.com/a", "https://m.example.com/a"),
    ("https://news.example.co.uk/", "https://www.example.co.uk/"),
    ("https://anna.github.io/a", "https://www.anna.github.io/b"),
    ("https://a.newsroom.internal/", "https://b.newsroom.internal/"),
    ("https://新闻.公司.cn/", "https://m.xn--efvy88h.xn--55qx5d.cn/"),
    ("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b"),
    ("http://localhost:8000/a", "http://localhost:8000/b"),
])  # fmt: skip
def test_hosts_of_one_domain_have_one_owner(one: str, other: str) -> None:
    assert same_owner(one, other)
    assert same_owner(other, one)


@pytest.mark.parametrize(("one", "other"), [
    ("https://example.com/", "https://example.org/"), ("https://a.co.uk/", "https://b.co.uk/"),
    ("https://anna.blogspot.com/", "https://ben.blogspot.com/"),
    ("https://anna.github.io/", "https://github.io/"), ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/"),
    ("http://1.127.0.0.1.example/", "http://127.0.0.1/"), ("http://10.0.0.1/", "http://11.0.0.1/"),
    ("http://[2001:db8::1]/", "http://[2001:db8::2]/"), ("http://localhost:8000/", "http://localhost/"),
    ("http://example.com:8000/", "http://example.com/"),
    ("http://example.com@evil.test/", "http://example.com/"), ("javascript:alert(1)", "javascript:alert(1)"),
    ("", ""),
])  # fmt: skip
def test_others_have_not(one: str, other: str) -> None:
    assert not same_owner(one, other)
    assert not same_owner(other, one)


def test_the_list_is_the_one_in_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it must not be fetched")

    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    registrable_domains._public_suffixes.cache_clear()
    is_public_suffix.cache_clear()
    assert is_public_suffix("co.uk")
