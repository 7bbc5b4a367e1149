"""Spider arguments (`-a`), and the errors for wrong ones."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.spider_arguments import ArgumentError, SpiderArguments
from tests.scrapy_runs import STORY, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinySite, TinyWeb

HOME = "http://127.0.0.1:9/"


def test_reads_all_four() -> None:
    arguments = SpiderArguments.parse(sites="example.com other.example", since="2d", limit="7", discover="links, feeds")
    assert [site.home for site in arguments.sites] == ["https://example.com/", "https://other.example/"]
    assert arguments.since is not None
    assert abs(datetime.now(UTC) - timedelta(days=2) - arguments.since) < timedelta(seconds=5)
    assert arguments.limit == 7
    limits = arguments.limits_of(arguments.sites[0])
    assert limits.discover == {"links", "feeds"}


def test_wants_everything_by_default() -> None:
    arguments = SpiderArguments.parse(sites="example.com")
    assert (arguments.since, arguments.limit) == (None, None)
    assert arguments.limits_of(arguments.sites[0]).discover == {"feeds", "sitemaps", "links"}


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("sites", "", "which sites?"),
        ("sites", "missing.csv", "sites: missing.csv: no such file"),
        ("sites", "ftp://example.com/", "sites"),
        ("since", "yesterday", "since: cannot read 'yesterday'"),
        ("limit", "0", "limit"),
        ("limit", "none", "limit: 'none'"),
        ("discover", "feeds,guesses", "discover: guesses is not among feeds, sitemaps, links"),
        ("join_pages", "maybe", "join_pages: 'maybe' is neither yes nor no"),
    ],
)
def test_names_the_wrong_one(argument: str, value: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        SpiderArguments.parse(**{"sites": HOME, argument: value})


def test_a_wrong_one_stops_the_command(crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, HOME, "-a", "site=https://example.com")
    assert run.code == 2
    assert "-a site: did you mean sites? the spider knows sites, since" in " ".join(run.err.split())
    assert "Traceback" not in run.err


def test_no_sites_is_no_crawl(scrapy: Scrapy, tmp_path: Path) -> None:
    run = scrapy(tmp_path, "crawl", "news")
    assert run.code == 2
    assert "which sites? scrapy crawl news -a sites=https://example.com" in run.err


def test_an_unknown_spider_is_told_the_known(scrapy: Scrapy, tmp_path: Path) -> None:
    run = scrapy(tmp_path, "crawl", "newz")
    assert run.code == 2
    assert "no spider is called 'newz'; there is news" in run.err
    assert "Traceback" not in run.err


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"/": html(listing(STORY)), STORY: html(story())})


def test_sites_may_be_a_file(site: TinySite, crawl: Scrapy, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text(f"name;url\nThe Bridge;{site.home}\n")
    run = crawl(tmp_path, "sites.csv")
    assert run.code == 0
    assert [line["url"] for line in run.lines] == [site.home.rstrip("/") + STORY]


def test_one_home_in_two_spellings_is_visited_once(site: TinySite, crawl: Scrapy, tmp_path: Path) -> None:
    site.log.clear()
    crawl(tmp_path, f"{site.home} {site.home}?utm_source=list")
    assert site.log.count("/") == 1


def test_the_customary_sitemap_is_read_also_without_robots(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = tiny_web({"/": html(b"<h1>Nothing here</h1>"), STORY: html(story())})
    sitemap = html(f"<urlset><url><loc>{site.home.rstrip('/')}{STORY}</loc></url></urlset>".encode())
    site.routes = {**site.routes, "/sitemap.xml": sitemap}
    run = crawl(tmp_path, site.home, "-s", "ROBOTSTXT_OBEY=0")
    assert len(run.lines) == 1
    assert "/robots.txt" not in site.log
