"""A crawl visits no private address that is not allowed: not by links, redirects, sitemaps or names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from scrapy.settings import Settings
from twisted.internet.defer import Deferred, succeed

from newsextract.sites.site import Site
from newsextract.tools.crawl import check_sites
from tests.scrapy_runs import STORY, Reply, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from twisted.internet.interfaces import IReactorCore

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb

ALLOWED = ("-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")
NAMES = ("-s", "TWISTED_DNS_RESOLVER=tests.crawl.test_private_addresses.InsideResolver")


class InsideResolver:
    """A hostile name server: every name, IP addresses too, resolves to what the environment says."""

    def __init__(self, reactor: IReactorCore) -> None:
        self.reactor = reactor

    @classmethod
    def from_crawler(cls, _crawler: object, reactor: IReactorCore) -> InsideResolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        from twisted.internet.interfaces import IResolverSimple
        from zope.interface import directlyProvides

        directlyProvides(self, IResolverSimple)
        self.reactor.installResolver(self)

    def getHostByName(self, name: str, _timeout: object = ()) -> Deferred[str]:  # noqa: N802
        return succeed(name if name[0].isdigit() else os.environ["INSIDE"])


@pytest.fixture(scope="module")
def inside(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"*": html(story())}, "127.0.0.2")


@pytest.fixture(scope="module")
def run(inside: TinySite, tiny_web: TinyWeb, crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Run:
    secret = f"{inside.home}secret.xml"
    feed = f'<link rel="alternate" type="application/rss+xml" href="{inside.home}feed">'
    sitemaps = f"Sitemap: {secret}\nSitemap: /moved.xml\nSitemap: http://0x7f.2:{inside.server_port}/"
    outside = tiny_web(
        {
            "/": html(listing(STORY, "/2026/05/20/a-bridge-that-leads-far-inside.html", head=feed)),
            STORY: html(story()),
            "/2026/05/20/a-bridge-that-leads-far-inside.html": moved(f"{inside.home}story.html"),
            "/moved.xml": moved(f"{inside.home}other.xml"),
            "/.well-known/tdmrep.json": moved(f"{inside.home}tdmrep.json"),
            "/robots.txt": Reply(sitemaps.encode()),
        }
    )
    return crawl(tmp_path_factory.mktemp("inside"), outside.home, *ALLOWED)


def test_asks_nothing_of_an_address_that_is_not_allowed(run: Run, inside: TinySite) -> None:
    assert run.code == 0
    assert inside.log == []
    assert len(run.lines) == 1
    assert run.adds_up()


def test_counts_what_it_refuses(run: Run) -> None:
    assert run.stats["newsextract/sources/unread/private address"] == 4
    # And of the two hosts, off the site, the robots.txt.
    assert run.stats["newsextract/private_addresses/refused"] == 6
    assert run.reasons["error/redirects off the site"] == 1


def test_a_name_that_leads_inside_is_refused(crawl: Scrapy, tmp_path: Path, inside: TinySite) -> None:
    home = f"http://news.example:{inside.server_port}/"
    run = crawl(tmp_path, home, *ALLOWED, *NAMES, INSIDE="127.0.0.2")
    assert run.code == 1
    assert run.reasons == {"blocked/private address": 1}
    assert inside.log == []


def test_a_name_may_lead_to_an_allowed_address(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    site = tiny_web({"/": html(listing(STORY)), STORY: html(story())})
    home = f"http://news.example:{site.server_port}/"
    assert len(crawl(tmp_path, home, *ALLOWED, *NAMES, INSIDE="127.0.0.1").lines) == 1


def test_a_proxy_may_be_private_and_what_it_is_asked_for_may_not(
    crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    home = "http://news.example/"
    robots = b"Sitemap: http://192.168.0.1/sitemap.xml\nSitemap: http://127.0.0.1/sitemap.xml"
    proxy = tiny_web({home: html(listing()), f"{home}robots.txt": Reply(robots)})
    run = crawl(tmp_path, home, "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=0", http_proxy=proxy.home)
    assert run.stats["newsextract/pages"] == 1
    assert {path for path in proxy.log if not path.startswith(home)} == set()
    assert run.stats["newsextract/sources/unread/private address"] == 2


def test_a_start_page_that_is_private_is_an_error(scrapy: Scrapy, tmp_path: Path) -> None:
    home = "http://127.0.0.1:9/"
    run = scrapy(tmp_path, "crawl", "news", "-a", f"sites={home}", SCRAPY_SETTINGS_MODULE="settings.production")
    assert run.code == 2
    assert f"{home} is a private address" in run.err
    assert "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1" in run.err


@pytest.mark.parametrize("home", ["http://localhost:9/", "http://0x7f.1:9/", "http://[::1]:9/", "http://2130706433/"])
def test_a_start_page_is_private_in_any_spelling(home: str) -> None:
    with pytest.raises(ValueError, match="is a private address"):
        check_sites([Site(home)], Settings())
    check_sites([Site(home)], Settings({"NEWSEXTRACT_PRIVATE_ADDRESSES": ["127.0.0.0/8", "::1"]}))
