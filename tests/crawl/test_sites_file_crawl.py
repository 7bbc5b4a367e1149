"""`sites.yml` in a crawl and part by part."""

from __future__ import annotations

import json
import re
import traceback
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from scrapy.utils.test import get_crawler

from newsextract.crawl.readers import plan_from_settings
from newsextract.crawl.spider_arguments import ArgumentError, SpiderArguments
from newsextract.newsroom.delivery.targets import Away, Webhook
from newsextract.sites.frontier import Frontier
from newsextract.sites.site import SOURCES, Limits, Site
from newsextract.storage.outbox import Letter
from tests.scrapy_runs import (
    NOWHERE,
    STORY,
    Reply,
    Run,
    Scrapy,
    TinySite,
    TinyWeb,
    html,
    listing,
    moved,
    serving,
    story,
)

if TYPE_CHECKING:
    from pathlib import Path


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


HOME = "http://127.0.0.1:9/"


def test_reads_all_four() -> None:
    arguments = SpiderArguments.parse(sites="example.com other.example", since="2d", limit="7", discover="links, feeds")
    assert [site.home for site in arguments.sites] == ["https://example.com/", "https://other.example/"]
    assert arguments.since is not None
    assert abs(datetime.now(UTC) - timedelta(days=2) - arguments.since) < timedelta(seconds=5)
    assert arguments.limit == 7
    limits = arguments.limits_of(arguments.sites[0])
    assert limits.discover == {"links", "feeds"}


@pytest.mark.parametrize(("argument", "value", "message"), [
    ("sites", "", "which sites?"),
    ("sites", "missing.csv", "sites: missing.csv: no such file"),
    ("sites", "ftp://example.com/", "sites"),
    ("since", "yesterday", "since: cannot read 'yesterday'"),
    ("limit", "0", "limit"),
    ("limit", "none", "limit: 'none'"),
    ("discover", "feeds,guesses", "discover: guesses is not among feeds, sitemaps, links"),
    ("join_pages", "maybe", "join_pages: 'maybe' is neither yes nor no"),
])  # fmt: skip
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


COPY = "/2026/05/21/what-is-said-about-the-bridge.html"
MOVED = "/2026/05/21/the-story-that-moved-to-another-town.html"
SECONDS = 60


def by_number(run: Run) -> dict[str, dict[str, Any]]:
    return {row["headline"]: row for row in run.rows}


