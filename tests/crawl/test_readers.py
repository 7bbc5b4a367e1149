"""How a crawl's pages are read in workers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from demo.server import DemoSite, last_midnight
from newsextract.crawl.readers import ReaderPlan, Readers
from newsextract.page.page import Page
from newsextract.reading.notices import NoArticle, NoticeCode, PageState
from newsextract.settings import workers_that_pay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.article import Article


def demo_pages() -> Iterator[Page]:
    """Yield the pages of all stories of the demo's first site."""
    site = DemoSite("courier", 2, last_midnight())
    for each in site.articles("https://demo.example"):
        path = each.url.removeprefix("https://demo.example")
        yield Page(site.respond(path, "https://demo.example")[2], each.url)


def articles(workers: int) -> list[Article]:
    readers = Readers(ReaderPlan("auto"), workers)
    read = [reading.result(100) for reading in [readers.read(page) for page in demo_pages()]]
    with pytest.raises(NoArticle) as ended:
        readers.read(Page("<p>Home</p>", "https://plain.example/")).result(100)
    assert (ended.value.state, ended.value.reason) == (PageState.LISTING, "home page")
    assert ended.value.reason.code is NoticeCode.OF_KIND
    readers.close().result(100)
    for article in read:
        assert article.metadata is not None
        article.metadata.dateDownloaded = ""
    return read


def test_processes_read_as_a_thread_does() -> None:
    read = articles(workers=2)
    assert len(read) == 16
    assert read == articles(workers=0)


def test_links_feeds_and_later_pages_of_a_page() -> None:
    readers = Readers(ReaderPlan("mss"), 0)
    page = Page(
        '<link rel=alternate type=application/rss+xml href=/rss><a href="/b">A headline</a>', "https://a.example/"
    )
    survey = readers.survey(page).result(100)
    assert [link.url for link in survey.links] == ["https://a.example/b"]
    assert survey.feeds == ("https://a.example/rss",)
    broken = readers.read_sitemap(
        b"<urlset><url><loc>https://a.example/1</loc></url>", "https://a.example/s.xml"
    ).result(100)
    assert [entry.url for entry in broken.entries] == ["https://a.example/1"]
    assert "broken XML" in str(broken.trouble)
    first, second = "https://a.example/a-story-of-five.html", "https://a.example/a-story-of-five.html?page=2"
    page = Page(f"<link rel=canonical href={first}><a href='?page=3'>3</a>", second)
    place = readers.paginate(page, first).result(100)
    assert (place.first_page, place.next_page) == (first, f"{first}?page=3")
    readers.close().result(100)


def test_one_processor_is_not_shared_by_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {}
    for count in (1, 2, 64):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, count=count: set(range(count)), raising=False)
        counts[count] = workers_that_pay()
    assert counts == {1: 0, 2: 2, 64: 8}
