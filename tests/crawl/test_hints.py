"""What feeds, headers and tdmrep.json say about a page reaches the reader, and feeds' texts stand in for pages."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from html import escape
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from newsextract.crawl.opt_in import ArticleMiddleware
from newsextract.page.page import Page
from tests.scrapy_runs import NOWHERE, Reply, Routes, Run, Scrapy, TinySite, TinyWeb, html, listing, moved, story

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from newsextract.page.page import Hints


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


@pytest.mark.parametrize(("path", "title", "date"), [
    (FED, "Bridge & tunnel", "2026-05-20T08:00:00+02:00"),
    (NEWS, "A bridge", "2026-05-21T10:00:00+02:00"),
    # The time of a change is none of publication, and the text of a link no headline.
    (PLAIN, None, None),
    (LINKED, None, None),
])  # fmt: skip
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
    Reply(b"", 404), Reply(b"", 403), html(b"<html>Not here</html>"), Reply(b"[" * 100_000),
    Reply(b" " * 1_000_000), Reply(b"", 500), moved("/"),
]  # fmt: skip
"""What stands where a tdmrep.json may stand; four of them cannot be read."""


def test_a_tdmrep_that_says_nothing_or_is_forbidden_stops_nothing(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    routes = {"/": html(listing(FED)), FED: html(story())}
    forbidden = tiny_web({**routes, "/robots.txt": Reply(b"User-agent: *\nDisallow: /.well-known/")})
    sites = [*(tiny_web({**routes, "/.well-known/tdmrep.json": reply}) for reply in SILENT), forbidden]
    run = spied(crawl, tmp_path, ",".join(site.home for site in sites))
    assert [hints(run, f"{site.home[:-1]}{FED}")["tdm"] for site in sites] == [{}] * len(sites)
    assert "/.well-known/tdmrep.json" not in forbidden.log
    # The others are the customary sitemaps, which the sites lack.
    assert run.stats["newsextract/sources/unread"] == len(sites) + 4
    assert run.stats["newsextract/pages"] == 2 * len(sites)
    assert run.adds_up()


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


SENTENCE = "The council of town number {} has decided to repair the old bridge before the winter comes."
SHELL = b'<html><head><title>App</title></head><body><div id="root"></div><script src="/app.js"></script></body></html>'
REGISTER = b"<html><title>Sign in</title><body><h1>Register</h1><p>Please sign in to go on.</p></body></html>"


def url(name: str) -> str:
    return f"/2026/05/20/the-council-repairs-the-{name}-bridge.html"


def body(name: str) -> str:
    parts = "".join(f"<p>{SENTENCE.format(name)} Part {part} of it &amp; more.</p>" for part in range(9))
    return f'{parts}<p><a href="/bridges">All bridges</a> stay <b>open</b>.<script>alert(1)</script></p>'


def entry(home: str, name: str, text: str | None = None, *, tag: str = "content:encoded") -> str:
    inner = escape(body(name) if text is None else text)
    return (
        f"<item><title>Bridge {name}</title><link>{home}{url(name).removeprefix('/')}</link>"
        "<pubDate>Wed, 20 May 2026 08:00:00 GMT</pubDate><dc:creator>Anna Lee</dc:creator>"
        f"<{tag}>{inner}</{tag}></item>"
    )


def feed(*entries: str) -> Reply:
    spaces = 'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    text = f'<rss version="2.0" {spaces}><channel><language>en</language>{"".join(entries)}</channel></rss>'
    return Reply(text.encode(), headers={"Content-Type": "application/rss+xml"})


def serve(tiny_web: TinyWeb, **routes: Reply) -> TinySite:
    """Serve a site whose home links a feed of all that is given by name, one article each."""
    site = tiny_web({})
    head = '<link rel="alternate" type="application/rss+xml" href="/feed.xml">'
    site.routes = {
        "/": html(listing(head=head)),
        "/feed.xml": feed(*(entry(site.home, name) for name in routes)),
        **{url(name): reply for name, reply in routes.items()},
    }
    return site


def by_name(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {line["url"].rpartition("the-")[2].removesuffix("-bridge.html"): line for line in lines}


def ledger_of(run: Run, columns: str = "state, reason") -> dict[str, Any]:
    with sqlite3.connect(run.folder / "output" / "newsextract.db") as database:
        rows = database.execute(f"select url, {columns} from ledger where role = 'candidate'")  # noqa: S608
        return {row[0].rpartition("the-")[2].removesuffix("-bridge.html"): row[1:] for row in rows}


SHORT = "<p>The council repairs the bridge, at last, and for good.</p>" * 3
CUT = "<p>The council of the town repairs the bridge, as it has said before the last winter, and so all hope […]</p>"
TOLD: dict[str, tuple[dict[str, str], bool]] = {
    "full": ({"text": body("full"), "tag": "description"}, True),
    "teaser": ({"text": SHORT, "tag": "description"}, False),
    "long-teaser": ({"text": body("long-teaser") + "<p>It goes on […]</p>", "tag": "description"}, False),
    "cut": ({"text": body("cut") + "<p>It goes on… <a href='/x'>Read more</a></p>"}, True),
    "short-cut": ({"text": CUT}, False),
    "nothing": ({"text": ""}, False),
}


@pytest.fixture(scope="module")
def feeds(tiny_web: TinyWeb) -> dict[str, TinySite]:
    refusing = serve(
        tiny_web,
        open=html(story(1)),
        refused=Reply(b"no", 403),
        login=Reply(b"no", 401),
        legal=Reply(b"no", 451),
        down=Reply(b"no", 503),
        gone=Reply(b"no", 410),
        shell=html(SHELL),
        register=html(REGISTER),
    )
    forbidding = serve(tiny_web, forbidden=html(story(1)))
    forbidding.routes = {**forbidding.routes, "/robots.txt": Reply(b"User-agent: *\nDisallow: /2026/")}
    teasing = serve(tiny_web, **dict.fromkeys(TOLD, Reply(b"no", 403)))
    entries = (entry(teasing.home, name, **told) for name, (told, _) in TOLD.items())
    teasing.routes = {**teasing.routes, "/feed.xml": feed(*entries)}
    lied_about = serve(tiny_web, true=Reply(b"no", 403))
    lying = tiny_web({"/feed.xml": feed(entry(lied_about.home, "true", "<p>Lies.</p>" * 60))})
    head = f'<link rel="alternate" type="application/rss+xml" href="{lying.home}feed.xml">'
    lied_about.routes = {**lied_about.routes, "/": html(listing(head=head)), "/feed.xml": NOWHERE}
    return {
        "refusing": refusing,
        "forbidding": forbidding,
        "teasing": teasing,
        "lied about": lied_about,
        "lying": lying,
    }


@pytest.fixture(scope="module")
def fed(crawl: Scrapy, feeds: dict[str, TinySite], tmp_path_factory: pytest.TempPathFactory) -> Run:
    homes = [site.home for name, site in feeds.items() if name != "lying"]
    return crawl(tmp_path_factory.mktemp("fed"), ",".join(homes))


def of_site(run: Run, site: TinySite) -> dict[str, dict[str, Any]]:
    return by_name([line for line in run.lines if line["url"].startswith(site.home)])


def test_stands_in_for_pages_that_refuse_us_or_are_empty(fed: Run, feeds: dict[str, TinySite]) -> None:
    site, found = feeds["refusing"], of_site(fed, feeds["refusing"])
    assert found.keys() == {"open", "refused", "login", "legal", "down", "shell", "register"}
    assert {name for name, line in found.items() if line["extraction"]["sources"]["articleBody"] == "feed"} == {
        *("refused", "login", "legal", "down", "shell", "register")
    }
    article = found["refused"]
    assert article["headline"] == "Bridge refused"
    assert article["datePublished"] == "2026-05-20T08:00:00+00:00"
    assert [author["name"] for author in article["authors"]] == ["Anna Lee"]
    assert article["articleBody"].startswith(SENTENCE.format("refused"))
    assert "Part 8 of it & more." in article["articleBody"]
    assert "alert" not in article["articleBodyHtml"]
    assert f'<a href="{site.home}bridges">All bridges</a> stay <strong>open' in article["articleBodyHtml"].replace(
        "<b>", "<strong>"
    )
    assert (
        article["extraction"]["sources"] | {"articleBody": "feed", "headline": "feed", "authors": "feed"}
        == (article["extraction"]["sources"])
    )
    (warning,) = article["extraction"]["warnings"]
    assert warning == f"the page could not be read (blocked: http 403): text from the feed {site.home}feed.xml"
    # The ledger and the counts tell how the pages ended.
    ledger = ledger_of(fed)
    assert ledger["refused"] == ("blocked", "http 403")
    assert ledger["shell"][0] in ("empty", "other")
    assert ledger["register"][0] in ("empty", "other")
    assert ledger["down"] == ("error", "http 503")
    assert fed.states["article"] == 1
    assert fed.stats["newsextract/feed_texts/article"] == 6 + 1 + 2
    assert fed.adds_up()


def test_stands_in_where_robots_txt_forbids_the_page(fed: Run, feeds: dict[str, TinySite]) -> None:
    assert url("forbidden") not in feeds["forbidding"].log
    assert of_site(fed, feeds["forbidding"])["forbidden"]["headline"] == "Bridge forbidden"
    assert ledger_of(fed)["forbidden"] == ("blocked", "robots.txt")


def test_tells_a_text_from_a_teaser(fed: Run, feeds: dict[str, TinySite]) -> None:
    found = of_site(fed, feeds["teasing"])
    assert found.keys() == {name for name, (_, is_one) in TOLD.items() if is_one}
    assert {ledger_of(fed)[name] for name in TOLD} == {("blocked", "http 403")}
    assert found["cut"]["extraction"]["warnings"][1] == "articleBody: the feed breaks it off with an ellipsis"


def test_believes_only_feeds_of_the_same_site(fed: Run, feeds: dict[str, TinySite]) -> None:
    assert feeds["lying"].log[-1] == "/feed.xml"
    assert url("true") in feeds["lied about"].log
    assert of_site(fed, feeds["lied about"]) == {}
    assert ledger_of(fed)["true"] == ("blocked", "http 403")


def test_a_page_replaces_it_later_and_is_not_replaced(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = serve(tiny_web, refused=Reply(b"no", 403))
    canonical = f'<link rel="canonical" href="{site.home}bridges/2026/the-bridge-of-the-mayor-is-open">'
    refused, read = site.routes, {**site.routes, url("refused"): html(story(3, head=canonical))}

    def visit(routes: Routes) -> Run:
        site.routes = routes
        if (tmp_path / "output").exists():
            with sqlite3.connect(tmp_path / "output" / "newsextract.db") as database:
                database.execute("update ledger set next_visit = '2020-01-01T00:00:00+00:00'")
        return crawl(tmp_path, site.home)

    first = visit(refused)
    (row,) = first.rows
    assert (row["extractor"], row["headline"]) == ("feed_text", "Bridge refused")
    again = visit(refused)
    assert len(again.rows) == 1
    assert ledger_of(again) == {"refused": ("blocked", "http 403")}
    second = visit(read)
    (row,) = second.rows
    assert (row["extractor"], row["headline"]) == ("auto", "Bridge 3")
    assert row["canonical_url"].endswith("is-open")
    with sqlite3.connect(tmp_path / "output" / "newsextract.db") as database:
        assert database.execute("select count(*) from revisions").fetchone() == (0,)
    assert ledger_of(second) == {"refused": ("article", None)}
    third = visit(refused)
    (row,) = third.rows
    assert (row["extractor"], row["headline"]) == ("auto", "Bridge 3")
    assert ledger_of(third) == {"refused": ("blocked", "http 403")}


def test_stands_in_for_pages_that_show_a_wall(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    names = ("first", "second", "third", "fourth")
    notice = "".join(
        f"<p>To read on, take out a subscription to our paper, which costs {n} coins.</p>" for n in range(9)
    )

    def wall(name: str) -> Reply:
        head = f'<meta property="og:type" content="article"><title>Bridge {name}</title>'
        return html(f"<html><head>{head}</head><body><h1>Bridge {name}</h1>{notice}</body></html>".encode())

    site = serve(tiny_web, **{name: wall(name) for name in names})
    run = crawl(tmp_path, site.home, "-s", "CONCURRENT_REQUESTS=1")
    ends = ledger_of(run)
    walled = {name for name, end in ends.items() if end == ("blocked", "same text under other headlines")}
    assert len(walled) == 2
    stand_ins = {name for name, line in by_name(run.lines).items() if line["extraction"]["extractor"] == "feed_text"}
    assert stand_ins == walled
    assert run.adds_up()
