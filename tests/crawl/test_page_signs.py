"""The signs that a page shows to a subscriber, or to anybody else."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse

from newsextract.crawl.subscriptions.page_signs import MAX_ELEMENTS, shows
from newsextract.sites.subscriptions import Sign, SignKind


def _page(inside: str) -> HtmlResponse:
    return HtmlResponse("https://a.example/1", body=f"<body>{inside}</body>".encode(), encoding="utf-8")


@pytest.mark.parametrize("selector", ["a.out", "//a[@class='out']", "//a[@class='out']/text()"])
def test_a_selector_is_looked_for_on_the_page(selector: str) -> None:
    sign = Sign(SignKind.SELECTOR, selector)
    assert shows(sign, _page("<a class='out'>Log out</a>"))
    assert not shows(sign, _page("<a class='in'>Log in</a>"))


def test_a_selector_that_fails_on_a_page_shows_no_sign() -> None:
    assert not shows(Sign(SignKind.SELECTOR, "//ul[count(1)]"), _page("<ul><li>a</li></ul>"))


def test_a_page_that_would_hold_up_the_crawl_is_not_searched() -> None:
    sign = Sign(SignKind.SELECTOR, "i ~ i ~ i ~ i")
    assert shows(sign, _page("<i></i>" * 10))
    assert not shows(sign, _page("<i></i>" * MAX_ELEMENTS))
