"""The memory of a site in a crawl: used, kept in the database, and switched off."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.crawl.pipelines import ReadingPipeline, StoringPipeline
from newsextract.page.page import Page
from newsextract.reading.memory import FIRST_PAGES, StoredMemory, unpack
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


def crawled(database: str, numbers: Iterable[int], reason: str = "finished", **settings: object) -> list[str]:
    """Return the bodies that a run reads, which ends for a reason."""
    crawl = Crawl(database, **settings)
    bodies = [crawl.read(page_of(number)).articleBody or "" for number in numbers]
    crawl.close(reason)
    return bodies


def test_what_the_pages_of_a_site_share_is_left_out_once_its_first_pages_have_taught_it(database: str) -> None:
    bodies = crawled(database, range(12))
    assert [NOTICE in body for body in bodies] == [number < FIRST_PAGES for number in range(12)]
    (body,) = crawled(database, [13])
    assert body
    assert NOTICE not in body
    store = ArticleStore.open(database)
    revision, packed, _ = SiteMemoryStore(store.engine).load("plain.example") or StoredMemory(0, b"")
    store.close()
    assert revision == FIRST_PAGES + 2, "after each of the first, and at the end of both runs"
    memory = unpack(packed)
    assert memory is not None
    assert memory.pages == 13


def test_a_run_that_goes_on_with_another_reads_as_that_did(database: str) -> None:
    few = FIRST_PAGES - 2
    assert all(NOTICE in body for body in crawled(database, range(few), "shutdown"))
    bodies = crawled(database, range(few, few + 4), "shutdown")
    assert [NOTICE in body for body in bodies] == [True, True, False, False]
    assert NOTICE not in crawled(database, [20])[0]


def test_of_a_node_that_dies_the_first_pages_stay_learned(database: str) -> None:
    dying, other = Crawl(database), Crawl(database)
    for number in range(FIRST_PAGES + 2):
        dying.read(page_of(number))
    # It says nothing more.
    assert NOTICE not in (other.read(page_of(13)).articleBody or "")
    other.close()
    assert learned_pages(database) == FIRST_PAGES + 1
    dying.close("shutdown")
    assert learned_pages(database) == FIRST_PAGES + 3, "it was only silent, and brings what it knows"


def learned_pages(database: str) -> int:
    store = ArticleStore.open(database)
    kept = SiteMemoryStore(store.engine).load("plain.example")
    store.close()
    memory = unpack(kept.packed) if kept else None
    assert memory is not None
    return memory.pages


def test_can_be_switched_off(database: str) -> None:
    assert all(NOTICE in body for body in crawled(database, range(12), NEWSEXTRACT_SITE_MEMORY=False))
    store = ArticleStore.open(database)
    assert SiteMemoryStore(store.engine).load("plain.example") is None
    store.close()


def test_every_extractor_can_leave_out_what_other_pages_have(database: str) -> None:
    options: dict[str, Any] = {
        "NEWSEXTRACT_EXTRACTOR": "mss",
        "NEWSEXTRACT_EXTRACTOR_OPTIONS": {"cleaning": "site_memory"},
    }
    assert NOTICE in crawled(database, range(12), **options)[0]
    assert NOTICE not in crawled(database, [13], **options)[0]
