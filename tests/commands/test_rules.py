"""`scrapy rules check --live`: the rules of a list, tried on the pages that it names."""

from __future__ import annotations

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
    run = scrapy(tmp_path, "rules", "check", "sites.yml", "--live", *LOOPBACK)
    assert run.code == 0, run.err
    assert "1 pages of sites with rules: 1 follow all of them, 0 do not" in run.out
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY, headline="h2"))
    assert scrapy(tmp_path, "rules", "check", "sites.yml", "--live", *LOOPBACK).code == 1


def test_robots_and_private_addresses_hold(scrapy: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web({STORY: html(story()), "/robots.txt": Reply(b"User-agent: *\nDisallow: /")})
    (tmp_path / "sites.yml").write_text(_list_of(site.home, STORY))
    allowed = scrapy(tmp_path, "rules", "check", "sites.yml", "--live", *LOOPBACK)
    assert site.log == ["/robots.txt"]
    guarded = scrapy(tmp_path, "rules", "check", "sites.yml", "--live", "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=0")
    assert site.log == ["/robots.txt"]
    assert (allowed.code, guarded.code) == (1, 1)


def test_a_list_without_test_pages_says_what_to_write(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.yml").write_text("sites: [{start: https://a.example/, rules: {headline: h1}}]")
    run = scrapy(tmp_path, "rules", "check", "sites.yml", "--live")
    assert run.code == 2
    assert "no site has both rules and test_urls" in run.err


def test_an_import_replaces_no_file(scrapy: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.example.txt").write_text("body: //div[@id='story']")
    (tmp_path / "sites.yml").write_text("sites: [b.example]")
    run = scrapy(tmp_path, "rules", "import", "folder", "-o", "sites.yml")
    assert (run.code, (tmp_path / "sites.yml").read_text()) == (2, "sites: [b.example]")
    assert "-o: sites.yml is there already; name another file" in run.err
    assert scrapy(tmp_path, "rules", "import", "folder", "-o", "rules.yml").code == 0
