from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.reading.metadata.clues import Metadata

    Reader = Callable[..., Metadata]

OWN = "https://www.example.com/news/rain"


@pytest.mark.parametrize(
    ("href", "reason"),
    [
        ("https://www.example.com/", "a home page"),
        ("https://www.example.com/index.html", "a home page"),
        ("https://www.example.com/en/", "a home page"),
        ("https://www.example.com/?utm_source=x", "a home page"),
        ("https://other.example.org", "a home page"),
        ("https://other.example.org/de-ch/", "a home page"),
        ("https://www.example.com/{{ article.url }}", "a template"),
        ("https://www.example.com/news/undefined", "a template"),
        ("http://localhost:3000/news/rain", "not an address of the public web"),
        ("http://10.0.3.7/news/rain", "not an address of the public web"),
        ("http://backend/news/rain", "not an address of the public web"),
        ("http://[", "not an address of the web"),
        ("about:blank", "not an address of the web"),
    ],
)
def test_refuses_what_cannot_be_the_page(read: Reader, href: str, reason: str) -> None:
    found = read(f'<link rel="canonical" href="{href}">', OWN)
    assert found.canonicalUrl is None
    assert any(w.startswith("canonicalUrl: meta_tags says") and reason in w for w in found.warnings)


@pytest.mark.parametrize(
    "href",
    [
        "https://www.example.com/news/rain",
        "https://m.example.com/rain",
        "https://agency.example.org/2023/rain",
        "https://www.example.com/?p=12",
        "https://www.example.com/en/rain",
    ],
)
def test_keeps_another_address_of_the_page(read: Reader, href: str) -> None:
    assert read(f'<link rel="canonical" href="{href}">', OWN).canonicalUrl == href


def test_a_page_named_in_the_query_is_no_home_page(read: Reader) -> None:
    found = read('<link rel="canonical" href="https://example.com/">', "https://example.com/?p=12")
    assert found.canonicalUrl is None


def test_a_home_page_is_not_another_site_s(read: Reader) -> None:
    found = read('<link rel="canonical" href="https://other.example.org/">', "https://example.com/")
    assert found.canonicalUrl is None


@pytest.mark.parametrize("own", ["https://example.com/en/", "http://www.example.com"])
def test_a_home_page_has_its_own(read: Reader, own: str) -> None:
    assert read(f'<link rel="canonical" href="{own}">', own).canonicalUrl == own


def test_asks_the_next_source_after_a_refusal(read: Reader) -> None:
    found = read(f'<link rel="canonical" href="/"><meta property="og:url" content="{OWN}">', OWN)
    assert found.canonicalUrl == OWN


def test_a_newsroom_s_own_machines_may_name_each_other(read: Reader) -> None:
    own = "http://localhost:8000/rain?draft=1"
    assert read('<link rel="canonical" href="/rain">', own).canonicalUrl == "http://localhost:8000/rain"
