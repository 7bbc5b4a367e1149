"""One text under many headlines of a site: an alarm, and no article."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from newsextract.article import Article
from newsextract.crawl.extensions.site_health import SITES_ARE_ILL
from newsextract.crawl.page_end import WALLED, PageDropped
from newsextract.crawl.pipelines.walls import WARNING, WallPipeline
from tests.scrapy_runs import html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

PATHS = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 20)]


def test_a_wall_is_an_alarm_and_no_article(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    walls = {path: html(story(1).replace(b"Bridge 1", f"Bridge {n}".encode())) for n, path in enumerate(PATHS)}
    site = tiny_web({"/": html(listing(*PATHS)), **walls})
    run = crawl(tmp_path, site.home, "-s", "NEWSEXTRACT_WORKERS=0")
    assert run.code == SITES_ARE_ILL
    assert run.states == {"article": 1, "duplicate": 1, "blocked": 8, "listing": 1}
    assert run.reasons["blocked/same text under other headlines"] == 8
    assert f"site {site.name}: wall: 8 of 11 pages have the same text" in run.out
    (row,) = run.rows
    assert WARNING in json.loads(row["warnings"])
    assert run.adds_up()


def test_a_wall_flags_no_row_of_the_site_that_it_names_as_canonical(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    true = tiny_web({"/": html(listing(PATHS[0])), PATHS[0]: html(story(1))})
    crawl(tmp_path, true.home)
    head = f'<link rel="canonical" href="{true.home.rstrip("/")}{PATHS[0]}">'
    walls = {
        path: html(story(2, head=head).replace(b"Bridge 2", f"Bridge {n}".encode())) for n, path in enumerate(PATHS[:4])
    }
    false = tiny_web({"/": html(listing(*walls)), **walls}, host="127.0.0.2")
    run = crawl(tmp_path, false.home)
    assert run.states["blocked"] == 2
    warnings = {row["site"]: json.loads(row["warnings"] or "[]") for row in run.rows}
    assert WARNING not in warnings[true.name]
    assert WARNING in warnings[false.name]


def items(*headlines: str, body: str = "A text that stands everywhere.") -> list[Article]:
    return [Article(url=f"https://a.example/{n}", headline=each, articleBody=body) for n, each in enumerate(headlines)]


def test_a_story_at_many_addresses_and_one_with_two_headlines_are_no_wall() -> None:
    pipeline = WallPipeline()
    for item in items("One", "one ", "ONE", "Two", "One", "Two"):
        assert asyncio.run(pipeline.process_item(item)) is item


def test_the_third_headline_makes_a_wall_and_the_text_of_another_site_does_not_count() -> None:
    pipeline = WallPipeline()
    first, second, third = items("One", "Two", "Three")
    elsewhere = Article(url="https://b.example/", headline="Three", articleBody=first.articleBody)
    for item in (first, second, elsewhere):
        assert asyncio.run(pipeline.process_item(item)) is item
    with pytest.raises(PageDropped) as dropped:
        asyncio.run(pipeline.process_item(third))
    assert dropped.value.end == WALLED
