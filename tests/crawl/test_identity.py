"""What one site says of another's articles changes nothing about them."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

from tests.scrapy_runs import NOWHERE, STORY, Reply, Run, Scrapy, TinyWeb, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path


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
