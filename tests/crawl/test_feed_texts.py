"""Where a page refuses us or is empty, the text of its site's feed stands in."""

from __future__ import annotations

import sqlite3
from html import escape
from typing import TYPE_CHECKING, Any

from tests.scrapy_runs import NOWHERE, Reply, Routes, Run, Scrapy, TinySite, TinyWeb, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

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


def test_stands_in_for_pages_that_refuse_us_or_are_empty(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = serve(
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
    run = crawl(tmp_path, site.home)
    found = by_name(run.lines)
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
    ledger = ledger_of(run)
    assert ledger["refused"] == ("blocked", "http 403")
    assert ledger["shell"][0] in ("empty", "other")
    assert ledger["register"][0] in ("empty", "other")
    assert ledger["down"] == ("error", "http 503")
    assert run.states["article"] == 1
    assert run.stats["newsextract/feed_texts/article"] == 6
    assert run.adds_up()


def test_stands_in_where_robots_txt_forbids_the_page(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = serve(tiny_web, forbidden=html(story(1)))
    site.routes = {**site.routes, "/robots.txt": Reply(b"User-agent: *\nDisallow: /2026/")}
    run = crawl(tmp_path, site.home)
    assert url("forbidden") not in site.log
    (line,) = run.lines
    assert line["headline"] == "Bridge forbidden"
    assert ledger_of(run) == {"forbidden": ("blocked", "robots.txt")}
    assert run.adds_up()


SHORT = "<p>The council repairs the bridge, at last, and for good.</p>" * 3
CUT = "<p>The council of the town repairs the bridge, as it has said before the last winter, and so all hope […]</p>"
TOLD: dict[str, tuple[dict[str, str], bool]] = {
    "full": ({"text": body("full"), "tag": "description"}, True),
    "teaser": (
        {"text": SHORT, "tag": "description"},
        False,
    ),
    "long-teaser": ({"text": body("long-teaser") + "<p>It goes on […]</p>", "tag": "description"}, False),
    "cut": ({"text": body("cut") + "<p>It goes on… <a href='/x'>Read more</a></p>"}, True),
    "short-cut": ({"text": CUT}, False),
    "nothing": ({"text": ""}, False),
}


def test_tells_a_text_from_a_teaser(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = serve(tiny_web, **dict.fromkeys(TOLD, Reply(b"no", 403)))
    entries = (entry(site.home, name, **told) for name, (told, _) in TOLD.items())
    site.routes = {**site.routes, "/feed.xml": feed(*entries)}
    run = crawl(tmp_path, site.home)
    found = by_name(run.lines)
    assert found.keys() == {name for name, (_, is_one) in TOLD.items() if is_one}
    assert run.reasons["blocked/http 403"] == len(TOLD)
    assert found["cut"]["extraction"]["warnings"][1] == "articleBody: the feed breaks it off with an ellipsis"


def test_believes_only_feeds_of_the_same_site(tiny_web: TinyWeb, crawl: Scrapy, tmp_path: Path) -> None:
    site = serve(tiny_web, refused=Reply(b"no", 403))
    other = tiny_web({"/feed.xml": feed(entry(site.home, "refused", "<p>Lies.</p>" * 60))})
    head = f'<link rel="alternate" type="application/rss+xml" href="{other.home}feed.xml">'
    site.routes = {**site.routes, "/": html(listing(head=head)), "/feed.xml": NOWHERE}
    run = crawl(tmp_path, site.home)
    assert other.log[-1] == "/feed.xml"
    assert url("refused") in site.log
    assert run.lines == []
    assert run.reasons["blocked/http 403"] == 1


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
