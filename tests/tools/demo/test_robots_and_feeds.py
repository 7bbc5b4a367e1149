"""What the sites tell machines: robots.txt, sitemaps and feeds."""

from __future__ import annotations

import gzip
import json
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.request import urlopen

from lxml import etree, html

if TYPE_CHECKING:
    from newsextract.tools.demo import DemoNewsroom

NAMES = {
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "news": "http://www.google.com/schemas/sitemap-news/0.9",
    "a": "http://www.w3.org/2005/Atom",
}


def fetch(url: str) -> bytes:
    with urlopen(url) as response:
        body: bytes = response.read()
    return gzip.decompress(body) if url.endswith(".gz") else body


def values(body: bytes, path: str) -> list[str]:
    return [str(el.text) for el in etree.fromstring(body).iterfind(path, NAMES)]


def test_robots_closes_the_trap_that_home_links_to(sites: tuple[str, ...]) -> None:
    for home in sites:
        robots = fetch(f"{home}robots.txt").decode()
        assert "Disallow: /members/\n" in robots
        assert f"Sitemap: {home}sitemap.xml\n" in robots
        assert f"{home}members/" in html.fromstring(fetch(home)).xpath("//a/@href")


def test_one_site_asks_robots_to_slow_down(sites: tuple[str, ...]) -> None:
    robots = [fetch(f"{home}robots.txt").decode() for home in sites]
    assert ["Crawl-delay: 0.1\n" in text for text in robots] == [False, True, False]


def test_sitemaps_list_every_article_with_its_date(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    for site, home in zip(newsroom.sites, sites, strict=True):
        top = fetch(f"{home}sitemap.xml")
        children = [fetch(url) for url in values(top, "s:sitemap/s:loc")] or [top]
        dated = {
            (el.findtext("s:loc", None, NAMES), el.findtext("s:lastmod", None, NAMES))
            for child in children
            for el in etree.fromstring(child).iterfind("s:url", NAMES)
        }
        assert {(article.url, article.date_modified) for article in site.articles(home)} <= dated


def test_one_sitemap_names_a_page_of_a_section(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    section = newsroom.sites[1].vocabulary.sections[0][0]
    assert f"{sites[1]}rubrique/{section}?page=2" in values(fetch(f"{sites[1]}sitemap-articles.xml"), "s:url/s:loc")


def test_one_site_reserves_the_texts_of_a_section(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    rules = json.loads(fetch(f"{sites[0]}.well-known/tdmrep.json"))
    assert [(rule["location"], rule["tdm-reservation"]) for rule in rules] == [
        (f"/{newsroom.sites[0].vocabulary.sections[0][0]}/", 1),
        ("/", 0),
    ]
    assert fetch(rules[0]["tdm-policy"])


def test_one_sitemap_is_zipped(sites: tuple[str, ...]) -> None:
    children = [url for home in sites for url in values(fetch(f"{home}sitemap.xml"), "s:sitemap/s:loc")]
    assert [url for url in children if url.endswith(".gz")] == [f"{sites[0]}sitemap-articles.xml.gz"]


def test_everything_in_the_sitemaps_is_there(sites: tuple[str, ...]) -> None:
    for home in sites:
        top = fetch(f"{home}sitemap.xml")
        for child in values(top, "s:sitemap/s:loc") or [f"{home}sitemap.xml"]:
            assert all(fetch(url) for url in values(fetch(child), "s:url/s:loc"))


def test_news_sitemap_has_the_newest_twenty(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    for site, home in zip(newsroom.sites, sites, strict=True):
        body, newest = fetch(f"{home}sitemap-news.xml"), site.articles(home)[:20]
        assert values(body, "s:url/s:loc") == [article.url for article in newest]
        assert values(body, ".//news:title") == [article.headline for article in newest]
        assert values(body, ".//news:publication_date") == [article.date_published for article in newest]
        assert set(values(body, ".//news:language")) == {site.vocabulary.language}


def test_home_advertises_a_feed_of_the_newest_twenty(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    for site, home in zip(newsroom.sites, sites, strict=True):
        (feed,) = html.fromstring(fetch(home)).xpath("//link[@rel='alternate']/@href")
        body, newest = fetch(str(feed)), site.articles(home)[:20]
        titles = values(body, "channel/item/title") or values(body, "a:entry/a:title")
        assert titles == [article.headline for article in newest]
        rss_dates = [parsedate_to_datetime(text) for text in values(body, "channel/item/pubDate")]
        atom_dates = [datetime.fromisoformat(text) for text in values(body, "a:entry/a:published")]
        truth = [datetime.fromisoformat(article.date_published) for article in newest]
        assert (rss_dates or atom_dates) == truth
