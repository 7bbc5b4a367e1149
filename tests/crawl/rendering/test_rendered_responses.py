"""What of a request reaches the browser."""

from __future__ import annotations

from scrapy import Request

from newsextract.crawl.rendering.rendering import page_wanted


def test_gives_the_browser_every_cookie_whatever_is_in_the_others() -> None:
    cookies = 'choice={"ads": [1, 2]}; session=a=b; ; flag'
    wanted = page_wanted(Request("https://news.example/a", headers={"Cookie": cookies}), lambda _: True)
    assert wanted.cookies == {"choice": '{"ads": [1, 2]}', "session": "a=b"}


def test_gives_the_browser_no_cookie_without_one() -> None:
    assert page_wanted(Request("https://news.example/a"), lambda _: True).cookies == {}
