"""`newsextract probe` as people run it: on the demo newsroom, and on sites that are hard to read."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from demo.server import serve
from newsextract.sites.site_list import read_sites
from tests.scrapy_process import SECONDS
from tests.scrapy_runs import Reply, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Routes, Run, Scrapy, TinySite, TinyWeb

PATHS = [f"/2026/05/20/the-mayor-opens-bridge-number-{number}.html" for number in range(3)]
STORIES: Routes = {path: html(story(number)) for number, path in enumerate(PATHS)}
SHELL = b'<html><body><div id="root"></div><noscript>You need JavaScript.</noscript></body></html>'
WALL = (
    b"<html><body><p>We need your consent to use cookies, and so do 800 of our partners.</p>"
    b"<form><button>Accept all</button></form></body></html>"
)


def probed(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.out)
    return found


def test_a_newsroom_is_described_and_its_block_can_be_crawled(scrapy: Scrapy, tmp_path: Path) -> None:
    with serve() as servers:
        sites = [server.home for server in servers]
        run = scrapy(tmp_path, "probe", sites[0], "--json")
        shown = scrapy(tmp_path, "probe", sites[1], COLUMNS="80")
    assert run.code == 0, run.err
    report = probed(run)
    assert report["robots"] == "allows us, no Crawl-delay, sitemaps named: 2"
    assert {source["kind"] for source in report["sources"]} == {"links", "feed", "news_sitemap", "sitemap"}
    assert report["language"] == "en"
    assert report["obstacles"] == []
    assert [each["is_read"] and bool(each["article"]["datePublished"]) for each in report["articles"]] == [True] * 5
    (tmp_path / "sites.yml").write_text(report["sites_yml"], "utf-8")
    (site,) = read_sites(str(tmp_path / "sites.yml"))
    assert site.home == sites[0]
    assert shown.code == 0
    assert "Crawl-delay 0.1 s" in shown.out
    block = shown.out.index("sites:\n")
    assert max(map(len, shown.out[:block].splitlines())) <= 80


def linking(*links: str) -> Reply:
    """Return a page whose links say nothing: neither their addresses nor their texts look like articles."""
    return html("".join(f'<p><a href="{link}">{link.strip("/")[:6]}</a></p>' for link in links).encode())


UNDATED = {
    f"/{name}.html": html(story(number)) for number, name in enumerate(("ferry-closes", "mayor-resigns", "storm"))
}
IN_FOLDERS = {f"/news/{path[1:].removesuffix('.html')}": reply for path, reply in UNDATED.items()}
FEED = Reply(
    "".join(
        ["<rss><channel>", *(f"<item><link>{path}</link></item>" for path in UNDATED), "</channel></rss>"]
    ).encode(),
    headers={"Content-Type": "application/rss+xml"},
)


@pytest.mark.parametrize(
    "routes",
    [
        {**UNDATED, "/": linking(*UNDATED)},
        {**IN_FOLDERS, "/": linking("/about", "/sport", *IN_FOLDERS), "/sport": linking("/")},
        {**IN_FOLDERS, "/": linking("/news", "/login"), "/news": linking(*IN_FOLDERS)},
        {**UNDATED, "/": html(b'<link rel="alternate" type="application/rss+xml" href="/rss"><p>Hi</p>'), "/rss": FEED},
    ],
    ids=["on the home page", "in a folder", "in a section", "in a feed"],
)
def test_articles_whose_addresses_say_nothing_are_found_as_a_crawl_finds_them(
    routes: Routes, scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    home = tiny_web(routes).home
    run = scrapy(tmp_path, "probe", home, "--json")
    report = probed(run)
    assert run.code == 0
    assert sum(article["is_read"] for article in report["articles"]) == len(UNDATED)
    (tmp_path / "sites.yml").write_text(report["sites_yml"], "utf-8")
    crawled = scrapy(tmp_path, "crawl", "news", "-a", "sites=sites.yml", "-O", "articles.jsonl")
    assert crawled.code == 0, crawled.err
    assert len((tmp_path / "articles.jsonl").read_text("utf-8").splitlines()) == len(UNDATED)


def test_a_site_without_articles_is_said_to_have_none(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    empty = scrapy(tmp_path, "probe", tiny_web({"/": html(b"<p>Coming soon</p>")}).home)
    routes = {"/": linking("/hats", "/coats"), "/hats": html(b"<p>One hat, one coat.</p>"), "/coats": linking("/hats")}
    shop = scrapy(tmp_path, "probe", tiny_web(routes).home)
    assert (empty.code, shop.code) == (1, 1)
    assert "No page that the site lists looks like an article" in empty.out
    assert "The home page and 2 sections link to no article: there is nothing to crawl" in " ".join(shop.out.split())


def test_a_home_page_for_browsers_is_told_and_its_articles_are_found_elsewhere(
    scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    site = tiny_web({**STORIES, "/": html(SHELL)})
    urls = "".join(f"<url><loc>{site.home}{path[1:]}</loc></url>" for path in PATHS)
    site.routes = {**site.routes, "/sitemap.xml": Reply(f"<urlset>{urls}</urlset>".encode())}
    report = probed(scrapy(tmp_path, "probe", site.home, "--json"))
    (told,) = report["obstacles"]
    assert told.startswith("the home page shows 0 words without JavaScript")
    assert "discover: [sitemaps]" in report["sites_yml"]
    assert "render" not in report["sites_yml"]


def test_articles_for_browsers_end_with_their_own_exit_code(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    run = scrapy(tmp_path, "probe", tiny_web({"/": html(listing(*PATHS)), "*": html(SHELL)}).home, "--json")
    assert run.code == 1
    report = probed(run)
    (told,) = report["obstacles"]
    assert told.startswith(
        "3 of 3 pages are empty without JavaScript: `render: auto` reads them (docs/how-to/render.md"
    )
    (tmp_path / "sites.yml").write_text(report["sites_yml"], "utf-8")
    (site,) = read_sites(str(tmp_path / "sites.yml"))
    assert site.render == "auto"


def test_a_site_that_only_scripts_show_is_to_be_crawled_with_a_browser(
    scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    run = scrapy(tmp_path, "probe", tiny_web({"/": html(SHELL)}).home, "--json")
    assert run.code == 1
    report = probed(run)
    (tmp_path / "sites.yml").write_text(report["sites_yml"], "utf-8")
    (site,) = read_sites(str(tmp_path / "sites.yml"))
    assert (site.render, site.discover) == ("auto", frozenset({"links"}))
    assert "`render: auto` takes its links" in report["obstacles"][0]


def test_walls_redirects_and_refusals_are_traps(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    routes = {"/": html(listing(*PATHS)), PATHS[0]: html(WALL), PATHS[1]: Reply(b"no", 403), PATHS[2]: html(story(2))}
    site = tiny_web(routes)
    run = scrapy(tmp_path, "probe", tiny_web({"/": moved(site.home)}).home, "--json")
    assert run.code == 0
    traps = " ".join(probed(run)["obstacles"])
    assert f"leads to {site.name}" in traps
    assert "1 of 3 pages ask for consent: `cookies` of a browser" in traps
    assert "1 of 3 pages: the site answered 403" in traps


def test_a_slow_site_is_left_in_time(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    def hanging(_path: str) -> Reply:
        time.sleep(SECONDS)
        return Reply()

    routes = {**STORIES, "/": html(listing(*PATHS)), "/sitemap.xml": hanging}
    # The command would be given up after as many seconds as the answer takes.
    report = probed(scrapy(tmp_path, "probe", tiny_web(routes).home, "--json", "--seconds", "3"))
    assert report["is_cut"]
    assert 2.9 < report["seconds"] < SECONDS
    assert "more --seconds help" in report["obstacles"][-1]
    assert [source["kind"] for source in report["sources"]] == ["links"]


def site_that(tiny_web: TinyWeb, **replies: Reply) -> TinySite:
    return tiny_web({"/" if name == "home" else "/robots.txt": reply for name, reply in replies.items()})


def test_a_page_that_cannot_be_had_is_one_clear_line(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    forbidding = Reply(b"User-agent: *\nDisallow: /\n", headers={"Content-Type": "text/plain"})
    expected = {
        site_that(tiny_web).home: "the site answered 404",
        site_that(tiny_web, home=html(story()), robots=forbidding).home: "forbidden by robots.txt",
    }
    runs = [scrapy(tmp_path, "probe", url) for url in expected]
    assert [run.err for run in runs] == [f"{url}: {told}\n" for url, told in expected.items()]
    assert [(run.code, run.out) for run in runs] == [(1, "")] * len(runs)


def test_what_was_fetched_decides_not_how_addresses_look(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    home = html(listing(*PATHS))
    back = tiny_web({"/": home, **dict.fromkeys(PATHS, moved("/"))})
    alike = tiny_web({"/": home, **dict.fromkeys(PATHS, html(story()))})
    private = tiny_web({"/": home, **dict.fromkeys(PATHS, moved("http://127.9.9.9/"))})
    sites = [site.home for site in (back, alike, private)]
    allowed = ("-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")
    runs = [scrapy(tmp_path, "probe", url, *allowed) for url in sites]
    assert [run.code for run in runs] == [1, 0, 1]
    assert "None of 3 pages fetched, of 3 listed, is an article: there is nothing to crawl here." in runs[0].out
    assert "sites:" not in runs[0].out
    assert "3 of 3 pages have the same text" in runs[1].out
    assert "Best: discover" in runs[1].out
    assert "3 of 3 pages: private address" in runs[2].out
    assert "Best, but no article could be read yet: discover" in runs[2].out


def test_a_redirect_to_a_private_address_names_that_one(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    site = tiny_web({"/": moved("http://127.9.9.9/")})
    run = scrapy(tmp_path, "probe", site.home, "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")
    assert run.err.startswith(f"{site.home}: private address: 127.9.9.9; if it is meant, allow it: -s ")


def test_private_addresses_are_refused_as_in_a_crawl(scrapy: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    site = tiny_web({"/": html(story())})
    run = scrapy(tmp_path, "probe", site.home, "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=False")
    assert run.code == 1
    assert "private address" in run.err
    assert site.log == []
