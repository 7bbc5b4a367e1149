from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from newsextract.page.links import ARTICLE_THRESHOLD, Link, article_likeness, is_section_like, page_links

PAGE = "https://example.com/news/"


def links(body: str) -> list[Link]:
    return page_links(html.fromstring(f"<html><body>{body}</body></html>"), PAGE)


def test_lists_links_in_order_once_and_clean() -> None:
    found = links(
        '<a href="b?utm_source=x">Second <b>page</b>\n here</a><a href="/a">A</a><a href="b#top"></a>'
        '<a rel="nofollow" href="//example.org/c">C</a>'
    )
    assert found == [
        Link("https://example.com/news/b", "Second page here"),
        Link("https://example.com/a", "A"),
        Link("https://example.org/c", "C"),
    ]


@pytest.mark.parametrize("href", ["", "#top", "mailto:a@b.c", "javascript:void(0)", "x.pdf", "http://[bad", ".", "?#x"])
def test_leaves_out_what_is_no_other_page(href: str) -> None:
    assert links(f'<a href="{href}">text</a><a>no address</a>') == []


@pytest.mark.parametrize(
    "anchor",
    [
        '<a href="/a"><img alt=" Flood  hits "></a>',
        '<a href="/a" title="Flood hits"> </a>',
        '<a href="/a" aria-label="Flood hits"><svg></svg></a>',
        '<a href="/a"><img src="x"></a><h2><a href="/a">Flood hits</a></h2>',
        '<a href="/a"><!-- note -->Flood hits</a>',
        '<map><area href="/a" title="Flood hits"></map>',
    ],
)
def test_reads_the_text_that_names_the_page(anchor: str) -> None:
    assert links(anchor) == [Link("https://example.com/a", "Flood hits")]


def test_a_link_ends_where_another_begins() -> None:
    found = links('<a href="/a">One <b><img alt=x></b> and <i><a href="/b">two</a></i> three</a>')
    assert found == [Link("https://example.com/a", "One and"), Link("https://example.com/b", "two")]


def test_heeds_the_base_element() -> None:
    tree = html.fromstring('<html><head><base href="/de/"></head><body><a href="a">A</a></body></html>')
    assert page_links(tree, PAGE) == [Link("https://example.com/de/a", "A")]
    tree = html.fromstring('<html><head><base href="http://[bad"></head><body><a href="a">A</a></body></html>')
    assert page_links(tree, PAGE) == [Link("https://example.com/news/a", "A")]


@pytest.mark.parametrize(
    "path",
    [
        "/2024/05/14/floods",
        "/news/world/floods-close-three-alpine-passes",
        "/politik/wahl-in-bayern-das-ist-das-ergebnis-a-1234567.html",
        "/article/20240514-crue",
        "/actu/crue-dans-les-alpes_6234567_3210.html",
        "/news/articles/c0vw1y3k5lno-floods-alps-today",
        "/story/58e88d41-d4cb-50a8-8a40-07d4bca79e0d.html",
        "/?p=34508",
        "/c/2024-05/14/content_12345.htm",
        "/категория/наводнение-закрыло-три-перевала-в-альпах",
        "/%E6%96%B0%E9%97%BB/%E6%B4%AA%E6%B0%B4%E5%B0%81%E9%94%81%E9%98%BF%E5%B0%94%E5%8D%91%E6%96%AF%E5%B1%B1%E5%8F%A3",
    ],
)
def test_recognises_addresses_of_articles(path: str) -> None:
    assert article_likeness(f"https://example.com{path}") >= ARTICLE_THRESHOLD
    assert not is_section_like(f"https://example.com{path}", "A headline as long as headlines are")


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/index.html",
        "/world",
        "/world/europe/",
        "/tag/floods-in-the-alpine-passes",
        "/author/ann-example",
        "/auteur/ann-example",
        "/Catégorie/Sport",
        "/suche?q=hochwasser",
        "/news?page=12",
        "/world/page/3/",
        "/login",
        "/mentions-legales",
        "/impressum.html",
        "/关于我们",
        "/タグ/東京",
    ],
)
def test_recognises_the_rest(path: str) -> None:
    assert article_likeness(f"https://example.com{path}") < ARTICLE_THRESHOLD


@pytest.mark.parametrize("headline", ["Floods close three Alpine passes", "洪水封锁阿尔卑斯山三处山口"])
def test_a_headline_speaks_for_an_article(headline: str) -> None:
    url = "https://example.com/floods-in-alps"
    assert article_likeness(url, headline) > article_likeness(url, "Alps")


@pytest.mark.parametrize("path", ["/", "/world", "/en/news/europe", "/arts-and-culture/", "/rubrique/sport"])
def test_visits_sections(path: str) -> None:
    assert is_section_like(f"https://example.com{path}")


@pytest.mark.parametrize(
    "path",
    ["/login", "/about-us", "/datenschutz", "/tag/alps", "/author/ann", "/news?page=2", "/a/b/c/d", "/feed"],
)
def test_visits_nothing_endless_or_about_the_house(path: str) -> None:
    assert not is_section_like(f"https://example.com{path}")


@given(st.text(max_size=60), st.text(max_size=60))
def test_judges_anything(path: str, text: str) -> None:
    for url in (path, f"https://example.com/{path}"):
        assert 0 <= article_likeness(url, text) <= 1
        is_section_like(url, text)
