"""What feeds, news sitemaps, headers and a site's tdmrep.json say about a page reaches the reader."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from newsextract.crawl.opt_in import ArticleMiddleware
from newsextract.page.page import Page
from tests.scrapy_runs import Reply, html, listing, moved, story

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from newsextract.page.page import Hints
    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

SPY = """
import json

class Spy:
    def process_item(self, item):
        if hasattr(item, "hints"):
            hints = item.hints
            told = {"title": hints.title, "date": hints.date, "headers": hints.headers, "tdm": hints.site_rights}
            with open("hints.jsonl", "a") as file:
                file.write(json.dumps({"url": item.url, **told}) + "\\n")
        return item
"""
"""A pipeline that writes down what is known of the pages."""

FED, NEWS, PLAIN, LINKED = (f"/2026/05/{day}/the-mayor-opens-a-new-bridge.html" for day in (20, 21, 22, 23))
RESERVED = {"tdmrep.json": "tdm-reservation: 1\ntdm-policy: https://example.com/policy"}

RSS = f"""<rss version="2.0"><channel><item><title>Bridge &amp; tunnel</title><link>{FED}</link>
<pubDate>Wed, 20 May 2026 08:00:00 +0200</pubDate></item></channel></rss>"""
SITEMAP = f"""<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9">
<url><loc>{PLAIN}</loc><lastmod>2026-05-30</lastmod></url><url><loc>{FED}</loc><lastmod>2026-05-30</lastmod></url>
<url><loc>{NEWS}</loc><lastmod>2026-05-30</lastmod><news:news><news:title>A bridge</news:title>
<news:publication_date>2026-05-21T10:00:00+02:00</news:publication_date></news:news></url></urlset>"""
TDMREP = [
    {"location": "/2026/05/20/", "tdm-reservation": 0},
    {"location": "/2026/", "tdm-reservation": 1, "tdm-policy": "https://example.com/policy"},
]


JOB = ("-s", "JOBDIR=job", "-s", "NEWSEXTRACT_DATABASE=")


@pytest.fixture(scope="module")
def site(tiny_web: TinyWeb) -> TinySite:
    return tiny_web(
        {
            "/robots.txt": Reply(b"Sitemap: /sitemap.xml"),
            "/.well-known/tdmrep.json": Reply(json.dumps(TDMREP).encode()),
            "/sitemap.xml": Reply(SITEMAP.encode()),
            "/rss": Reply(RSS.encode()),
            "/": html(listing(LINKED, head='<link rel="alternate" type="application/rss+xml" href="/rss">')),
            FED: html(story(1), X_Robots_Tag="noai", Server="tiny"),
            NEWS: html(story(2)),
            PLAIN: html(story(3)),
            LINKED: html(story(4)),
        }
    )


@pytest.fixture(scope="module")
def run(site: TinySite, crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return spied(crawl, tmp_path_factory.mktemp("hints"), site.home, *JOB, "-s", "DOWNLOAD_DELAY=0.1")


def spied(crawl: Scrapy, folder: Path, *arguments: str) -> Run:
    (folder / "spy.py").write_text(SPY)
    return crawl(folder, *arguments, "-s", 'ITEM_PIPELINES={"spy.Spy": 10}')


def hints(run: Run, path: str) -> dict[str, Any]:
    lines: list[dict[str, Any]] = [json.loads(line) for line in (run.folder / "hints.jsonl").read_text().splitlines()]
    (found,) = [line for line in lines if line["url"].endswith(path)]
    return found


@pytest.mark.parametrize(
    ("path", "title", "date"),
    [
        (FED, "Bridge & tunnel", "2026-05-20T08:00:00+02:00"),
        (NEWS, "A bridge", "2026-05-21T10:00:00+02:00"),
        # The time of a change is none of publication, and the text of a link no headline.
        (PLAIN, None, None),
        (LINKED, None, None),
    ],
)
def test_feeds_and_news_sitemaps_tell_title_and_date(run: Run, path: str, title: str | None, date: str | None) -> None:
    assert (hints(run, path)["title"], hints(run, path)["date"]) == (title, date)


def test_the_first_rule_of_the_tdmrep_that_matches_is_the_pages(run: Run, site: TinySite) -> None:
    assert hints(run, FED)["tdm"] == {"tdmrep.json": "tdm-reservation: 0"}
    assert hints(run, NEWS)["tdm"] == hints(run, LINKED)["tdm"] == RESERVED
    assert site.log.count("/.well-known/tdmrep.json") == 1


def test_headers_that_matter_are_kept(run: Run) -> None:
    assert hints(run, FED)["headers"] == {"x-robots-tag": "noai"}
    assert hints(run, PLAIN)["headers"] == {}


def test_requests_fit_into_a_queue_on_disk(run: Run) -> None:
    assert run.adds_up()
    assert "Unable to serialize" not in run.err
    assert run.stats["scheduler/enqueued/disk"] == run.stats["scheduler/enqueued"]


SILENT = [
    Reply(b"", 404),
    Reply(b"", 403),
    html(b"<html>Not here</html>"),
    Reply(b"[" * 100_000),
    Reply(b" " * 1_000_000),
    Reply(b"", 500),
    moved("/"),
]
"""What stands where a tdmrep.json may stand; four of them cannot be read."""


def test_a_tdmrep_that_says_nothing_stops_nothing(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    routes = {"/": html(listing(FED)), FED: html(story())}
    homes = [tiny_web({**routes, "/.well-known/tdmrep.json": reply}).home for reply in SILENT]
    run = spied(crawl, tmp_path, ",".join(homes))
    assert [hints(run, f"{home[:-1]}{FED}")["tdm"] for home in homes] == [{}] * len(SILENT)
    # The others are the customary sitemaps, which the sites lack.
    assert run.stats["newsextract/sources/unread"] == len(SILENT) + 4
    assert run.stats["newsextract/pages"] == 2 * len(SILENT)
    assert run.adds_up()


def test_robots_txt_keeps_the_tdmrep_away(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    closed = Reply(b"User-agent: *\nDisallow: /.well-known/")
    routes = {"/": html(listing(FED)), FED: html(story())}
    site = tiny_web({**routes, "/robots.txt": closed})
    run = crawl(tmp_path, site.home)
    assert run.stats["newsextract/sources/unread"] == 1  # the sitemap
    assert "/.well-known/tdmrep.json" not in site.log


def hints_beside_items(meta: dict[str, Any], headers: dict[str, Any]) -> Hints:
    """Return the hints for a page that another spider requested with this meta."""
    request = Request("https://example.com/a", meta=meta)
    response = HtmlResponse(request.url, headers=headers, body=b"<p>", request=request)
    middleware = ArticleMiddleware.from_crawler(get_crawler(settings_dict={"NEWSEXTRACT_PAGE_BYTES": 1000}))

    async def items() -> AsyncIterator[dict[str, str]]:
        yield {"their": "item"}

    async def outputs() -> list[Any]:
        return [output async for output in middleware.process_spider_output(response, items())]

    _, page = asyncio.run(outputs())
    assert isinstance(page, Page)
    return page.hints


def test_repeated_headers_are_one_and_other_spiders_may_tell_too() -> None:
    headers = {"Link": ['</a>; rel="license"', "</b>; rel=next"], "TDM-Reservation": "1", "Content-Type": "text/html"}
    told = {"title": "A bridge", "date": "2026-05-20T08:00:00+02:00"}
    found = hints_beside_items({"newsextract": True, "newsextract_hints": told}, headers)
    assert found.headers == {"link": '</a>; rel="license", </b>; rel=next', "tdm-reservation": "1"}
    assert (found.title, found.date) == ("A bridge", "2026-05-20T08:00:00+02:00")
    assert hints_beside_items({"newsextract": True}, {}).title is None
    assert hints_beside_items({"newsextract": True, "newsextract_body": "<p>Rain</p>"}, {}).body == ("<p>Rain</p>",)


def test_a_body_selected_on_another_page_is_not_passed_on() -> None:
    response = HtmlResponse(
        "https://a.example/2", request=Request("https://a.example/2", meta={"newsextract_body": "x"})
    )
    ArticleMiddleware(get_crawler()).process_spider_input(response)
    assert "newsextract_body" not in response.meta
