from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from newsextract.page.urls import (
    MAX_URL_CHARS,
    clean_url,
    is_binary_url,
    is_on_site,
    same_owner,
    site_of,
    url_key,
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://example.com", "https://example.com/"),
        ("https://EXAMPLE.com:443/A//b/?x=%2F&x=2", "https://example.com/A//b/?x=%2F&x=2"),
        ("http://example.com:8000/a#comments", "http://example.com:8000/a"),
        ("https://example.com/a?z=1&a=2&", "https://example.com/a?z=1&a=2&"),
        ("  https://example.com/a\n", "https://example.com/a"),
        ("https://example.com/été?q=é", "https://example.com/%C3%A9t%C3%A9?q=%C3%A9"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://[2001:db8::1]:80/a", "http://[2001:db8::1]/a"),
    ],
)
def test_changes_only_the_spelling(url: str, expected: str) -> None:
    assert clean_url(url) == expected


@pytest.mark.parametrize(
    "tracking",
    [
        "utm_source=x",
        "UTM_Medium=x",
        "fbclid=1",
        "gclid=1",
        "mc_cid=1",
        "xtor=RSS-3",
        "at_medium=email",
        "pk_campaign=1",
        "spm=a.b",
    ],
)
def test_drops_tracking(tracking: str) -> None:
    assert clean_url(f"https://example.com/a?{tracking}") == "https://example.com/a"
    assert clean_url(f"https://example.com/a?id=3&{tracking}&b") == "https://example.com/a?id=3&b"


@pytest.mark.parametrize("query", ["id=7", "p=1234", "article=9", "cid=5", "ref=a", "from=x", "atlas=1", "spmx=1"])
def test_keeps_what_may_identify_the_article(query: str) -> None:
    assert clean_url(f"https://example.com/?{query}") == f"https://example.com/?{query}"


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "#top",
        "mailto:desk@example.com",
        "javascript:void(0)",
        "data:text/html,hello",
        "tel:+33123456789",
        "ftp://example.com/a",
        "http://",
        "http:///a",
        "http://[bad",
        "http://example.com:99999/",
        "http://example.com:port/",
        "http://{{host}}/a",
        "http://exa mple.com/",
        "http://a..b/",
        "https://example.com/\0",
        "https://example.com/" + "a" * MAX_URL_CHARS,
    ],
)
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
