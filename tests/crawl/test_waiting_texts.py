from __future__ import annotations

from typing import Any

from scrapy.utils.test import get_crawler

from newsextract.crawl.extensions.waiting_texts import NOT_KEPT, WaitingTexts
from newsextract.crawl.page_end import FORBIDDEN


def texts(max_bytes: int) -> WaitingTexts:
    stats: Any = get_crawler().stats
    return WaitingTexts(stats, max_bytes)


def test_keeps_no_more_than_its_limit() -> None:
    waiting = texts(10)
    for number in range(5):
        waiting.keep(f"https://a.example/{number}", b"1234")
    assert waiting.size == 8
    assert waiting.stats.get_value(NOT_KEPT) == 3
    assert waiting.take("https://a.example/0") == b"1234"
    assert waiting.take("https://a.example/0") is None
    waiting.keep("https://a.example/7", b"123456")
    assert waiting.size == 10


def test_follows_redirects() -> None:
    waiting = texts(100)
    waiting.keep("https://a.example/?p=1", b"one")
    waiting.keep("https://a.example/one", b"other")
    waiting.move("https://a.example/?p=1", "https://a.example/one")
    assert waiting.take("https://a.example/one") == b"other"
    assert waiting.size == 0
    waiting.keep("https://a.example/?p=2", b"two")
    waiting.move("https://a.example/?p=2", "https://a.example/two")
    assert waiting.take("http://www.a.example/two/") == b"two"


def test_knows_how_a_page_has_ended_until_it_is_asked() -> None:
    waiting = texts(100)
    waiting.begin("https://a.example/1", FORBIDDEN)
    assert waiting.end_of("https://a.example/1") == FORBIDDEN
    assert waiting.end_of("https://a.example/1") is None
