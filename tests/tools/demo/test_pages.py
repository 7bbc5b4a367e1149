"""The pages as a browser gets them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urljoin, urlsplit
from urllib.request import urlopen

import pytest
from lxml import html

if TYPE_CHECKING:
    from newsextract.tools.demo import DemoArticle, DemoNewsroom


def tree(url: str) -> html.HtmlElement:
    with urlopen(url) as response:
        body = response.read()
    # As a browser does: what the page itself declares.
    charset = "gb18030" if b"charset=gb18030" in body else "utf-8"
    return html.fromstring(body.decode(charset))


def squeezed(page: html.HtmlElement) -> str:
    return " ".join(page.text_content().split())


def pages(url: str) -> list[html.HtmlElement]:
    """Return a page and those that it names as the next, in their order."""
    found = [tree(url)]
    while following := found[-1].xpath("//link[@rel='next']/@href"):
        found.append(tree(str(following[0])))
    return found


def links(url: str) -> set[str]:
    found = {urljoin(url, str(href)) for href in tree(url).xpath("//a/@href")}
    return {link for link in found if urlsplit(link).netloc == urlsplit(url).netloc}


def status(url: str) -> int:
    try:
        with urlopen(url) as response:
            return int(response.status)
    except HTTPError as error:
        return error.code


def test_the_truth_is_on_the_page_in_order(articles: tuple[DemoArticle, ...]) -> None:
    for article in articles:
        text, position = " ".join(map(squeezed, pages(article.url))), 0
        for paragraph in article.paragraphs:
            position = text.find(paragraph, position)
            assert position >= 0, (article.url, paragraph)
        assert article.headline in text
        assert all(name in text for name in article.authors)
        assert all(caption in text for caption in article.captions)


def test_every_article_is_surrounded_by_noise(newsroom: DemoNewsroom, sites: tuple[str, ...]) -> None:
    for site, base in zip(newsroom.sites, sites, strict=True):
        for article in site.articles(base):
            text = squeezed(tree(article.url))
            assert sum(phrase in text for phrase in site.noise) > 25


def test_following_links_from_home_finds_every_article_and_one_dead_link(
    newsroom: DemoNewsroom, sites: tuple[str, ...]
) -> None:
    for site, home in zip(newsroom.sites, sites, strict=True):
        seen, waiting, dead = set[str](), {home}, set[str]()
        while waiting:
            url = waiting.pop()
            seen.add(url)
            if status(url) == 200:
                waiting |= links(url) - seen
            else:
                dead.add(url)
        assert {article.url for article in site.articles(home)} <= seen
        assert dead == {f"{home}archive/2009/"}
        assert any("utm_source" in url for url in seen)


def test_canonical_links_and_main_pictures_use_the_address_of_the_request(
    articles: tuple[DemoArticle, ...],
) -> None:
    for article in articles:
        page = tree(article.url)
        assert page.xpath("//link[@rel='canonical']/@href") == [article.url]
        (image,) = page.xpath("//meta[@property='og:image']/@content")
        assert image == article.image
        assert status(image) == 200


def test_one_article_has_a_second_address_that_points_to_the_first(
    newsroom: DemoNewsroom, sites: tuple[str, ...]
) -> None:
    for site, home, shape in zip(newsroom.sites, sites, ("{}amp/", "{}?print=1", "print/"), strict=True):
        article = site.articles(home)[3]
        second = article.url.replace("news/", "print/news/") if shape == "print/" else shape.format(article.url)
        assert second in links(article.url)
        assert tree(second).xpath("//link[@rel='canonical']/@href") == [article.url]


def test_one_article_has_a_second_page_that_its_first_names(articles: tuple[DemoArticle, ...]) -> None:
    (article,) = [article for article in articles if len(pages(article.url)) > 1]
    first, second = pages(article.url)
    assert second.xpath("//link[@rel='canonical']/@href") == [article.url]
    assert article.paragraphs[0] not in squeezed(second)
    assert article.paragraphs[-1] not in squeezed(first)
    second_url = article.url.replace(".htm", "_2.htm")
    assert second_url in links(article.url)
    assert article.url in links(second_url)


def test_the_layouts_tell_their_dates_in_three_ways(articles: tuple[DemoArticle, ...]) -> None:
    modern, soup, old = (articles[index] for index in (0, 40, 80))
    (script,) = tree(modern.url).xpath("//script[@type='application/ld+json']/text()")
    story = next(node for node in json.loads(str(script))["@graph"] if node["@type"] == "NewsArticle")
    assert story["datePublished"] == modern.date_published
    assert tree(soup.url).xpath("//meta[@itemprop='datePublished']/@content") == [soup.date_published]
    assert tree(old.url).xpath("//time/@datetime") == [old.date_published]


def test_tracking_parameters_lead_to_the_same_page(articles: tuple[DemoArticle, ...]) -> None:
    for article in (articles[0], articles[40], articles[80]):
        with urlopen(article.url) as plain, urlopen(f"{article.url}?utm_source=letter") as tracked:
            assert plain.read() == tracked.read()


@pytest.mark.parametrize(("index", "header"), [(0, "utf-8"), (1, "utf-8"), (2, None)])
def test_the_legacy_site_names_its_charset_only_in_the_page(
    sites: tuple[str, ...], index: int, header: str | None
) -> None:
    with urlopen(sites[index]) as response:
        assert response.headers.get_content_charset() == header
        body = response.read()
    body.decode(header or "gb18030")
    assert (b"charset=gb18030" in body) is (header is None)
