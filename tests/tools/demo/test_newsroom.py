"""The demo newsroom's promises about its stories, before anything is served.

What the sites tell machines: robots.txt, sitemaps and feeds.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.request import urlopen

import pytest
from lxml import etree, html

from newsextract.tools.demo import DemoNewsroom, build_newsroom
from newsextract.tools.demo import newsroom as newsroom_module
from newsextract.tools.demo.pages import respond, routes

TODAY = datetime(2026, 5, 20, 12, 30, tzinfo=UTC)
BASES = ("http://one.test/", "http://two.test/", "http://three.test/")


def all_bytes(newsroom: DemoNewsroom) -> list[bytes]:
    tables = [(site, routes(site)) for site in newsroom.sites]
    return [respond(site, table, path, "http://a.test").body for site, table in tables for path in table]


def test_same_seed_and_day_give_the_same_bytes(newsroom: DemoNewsroom) -> None:
    assert all_bytes(newsroom) == all_bytes(build_newsroom(seed=1, today=TODAY))


def test_newsrooms_of_one_day_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for moment in (datetime(2026, 5, 20, 9, 12), datetime(2026, 5, 20, 9, 27), datetime(2026, 5, 20, 23, 59)):  # noqa: DTZ001
        clock = type("Clock", (datetime,), {"now": staticmethod(moment.replace(tzinfo=UTC).astimezone)})
        monkeypatch.setattr(newsroom_module, "datetime", clock)
        found.append(all_bytes(build_newsroom()))
    assert found[0] == found[1] == found[2]


def test_another_seed_gives_other_stories(newsroom: DemoNewsroom) -> None:
    assert build_newsroom(seed=2, today=TODAY).articles(BASES) != newsroom.articles(BASES)


def test_each_of_three_languages_has_forty_articles(newsroom: DemoNewsroom) -> None:
    languages = Counter(article.language for article in newsroom.articles(BASES))
    assert languages == {"en": 40, "fr": 40, "zh": 40}


def test_no_two_articles_share_an_address_a_headline_or_a_paragraph(newsroom: DemoNewsroom) -> None:
    articles = newsroom.articles(BASES)
    assert len({article.url for article in articles}) == 120
    assert len({article.headline for article in articles}) == 120
    owners = Counter(
        line
        for site in newsroom.sites
        for story in site.stories
        for piece in story.body
        for line in piece.lines
        if piece.kind == "paragraph"
    )
    assert max(owners.values()) == 1


def test_paragraphs_have_the_length_of_real_ones(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        for story in site.stories:
            paragraphs = [piece.lines[0] for piece in story.body if piece.kind == "paragraph"]
            assert 4 <= len(paragraphs) <= 12
            if site.vocabulary.language == "zh":
                assert all(80 <= len(paragraph) <= 250 for paragraph in paragraphs)
            else:
                assert all(40 <= len(paragraph.split()) <= 120 for paragraph in paragraphs)


def test_no_template_is_left_unfilled(newsroom: DemoNewsroom) -> None:
    for article in newsroom.articles(BASES):
        words = "\n".join((article.text, article.headline, article.description, *article.captions))
        assert not set("{}[]|") & set(words)


def test_noise_is_in_no_story(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        articles = site.articles("http://a.test")
        words = "\n".join(text for article in articles for text in (article.text, article.description))
        assert [phrase for phrase in site.noise if phrase in words] == []


def test_every_kind_of_piece_occurs_on_every_site(newsroom: DemoNewsroom) -> None:
    for site in newsroom.sites:
        kinds = {piece.kind for story in site.stories for piece in story.body}
        assert kinds == {"paragraph", "heading", "quote", "list", "table", "image"}


def test_dates_span_the_last_thirty_days_in_the_zone_of_the_site(newsroom: DemoNewsroom) -> None:
    zones = [timedelta(hours=hours) for hours in (-4, 2, 8)]
    for site, zone in zip(newsroom.sites, zones, strict=True):
        dates = [datetime.fromisoformat(article.date_published) for article in site.articles("http://a.test")]
        assert dates == sorted(dates, reverse=True)
        assert {date.utcoffset() for date in dates} == {zone}
        assert TODAY - timedelta(days=30) <= dates[-1] < TODAY - timedelta(days=28)
        assert TODAY - timedelta(days=2) < dates[1] < dates[0] < TODAY


@pytest.mark.parametrize("today", [None, datetime(2026, 5, 20)])  # noqa: DTZ001 - a day without a zone
def test_the_day_may_be_left_out_or_lack_a_zone(today: datetime | None) -> None:
    assert len(build_newsroom(today=today).articles(BASES)) == 120


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
