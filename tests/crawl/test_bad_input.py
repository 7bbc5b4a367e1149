"""One bad page or site: every page ends in one state, the others are crawled, and the counts add up."""

from __future__ import annotations

import gzip
import socket
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.spider import UNREACHED
from newsextract.crawl.throttle import MOST_FAILURES
from newsextract.tools.crawl import SITES_UNREACHED
from tests.scrapy_runs import NOWHERE, STORY, Reply, Routes, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

HOME = html(listing(STORY))
BIG = story() + b"<p>word</p>" * 100_000
BOMB = b"""<?xml version="1.0"?><!DOCTYPE urlset [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>
<urlset><url><loc>http://127.0.0.1/&b;</loc></url></urlset>"""
HTML = {"Content-Type": "text/html"}

NOT_FOR_PAGES = ("rot13", "idna", "hex", "punycode", "undefined")
"""Codecs of Python that a page may name as its charset."""


def page(reply: Reply) -> Routes:
    """Return a site whose only story is this answer."""
    return {"/": HOME, STORY: reply}


def robots(text: str, **routes: Reply) -> Routes:
    named = {f"/{name.replace('_', '.')}": reply for name, reply in routes.items()}
    return {"/": HOME, STORY: html(story()), "/robots.txt": Reply(text.encode(), headers={}), **named}


BAD_PAGES: dict[str, tuple[Routes, str]] = {
    "1 MB": (page(html(BIG)), "error: too large (1)"),
    "1 MB without a length": (page(Reply(BIG, headers=HTML, declared=None)), "error: too large (1)"),
    "1 MB that travel as 5 kB": (page(html(gzip.compress(BIG, 1), Content_Encoding="gzip")), "error: too large (1)"),
    "1 MB packed twice": (
        page(html(gzip.compress(gzip.compress(BIG, 1)), Content_Encoding="gzip, gzip")),
        "error: too large (1)",
    ),
    "no gzip": (page(html(b"\x1f\x8bxxxx", Content_Encoding="gzip")), "error: broken compression (1)"),
    "header of 200 kB": (page(html(story(), X_Long="a" * 200_000)), "error: connection lost (1)"),
    "redirect to a file": (page(moved("file:///etc/passwd")), "error: redirects to no page (1)"),
    "page that refreshes to itself": (
        page(html(f'<meta http-equiv="refresh" content="0; url={STORY}">'.encode())),
        "error: redirect loop (1)",
    ),
    "PDF sent as HTML": (page(html(b"%PDF-1.7 \x00\x01")), "error: not HTML (1)"),
    "binary": (page(html(b"\x00\x01\x02" * 5000)), "error: not HTML (1)"),
    "empty body": (page(html(b"")), "empty: no main content (1)"),
    "cut connection": (page(Reply(story(), headers=HTML, declared=10**5)), "error: truncated response (1)"),
    "500": (page(Reply(b"", 500)), "error: http 500 (1)"),
    "403": (page(Reply(b"", 403)), "blocked: http 403 (1)"),
    "429": (page(Reply(b"", 429)), "blocked: http 429 (1)"),
    "redirect to itself": (page(moved(STORY)), "error: redirect loop (1)"),
    "redirects without end": (
        {**page(moved("/a/")), "*": lambda path: moved(f"{path}a/")},
        "error: too many redirects (1)",
    ),
    "redirect to the home page": (page(moved("/")), "error: redirects to the front page (1)"),
    "redirect off the site": (page(moved("http://elsewhere.example/a")), "error: redirects off the site (1)"),
    "redirect to a host of odd letters": (page(moved("http://\xbd.example/a")), "error: redirects off the site (1)"),
    "redirect to what robots.txt forbids": (
        {**robots("User-agent: *\nDisallow: /members/"), STORY: moved("/members/a")},
        "blocked: redirects to what robots.txt forbids (1)",
    ),
    "only errors": ({"*": Reply(b"", 500), "/robots.txt": NOWHERE}, "error: http 500 (1)"),
    "robots.txt answers 500": (
        {**robots(""), "/robots.txt": Reply(b"<h1>oops</h1>", 500)},
        "error: robots.txt: http 500 (1)",
    ),
    "robots.txt moves to a server that answers 500": (
        {**robots(""), "/robots.txt": moved("/r"), "/r": Reply(b"", 500)},
        "error: robots.txt: http 500 (1)",
    ),
    "only refusals": ({"*": Reply(b"", 403)}, "blocked: http 403 (1)"),
    "robots.txt forbids everything": (robots("User-agent: *\nDisallow: /"), "no page was fetched: see the log"),
}
"""Sites that come to nothing, and what the end of the run says of each."""