def test_the_hosts_of_one_site_in_the_list_may_share_an_article(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    main = tiny_web({"/": html(listing(STORY)), STORY: html(story(1))})
    canonical = f'<link rel="canonical" href="{main.home.rstrip("/") + STORY}">'
    mobile = tiny_web({"/": html(listing(STORY)), STORY: html(story(1, head=canonical))})
    sites = tmp_path / "sites.yml"
    sites.write_text(f"sites:\n- name: The town\n  start:\n  - {main.home}\n  - {mobile.home}\n")
    run = crawl(tmp_path, str(sites))
    assert run.states == {"listing": 2, "article": 1, "duplicate": 1}
    assert run.reasons["duplicate/same canonical URL"] == 1
    assert len(run.rows) == 1


def test_a_site_that_has_read_another_s_feed_keeps_nobody_from_it(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="{}">'
    true = tiny_web({})
    item = f"<item><link>{true.home[:-1]}{STORY}</link></item>"
    feed = f"<rss version='2.0'><channel><title>x</title>{item}</channel></rss>"
    true.routes = {
        "/": html(listing("/about", head=link.format("/feed"))),
        "/feed": Reply(feed.encode(), 200, {"Content-Type": "application/rss+xml", "ETag": '"1"'}),
        STORY: html(story(1)),
    }
    false = tiny_web({"/": html(listing("/about", head=link.format(f"{true.home}feed")))}, host="127.0.0.2")
    assert "article" not in crawl(tmp_path, false.home).states
    assert crawl(tmp_path, true.home).states["article"] == 1
    assert not true.not_modified


def test_sources_links_and_redirects_of_another_site_change_nothing(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    asked = Event()

    def true_story(_path: str) -> Reply:
        asked.set()
        return html(story(1, head='<meta property="article:published_time" content="2026-05-20T08:00:00+02:00">'))

    def late_home(_path: str) -> Reply:
        # The other site's requests are there first.
        asked.wait(SECONDS)
        return html(listing(STORY, MOVED))

    true = tiny_web({STORY: true_story, "/": late_home})
    address = true.home.rstrip("/") + STORY
    feed = (
        f"<rss version='2.0'><channel><title>x</title><item><title>A lie</title><link>{address}</link>"
        "<pubDate>Thu, 01 Jan 2015 00:00:00 GMT</pubDate></item></channel></rss>"
    )
    news = (
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">'
        f"<url><loc>{address}</loc><news:news><news:title>A lie</news:title>"
        "<news:publication_date>2015-01-01</news:publication_date></news:news></url></urlset>"
    )
    links = "".join(f'<link rel="alternate" type="application/rss+xml" href="{url}">' for url in ("/feed", address))
    false = tiny_web(
        {
            "/": html(listing(COPY, MOVED, address, head=links)),
            "/robots.txt": Reply(
                f"Sitemap: /news.xml\nSitemap: {address}\n".encode(), 200, {"Content-Type": "text/plain"}
            ),
            "/feed": Reply(feed.encode(), 200, {"Content-Type": "application/rss+xml"}),
            "/news.xml": Reply(news.encode(), 200, {"Content-Type": "application/xml"}),
            COPY: html(story(2, head=f'<link rel="next" href="{address}">')),
            MOVED: moved(address),
        }
    )
    true.routes = {**true.routes, MOVED: moved(false.home.rstrip("/") + COPY), "*": NOWHERE}
    run = crawl(tmp_path, f"{false.home},{true.home}", "-s", "NEWSEXTRACT_JOIN_PAGES=1")
    assert run.states == {"listing": 2, "article": 2, "error": 2}
    assert run.reasons["error/redirects off the site"] == 2
    rows = by_number(run)
    assert rows["Bridge 1"]["url"] == address
    assert rows["Bridge 1"]["date_published"] == "2026-05-20T08:00:00+02:00"
    assert "number 1" not in rows["Bridge 2"]["article_body"]


SECRET = "hush"


def places_of(secret: str, run: Run) -> list[str]:
    """Return the outputs and files of a run that have a secret in them."""
    files = {str(path): path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    texts = files | {"standard output": run.out.encode(), "standard error": run.err.encode()}
    return [name for name, text in texts.items() if secret.encode() in text]


def test_commands_tell_no_secret_of_their_settings(scrapy: Scrapy, tmp_path: Path) -> None:
    hook = {"url": f"http://127.0.0.1:9/{SECRET}?token={SECRET}", "secret": SECRET}
    values = {"NEWSEXTRACT_WEBHOOKS": json.dumps([hook]), "LOG_LEVEL": "DEBUG", "RETRY_TIMES": "0"}
    settings = [part for name, value in values.items() for part in ("-s", f"{name}={value}")]
    proxy = {"http_proxy": f"http://me:{SECRET}@127.0.0.1:9"}
    broker = ["-s", f"NEWSEXTRACT_BROKER=redis://me:{SECRET}@127.0.0.1:9/0"]
    for command in (["doctor", *broker], ["extract", "http://news.example/"]):
        assert places_of(SECRET, scrapy(tmp_path, *command, *settings, **proxy)) == [], command


@pytest.mark.parametrize("host", ["127.0.0.1:9", "nowhere.invalid", ""])
def test_a_webhook_that_fails_tells_no_secret(host: str, caplog: pytest.LogCaptureFixture) -> None:
    letter = Letter(1, "id", "article", "{}")
    with serving(TinySite()) as site, caplog.at_level("DEBUG"):
        hook = Webhook(f"http://{host or urlsplit(site.home).netloc}/{SECRET}?token={SECRET}", ["article"], SECRET)
        with pytest.raises(Away) as failure:
            hook.deliver([letter])
    told = "".join(traceback.format_exception(failure.value))
    assert SECRET not in told + caplog.text + hook.name


@pytest.mark.parametrize("url", [
    f"postgresql://reader@127.0.0.1:9/news?password={SECRET}", f"postgresql://reader:{SECRET}@127.0.0.1:port/news",
    f"mysql://reader:a/{SECRET}@b@127.0.0.1:9/news", f"mysql://nobody:{SECRET}@127.0.0.1/test",
    f"nonsense:{SECRET}",
])  # fmt: skip
def test_a_database_that_cannot_be_opened_tells_no_password(scrapy: Scrapy, tmp_path: Path, url: str) -> None:
    for command in (("search", "bridge"), ("doctor",)):
        run = scrapy(tmp_path, *command, "-s", f"NEWSEXTRACT_DATABASE={url}", "-s", "LOG_LEVEL=DEBUG")
        assert run.code
        assert places_of(SECRET, run) == [], command


def test_a_crawl_whose_database_cannot_be_opened_tells_no_password(scrapy: Scrapy, tmp_path: Path) -> None:
    url = f"postgresql://reader:{SECRET}@127.0.0.1:9/news"
    crawl = ("crawl", "news", "-a", "sites=http://127.0.0.1:9/", "-s", "LOG_LEVEL=DEBUG")
    run = scrapy(tmp_path, *crawl, "-s", f"NEWSEXTRACT_DATABASE={url}")
    assert (bool(run.code), places_of(SECRET, run)) == (True, [])


@pytest.mark.parametrize("command", [
    ("crawl", "news", "-a", f"sites=me:{SECRET}@example.com"), ("crawl", "news", "-a", "sites=sites.yml"),
    ("crawl", "news", "-a", "sites=sites.txt"), ("extract", f"http://me:{SECRET}@127.0.0.1:9/"),
    ("probe", f"http://me:{SECRET}@127.0.0.1:9/"),
])  # fmt: skip
def test_a_password_in_the_url_of_a_site_is_refused_and_not_told(
    scrapy: Scrapy, tmp_path: Path, command: tuple[str, ...]
) -> None:
    lists = tmp_path / "sites.yml", tmp_path / "sites.txt"
    lists[0].write_text(f"sites:\n  - start: https://me:{SECRET}@example.com/\n")
    lists[1].write_text(f"https://me:{SECRET}@example.com/\n")
    run = scrapy(tmp_path, *command, "-s", "LOG_LEVEL=DEBUG")
    for path in lists:
        path.unlink()
    assert run.code == 2
    assert "a URL with a user or a password is not fetched" in run.err
    assert places_of(SECRET, run) == []
