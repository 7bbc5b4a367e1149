"""`newsextract rules`: the rules of a list, tried on the pages that it names."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tests.scrapy_runs import STORY, Reply, html, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

LOOPBACK = ("-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")


def _list_of(home: str, *paths: str, headline: str = "h1") -> str:
    tests = ", ".join(home[:-1] + path for path in paths)
    return f"sites: [{{start: {home}, rules: {{headline: {headline}}}, test_urls: [{tests}]}}]"


def test_test_pages_are_fetched_and_read_by_rule(scrapy: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({STORY: html(story())})
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY))
    run = scrapy(tmp_path, "rules", "sites.yml", *LOOPBACK)
    assert run.code == 0, run.err
    assert "rules hold on 1 of 1 page" in run.out
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY, headline="h2"))
    assert scrapy(tmp_path, "rules", "sites.yml", *LOOPBACK).code == 1


def test_robots_and_private_addresses_hold(scrapy: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({STORY: html(story()), "/robots.txt": Reply(b"User-agent: *\nDisallow: /")})
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY))
    allowed = scrapy(tmp_path, "rules", "sites.yml", *LOOPBACK)
    assert site.log == ["/robots.txt"]
    guarded = scrapy(tmp_path, "rules", "sites.yml", "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=0")
    assert site.log == ["/robots.txt"]
    assert (allowed.code, guarded.code) == (1, 1)


def test_a_host_is_asked_once_for_robots_txt_and_no_sooner_than_this_wants(
    scrapy: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    pages = {path: html(story()) for path in (STORY, "/2", "/3")}
    site = tiny_web({**pages, "/robots.txt": Reply(b"User-agent: *\nCrawl-delay: 2\nDisallow: /3")})
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY, "/2", "/3"))
    began = time.monotonic()
    run = scrapy(tmp_path, "rules", "sites.yml", *LOOPBACK)
    assert time.monotonic() - began > 4
    assert site.log == ["/robots.txt", STORY, "/2"]
    assert "rules hold on 2 of 3 pages" in run.out


def test_disabled_sites_are_fetched_only_if_they_are_named(scrapy: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({STORY: html(story())})
    disabled = _list_of(site.home, STORY).replace("sites: [{", "sites: [{enabled: false, name: The Town, ")
    (tmp_path / "sites.yml").write_text(disabled)
    run = scrapy(tmp_path, "rules", "sites.yml", *LOOPBACK)
    assert (run.code, site.log) == (2, [])
    assert "every such site is disabled; name those to fetch" in run.err
    wrong = scrapy(tmp_path, "rules", "sites.yml", "the twon", *LOOPBACK)
    assert (wrong.code, site.log) == (2, [])
    assert "'the twon' is no site with rules and test_urls; did you mean the town?" in wrong.err
    assert scrapy(tmp_path, "rules", "sites.yml", "the town", *LOOPBACK).code == 0
    assert STORY in site.log