GOOD_ENOUGH: dict[str, Routes] = {
    "truncated HTML": page(html(story()[:-300])),
    "wrong charset": page(html(story() + "<p>caf\xe9</p>".encode("latin-1"))),
    "meta charset that lies": page(html(story(head='<meta charset="utf-16">'))),
    **{f"charset {label}": page(html(story(), Content_Type=f"text/html; charset={label}")) for label in NOT_FOR_PAGES},
    **{f"meta charset {label}": page(html(story(head=f"<meta charset={label}>"))) for label in NOT_FOR_PAGES},
    "page that reloads itself": {
        "/": html(listing(STORY, head='<meta http-equiv="refresh" content="60; url=/">')),
        STORY: html(story()),
    },
    "robots.txt answers 404": {**robots(""), "/robots.txt": Reply(b"User-agent: *\nDisallow: /", 404)},
    "robots.txt moves five times": {
        **robots(""),
        "/robots.txt": moved("/r1"),
        "/r1": moved("/r2"),
        "/r2": moved("/r3"),
        "/r3": moved("/r4"),
        "/r4": moved("/r5"),
        "/r5": Reply(b"User-agent: *\nDisallow: /no/"),
    },
    "robots.txt moves for ever": {**robots(""), "/robots.txt": moved("/r/"), "*": lambda path: moved(f"{path}r/")},
    "robots.txt that unpacks to 6 MB": {
        "/": HOME,
        STORY: html(story()),
        "/robots.txt": html(gzip.compress(b"Disallow: /a\n" * 500_000, 1), Content_Encoding="gzip"),
    },
    "robots.txt of 700 kB": robots("User-agent: *\n" + "Disallow: /no*way*here$\n" * 30_000),
    "links that lead nowhere": {
        "/": html(
            listing(STORY, "data:text/html,x", "file:///etc/passwd", "javascript:a()", "ftp://a/b", "http://[::1")
        ),
        STORY: html(story()),
    },
    "sitemaps without end": {
        **robots("Sitemap: /maps/"),
        "*": lambda path: Reply(f"<sitemapindex><sitemap><loc>{path}a/</loc></sitemap></sitemapindex>".encode()),
    },
    "robots.txt is nonsense": robots("Crawl-delay: inf\nSitemap: http://[\nSitemap: \0\nDisallow"),
    "sitemap with entities": robots("Sitemap: /bomb.xml", bomb_xml=Reply(BOMB)),
    "sitemap that unpacks to 60 MB": robots(
        "Sitemap: /bomb.gz", bomb_gz=Reply(gzip.compress(b"<urlset>" + b" " * 60_000_000, 1))
    ),
    "sitemap refers to itself": robots(
        "", sitemap_xml=Reply(b"<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>")
    ),
    "broken feed": {
        "/": html(listing(STORY, head='<link rel="alternate" type="application/rss+xml" href="/rss">')),
        STORY: html(story()),
        "/rss": Reply(b"<rss><channel><item>"),
    },
}
"""Sites of which something is wrong, and the one story can be read all the same."""


@pytest.fixture(scope="module")
def bad_web(tiny_web: TinyWeb) -> dict[str, TinySite]:
    everything = {name: routes for name, (routes, _) in BAD_PAGES.items()} | GOOD_ENOUGH
    return {name: tiny_web(routes) for name, routes in everything.items()}


