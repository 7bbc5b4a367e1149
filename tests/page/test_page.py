from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from newsextract.page.page import NotHtml, Page, PageError, TooLarge
from newsextract.reading.reader import extract, read_article

URL = "https://news.example/a/b.html"


def test_a_page_waits_for_no_other() -> None:
    # Nor does a child that is forked meanwhile, which would wait for ever.
    begun, is_read = Event(), Event()

    class SlowText(str):
        __slots__ = ()

        def removeprefix(self, prefix: str, /) -> str:
            begun.set()
            assert is_read.wait(5)
            return super().removeprefix(prefix)

    with ThreadPoolExecutor() as pool:
        slow = pool.submit(lambda: Page(SlowText("<p>slow</p>")).blocks)
        assert begun.wait(5)
        assert [block.text for block in Page("<p>quick</p>").blocks] == ["quick"]
        is_read.set()
        assert [block.text for block in slow.result()] == ["slow"]


@pytest.mark.parametrize(
    "nothing", ["", b"", " \n\t ", b"\n", "\ufeff", "<!-- only -->", "<!-- a --><!-- b -->", "\x00"]
)
def test_an_empty_page_has_no_blocks_and_no_article(nothing: str | bytes) -> None:
    assert Page(nothing).blocks == ()
    assert read_article(Page(nothing, URL)).articleBody is None


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0\x00\x10JFIF",
        b"GIF89a\x01\x00",
        b"PK\x03\x04\x14",
        b"\x1f\x8b\x08\x00",
        b"\x00\x01\x02\x03" * 300,
        bytes(range(1, 256)) * 4,
    ],
)
def test_refuses_what_is_not_html(body: bytes) -> None:
    with pytest.raises(NotHtml, match="not HTML") as caught:
        Page(body)
    assert caught.value.reason == "not HTML"


@pytest.mark.parametrize(
    ("html", "url", "message"),
    [
        (None, URL, "html is the text or the bytes of a page, not None"),
        (3, URL, "not of type int"),
        (["<p>"], URL, "not of type list"),
        ("<p>", 3, "url is the address of the page as text, or None, not of type int"),
        ("<p>", b"https://a.example/", "not of type bytes"),
    ],
)
def test_nonsense_gets_a_sentence(html: Any, url: Any, message: str) -> None:
    for read in (Page, read_article, extract):
        with pytest.raises(TypeError, match=message):
            read(html, url)


@pytest.mark.parametrize(
    ("html", "message"),
    [
        ("", "empty: html has no characters"),
        (b"", "empty: html has no characters"),
        ("https://a.example/b", r"not its URL; fetch_article\('https://a.example/b'\) fetches it"),
    ],
)
def test_what_is_plainly_no_page_gets_a_sentence(html: str | bytes, message: str) -> None:
    for read in (read_article, extract):
        with pytest.raises(PageError, match=message):
            read(html, URL)


def test_refuses_what_is_too_large() -> None:
    with pytest.raises(TooLarge, match="too large: 50,000,000 bytes") as caught:
        Page(b" " * 50_000_000)
    assert caught.value.reason == "too large"
    with pytest.raises(TooLarge):
        Page("12345", max_bytes=4)
    assert Page("1234", max_bytes=4).blocks


@pytest.mark.parametrize(
    "cut", ["<p>Story</p><p", "<p>Story</p><a href='x", "<p>Story</p><!-- x", "<p>Story</p><script>x", "<p>Story</p>&"]
)
def test_a_truncated_page_keeps_its_text(cut: str) -> None:
    assert Page(cut).blocks[0].text == "Story"


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("", URL),
        ("<base>", URL),
        ("<base href=''>", URL),
        ("<base href='  '>", URL),
        ("<base href='../c/'>", "https://news.example/c/"),
        ("<base href='//cdn.example/'>", "https://cdn.example/"),
        ("<base target=_top><base href=/first><base href=/second>", "https://news.example/first"),
        ("<base href='javascript:alert(1)'>", URL),
        ("<base href='data:text/html,x'>", URL),
        ("<base href='http://[broken'>", URL),
        ("<base href='file:///etc/'>", URL),
    ],
)
def test_relative_links_resolve_against_the_base(base: str, expected: str) -> None:
    assert Page(f"<head>{base}</head><body><p>x", URL).base_url == expected


def test_without_an_address_there_is_no_base() -> None:
    assert Page("<base href='/x'><p>x").base_url is None
    assert Page("<base href='https://a.example/x'><p>x").base_url == "https://a.example/x"
