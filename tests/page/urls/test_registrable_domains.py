from __future__ import annotations

import socket

import pytest

from newsextract.page import urls as registrable_domains
from newsextract.page.urls import is_on_site, is_public_suffix, same_owner


@pytest.mark.parametrize(
    ("url", "site", "expected"),
    [
        ("https://www.example.com/a", "example.com", True),
        ("https://example.com/a", "www.example.com", True),
        ("https://sport.example.com/a", "Example.com", True),
        ("https://example.com.evil.example/", "example.com", False),
        ("https://example.com/", "sport.example.com", False),
        ("http://127.0.0.1:81/", "127.0.0.1:80", False),
        ("http://127.0.0.1/", "127.0.0.1:80", True),
        ("http://127.0.0.1:81/", "127.0.0.1:81", True),
        ("https://anna.github.io/", "github.io", False),
        ("mailto:a@example.com", "example.com", False),
        ("https://example.com/", "", False),
    ],
)
def test_knows_whose_page_it_is(url: str, site: str, expected: bool) -> None:
    assert is_on_site(url, site) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://www.example.com/a", "http://example.com:80/b"),
        ("https://amp.sport.example.com/a", "https://m.example.com/a"),
        ("https://news.example.co.uk/", "https://www.example.co.uk/"),
        ("https://anna.github.io/a", "https://www.anna.github.io/b"),
        ("https://a.newsroom.internal/", "https://b.newsroom.internal/"),
        ("https://新闻.公司.cn/", "https://m.xn--efvy88h.xn--55qx5d.cn/"),
        ("http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b"),
        ("http://localhost:8000/a", "http://localhost:8000/b"),
    ],
)
def test_hosts_of_one_domain_have_one_owner(one: str, other: str) -> None:
    assert same_owner(one, other)
    assert same_owner(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://example.com/", "https://example.org/"),
        ("https://a.co.uk/", "https://b.co.uk/"),
        ("https://anna.blogspot.com/", "https://ben.blogspot.com/"),
        ("https://anna.github.io/", "https://github.io/"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8001/"),
        ("http://1.127.0.0.1.example/", "http://127.0.0.1/"),
        ("http://10.0.0.1/", "http://11.0.0.1/"),
        ("http://[2001:db8::1]/", "http://[2001:db8::2]/"),
        ("http://localhost:8000/", "http://localhost/"),
        ("http://example.com:8000/", "http://example.com/"),
        ("http://example.com@evil.test/", "http://example.com/"),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("", ""),
    ],
)
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
