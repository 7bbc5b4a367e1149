"""The memory of a site in a crawl: used, kept in the database, and switched off."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.pipelines import ReadingPipeline, StoringPipeline
from newsextract.page.page import Page
from newsextract.reading.memory import unpack
from newsextract.storage.articles import ArticleStore
from newsextract.storage.site_memory_table import SiteMemoryStore
from tests.crawl.parts import close, new_parts

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.article import Article


NOTICE = "This text is on every page of the site, and stands where the paragraphs stand, as a story's last one."


def page_of(number: int) -> Page:
    words = [chr(97 + number) + chr(97 + n) * 2 for n in range(26)]
    told = "".join(
        f"<p>On {first} the council of {second} said that the bridge, which {first} had closed, would open in May.</p>"
        for first, second in zip(words[:8], words[8:16], strict=True)
    )
    stated = json.dumps({"@type": "NewsArticle", "headline": f"Bridge {words[0]} opens"})
    html = (
        f"<title>Bridge {words[0]} opens | The Plain</title><script type=application/ld+json>{stated}</script>"
        f"<body><article><h1>Bridge {words[0]} opens</h1><div class=article-body>{told}<p>{NOTICE}</p></div></article>"
    )
    return Page(html, f"https://plain.example/news/2026/05/{number + 1}/bridge-{words[0]}-opens.html")


class Crawl:
    """The pipelines of a crawl, called as Scrapy calls them."""

    def __init__(self, database: str, **settings: object) -> None:
        self.parts = new_parts(**{"NEWSEXTRACT_DATABASE": database, "NEWSEXTRACT_EXTRACTOR": "auto", **settings})
        assert self.parts.database is not None
        self.reading, self.storing = ReadingPipeline(self.parts), StoringPipeline(self.parts.database)

    def read(self, page: Page) -> Article:
        async def read() -> Article:
            article: Article = await self.storing.process_item(await self.reading.process_item(page))
            return article

        return asyncio.run(read())

    def close(self, reason: str = "finished") -> None:
        close(self.parts, reason)


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/articles.db"


def crawled(database: str, numbers: Iterable[int], **settings: object) -> dict[int, str]:
    """Return the bodies that a run reads."""
    crawl = Crawl(database, **settings)
    bodies = {number: crawl.read(page_of(number)).articleBody or "" for number in numbers}
    crawl.close()
    return bodies


def test_what_was_learned_changes_no_body_whatever_the_order(database: str) -> None:
    first = crawled(database, range(20))
    assert all(NOTICE in body for body in first.values())
    assert crawled(database, reversed(range(20))) == first
    assert learned_pages(database) == 20


def test_of_two_that_crawl_at_once_both_are_remembered(database: str) -> None:
    one, other = Crawl(database), Crawl(database)
    for number in range(4):
        one.read(page_of(number))
    other.read(page_of(13))
    other.close()
    assert learned_pages(database) == 1
    one.close("shutdown")
    assert learned_pages(database) == 5


def learned_pages(database: str) -> int:
    store = ArticleStore.open(database)
    kept = SiteMemoryStore(store.engine).load("plain.example")
    store.close()
    memory = unpack(kept.packed) if kept else None
    assert memory is not None
    return memory.pages


def test_can_be_switched_off(database: str) -> None:
    crawled(database, range(3), NEWSEXTRACT_SITE_MEMORY=False)
    store = ArticleStore.open(database)
    assert SiteMemoryStore(store.engine).load("plain.example") is None
    store.close()
