"""`sites.yml` in a crawl and part by part."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from scrapy.utils.test import get_crawler

from newsextract.crawl.readers import plan_from_settings
from newsextract.crawl.spider_arguments import ArgumentError, SpiderArguments
from newsextract.sites.frontier import Frontier
from newsextract.sites.site import SOURCES, Limits, Site
from tests.scrapy_runs import html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

WORLD, SPORT, FRENCH = (
    "/world/2026/a-long-story-of-today.html",
    "/sport/2026/a-long-match-of-today.html",
    "/fr/2026/x-y-z-w.html",
)


def in_language(number: int, language: str) -> bytes:
    return story(number).replace(b"<html>", f'<html lang="{language}">'.encode())


@pytest.fixture
def watch(tiny_web: TinyWeb, tmp_path: Path) -> dict[str, str]:
    """Write a list of two sites, which answer; return their homes."""
    stories = {f"/2026/05/20/a-story-with-the-number-{n}.html": html(in_language(n, "en")) for n in range(5)}
    many = tiny_web({"/": html(listing(*stories)), **stories})
    world = tiny_web(
        {
            "/": html(listing(WORLD, SPORT, FRENCH)),
            WORLD: html(in_language(11, "en-GB")),
            SPORT: html(in_language(12, "en")),
            FRENCH: html(in_language(13, "fr")),
        }
    )
    (tmp_path / "sites.yml").write_text(f"""
defaults: {{schedule: 30m}}
sites:
  - start: {many.home}
    name: Many
    limits: {{articles: 2, delay: 0.01}}
    extractor: eatiht:min_chars=10
  - start: {world.home}
    sections: {{except: /sport}}
    language: en
    discover: links
  - {{start: nowhere.example, enabled: false}}
""")
    return {"many": many.home, "world": world.home}


def test_a_crawl_does_what_the_file_says(watch: dict[str, str], crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, "sites.yml")
    assert run.code == 0
    assert run.adds_up()
    by_site = {name: [line for line in run.lines if line["url"].startswith(home)] for name, home in watch.items()}
    assert [line["extraction"]["extractor"] for line in by_site["many"]] == ["eatiht"] * 2
    assert [line["url"] for line in by_site["world"]] == [watch["world"].rstrip("/") + WORLD]
    assert by_site["world"][0]["extraction"]["extractor"] == "auto"
    assert run.reasons["other/another language"] == 1


def test_an_argument_stands_above_the_file(watch: dict[str, str], crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, "sites.yml", "-a", "limit=1", "-a", "discover=links")
    assert len(run.lines) == len(watch)


def test_a_wrong_file_stops_the_command(crawl: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites:\n  - a.example\n  - start: b.example\n    extractor: mms\n")
    run = crawl(tmp_path, "sites.yml")
    assert run.code == 2
    assert "sites.yml, line 4, column 5, sites[1].extractor: no extractor is called 'mms'" in run.err
    assert "Traceback" not in run.err


def test_limits_come_from_the_argument_then_from_the_file() -> None:
    own = Site("https://a.example/", discover=frozenset({"feeds"}), limits=Limits(5, 9, "2d"), join_pages=False)
    limits = SpiderArguments((own,)).limits_of(own)
    assert (limits.articles, limits.pages, limits.discover, limits.join_pages) == (5, 9, frozenset({"feeds"}), False)
    assert limits.since is not None
    assert abs(datetime.now(UTC) - timedelta(days=2) - limits.since) < timedelta(seconds=5)
    since = datetime(2026, 1, 1, tzinfo=UTC)
    asked = SpiderArguments((own,), since=since, limit=1, discover=frozenset({"links"}), join_pages=True)
    limits = asked.limits_of(own)
    assert (limits.articles, limits.since, limits.join_pages) == (1, datetime(2026, 1, 1, tzinfo=UTC), True)
    assert limits.discover == {"links"}
    assert [Frontier("a.example", discover=limits.discover).uses(kind) for kind in SOURCES] == [False, False, True]


def test_a_list_without_an_enabled_site_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites: [{start: a.example, enabled: false}]")
    with pytest.raises(ArgumentError, match="none of its sites is enabled"):
        SpiderArguments.parse(sites=str(tmp_path / "sites.yml"))


def test_comments_and_markdown_are_asked_for_by_settings() -> None:
    asked = {"NEWSEXTRACT_COMMENTS": True, "NEWSEXTRACT_MARKDOWN": "1"}
    plans = [plan_from_settings(get_crawler(settings_dict=given).settings) for given in ({}, asked)]
    extras = [plan.create().wanted for plan in plans]
    assert [(each.comments, each.markdown) for each in extras] == [(False, False), (True, True)]