@pytest.fixture(scope="module")
def run(bad_web: dict[str, TinySite], crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("bad")
    (folder / "sites.txt").write_text("\n".join(site.home for site in bad_web.values()))
    return crawl(folder, "sites.txt", "-s", "NEWSEXTRACT_PAGE_BYTES=500000")


@pytest.mark.parametrize("name", BAD_PAGES)
def test_says_what_became_of(name: str, run: Run, bad_web: dict[str, TinySite]) -> None:
    assert BAD_PAGES[name][1] in trouble(run, bad_web[name])


@pytest.mark.parametrize("name", GOOD_ENOUGH)
def test_reads_the_story_in_spite_of(name: str, run: Run, bad_web: dict[str, TinySite]) -> None:
    assert trouble(run, bad_web[name]) == ""
    assert [line["url"] for line in run.lines].count(bad_web[name].home.rstrip("/") + STORY) == 1


def trouble(run: Run, site: TinySite) -> str:
    return next((line for line in run.out.splitlines() if line.startswith(f"{site.name}: ")), "")


def test_goes_on_with_the_others_and_adds_up(run: Run) -> None:
    assert run.code == SITES_UNREACHED
    assert run.stats[UNREACHED] == len(["only errors", "robots.txt answers 500", "and after a move"])
    assert run.adds_up(), run.stats
    assert len(run.rows) == len(run.lines) == len(GOOD_ENOUGH)


def test_the_stats_say_what_was_cut_off(run: Run) -> None:
    for name in (
        "sources/unread/declares entities",
        "sources/unread/too large",
        "sources/unread/malformed",
        "traps/sitemaps without end",
        "robots/truncated",
    ):
        assert run.stats[f"newsextract/{name}"] >= 1, name


def test_asks_for_nothing_twice(run: Run, bad_web: dict[str, TinySite]) -> None:
    assert run.adds_up()
    for name, site in bad_web.items():
        asked = [path for path in site.log if "redirect" not in name]
        assert len(asked) == len(set(asked)), name


def test_a_limit_is_reached_past_bad_pages(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    bad = [html(b""), Reply(b"", 500), moved("http://elsewhere.example/"), moved("/"), moved("/no/"), html(b"%PDF-")]
    paths = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 10 + len(bad) + 5)]
    replies = [*bad, *(html(story(number)) for number in range(5))]
    site = tiny_web(
        {
            "/": html(listing(*paths)),
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /no/"),
            **dict(zip(paths, replies, strict=True)),
        }
    )
    run = crawl(tmp_path, site.home, "-a", "limit=3")
    assert run.code == 0
    assert len(run.lines) == 3
    assert run.adds_up()


@pytest.mark.parametrize(
    ("home", "message"),
    [("http://127.0.0.1:9/", "connection refused"), ("http://no-such-host.invalid/", "host not found")],
)
def test_a_crawl_that_reads_nothing_fails(home: str, message: str, crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, home)
    assert run.code == 1
    assert message in run.out
    assert len(run.out.splitlines()) <= 2  # no table, no stats
    assert "Gave up" not in run.err
    assert ("is this machine online?" in run.out) == ("host" in message)
    assert run.adds_up()


def test_a_proxy_that_is_away_is_named(crawl: Scrapy, tmp_path: Path) -> None:
    run = crawl(tmp_path, "http://a.example/", http_proxy="http://user:secret@127.0.0.1:9")
    assert run.code == 1
    assert "a.example: no article; error: no way through the proxy 127.0.0.1:9, see http_proxy" in run.out
    assert "secret" not in run.out + run.err


def test_a_forbidden_home_page_is_said(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    site = tiny_web(robots("User-agent: *\nDisallow: /"))
    run = crawl(tmp_path, site.home)
    assert run.code == 1
    assert f"robots.txt forbids the home page {site.home}" in run.err
    assert site.log == ["/robots.txt"]


def test_a_host_that_falls_silent_is_left_to_the_next_run(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    stories = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(150)]
    with socket.create_server(("127.0.0.1", 0)) as closed:
        gone = f"http://127.0.0.1:{closed.getsockname()[1]}"
    sitemap = "".join(f"<url><loc>{gone}{path}</loc></url>" for path in stories)
    site = tiny_web({"/": HOME, STORY: html(story()), "/sitemap.xml": Reply(f"<urlset>{sitemap}</urlset>".encode())})
    lists = tmp_path / "sites.yml"
    lists.write_text(f"sites: [{{name: Both, start: ['{site.home}', '{gone}/']}}]")
    # Where robots.txt is asked for, one failure is enough.
    run = crawl(tmp_path, "sites.yml", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "ROBOTSTXT_OBEY=False")
    assert (run.states["article"], run.stats["newsextract/silent_hosts"]) == (1, 1)
    # What was on its way when the host was given up fails too.
    assert MOST_FAILURES <= run.reasons["error/connection refused"] <= 64 + MOST_FAILURES
    assert run.stats["newsextract/silent_hosts/requests"] >= 50
    assert run.adds_up()
