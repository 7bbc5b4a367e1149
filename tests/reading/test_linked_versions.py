"""Versions of a page are those that it links itself, and that do not call another page their original."""

from __future__ import annotations

import pytest

from newsextract.page.page import Hints, Page
from newsextract.reading.notices import NoArticle
from newsextract.reading.pagination import linked_versions, require_version

URL = "https://www.news.example/2026/bridge"
AMP = "https://amp.news.example/2026/bridge"


def versions(head: str, url: str = URL) -> tuple[str, ...]:
    return linked_versions(Page(f"<head>{head}</head><body></body>", url)).addresses


def test_amp_comes_before_print_whatever_the_order() -> None:
    both = f'<link rel=alternate media=print href="?print=1"><link rel="amphtml" href="{AMP}">'
    assert versions(both) == (AMP, f"{URL}?print=1")


@pytest.mark.parametrize(
    "link",
    [
        "<link rel=amphtml href='https://news-example.cdn.ampproject.org/c/s/bridge'>",
        "<link rel=amphtml href='https://other.example/bridge'>",
        "<link rel=amphtml href='javascript:alert(1)'>",
        "<link rel=amphtml href=''><link rel=amphtml>",
        "<link rel=amphtml href='http://[::1'>",
        f"<link rel=amphtml href='{URL}#top'>",
        "<link rel=alternate href='/en/bridge' hreflang=en>",
        "<link rel=stylesheet media=print href='/print.css'>",
        "<link rel=canonical href='/bridge'><link rel=amphtml href='/bridge'>",
    ],
)
def test_nothing_else_is_a_version(link: str) -> None:
    assert versions(link) == ()


def test_a_base_counts_and_a_page_without_an_address_has_none() -> None:
    assert versions("<base href='https://www.news.example/m/'><link rel=amphtml href=bridge>") == (
        "https://www.news.example/m/bridge",
    )
    assert linked_versions(Page("<link rel=amphtml href=/amp/bridge>")).addresses == ()


def version(originals: tuple[str, ...]) -> Page:
    return Page("<p>x</p>", URL, hints=Hints(version_address=AMP, originals=originals))


def test_a_version_names_the_page_or_its_canonical_address_or_nothing() -> None:
    page = Page("<link rel=canonical href='/bridge-opens'><link rel=amphtml href='/amp'>", URL)
    amp = version(linked_versions(page).originals)
    for canonical in (URL, "https://www.news.example/bridge-opens", None):
        require_version(amp, canonical)
    with pytest.raises(NoArticle, match="a version of another page"):
        require_version(amp, "https://www.news.example/else")
    require_version(Page("<p>x</p>", URL), "https://www.news.example/else")


def test_links_of_a_version_are_relative_to_where_it_is_from() -> None:
    assert version(()).base_url == AMP
    assert Page("<p>x</p>", URL).base_url == URL
