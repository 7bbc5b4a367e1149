"""Further pages of an article, joined; and the AMP and print versions that a page links."""

from __future__ import annotations

import pytest
from lxml import html

from newsextract import Page, create_extractor, read_article
from newsextract.page.page import Hints
from newsextract.page.urls import page_number
from newsextract.reading.notices import NoArticle
from newsextract.reading.pagination import linked_versions, next_page, require_version
from newsextract.reading.reader import ArticleReader

STORY = "https://example.com/2026/05/20/a-bridge-of-five-words"


@pytest.mark.parametrize(("first", "second"), [
    ("/story", "/story/2"), ("/story/", "/story/2/"), ("/story/", "/story/page/2/"),
    ("/story", "/story/seite-2"), ("/story", "/story?page=2"), ("/story?id=7", "/story?page=2&id=7"),
    ("/story?page=1", "/story?page=2"), ("/story.html", "/story-2.html"), ("/story.html", "/story_2.html"),
    ("/story.html", "/story,2.html"), ("/story.html", "/story.html/2"), ("/story.html", "/story.html?seite=2"),
    ("/story_1.html", "/story_2.html"), ("/story-1234567", "/story-1234567-2"),
    ("/2026/c_100112.htm", "/2026/c_100112_2.htm"), ("/story", "https://www.example.com/story/2"),
])  # fmt: skip
def test_knows_the_second_page_by_its_address(first: str, second: str) -> None:
    full = second if second.startswith("http") else f"https://example.com{second}"
    assert page_number(full, f"https://example.com{first}") == 2
    assert follow(f'<link rel="next" href="{second}">', f"https://example.com{first}") == full


@pytest.mark.parametrize(("first", "other"), [
    ("/story", "/another-story"),
    ("/story", "/story-2"),
    ("/story", "/story/comments"),
    ("/story", "/story/2026"),
    ("/100112", "/100113"),
    ("/news/1", "/news/2"),
    ("/?p=12", "/?p=13"),
    ("/story?id=7", "/story?id=8"),
    ("/story?id=7", "/story?id=8&page=2"),
    ("/story.html", "/story-2"),
    ("/story", "/"),
    ("/story", "https://other.example/story/2"),
    ("/story", "/story/3"),
    ("/story", "/story#2"),
    ("/story", "http://["),
])  # fmt: skip
def test_follows_nothing_else(first: str, other: str) -> None:
    assert follow(f'<a rel="next" href="{other}">Next</a>', f"https://example.com{first}") is None


def follow(markup: str, first: str, url: str | None = None) -> str | None:
    tree = html.fromstring(f"<html><body>{markup}</body></html>")
    return next_page(tree, url or first, url or first, first)


def test_goes_on_to_the_next_number_only() -> None:
    links = "".join(f'<a rel="{rel}" href="{STORY}/{n}">x</a>' for rel, n in (("prev", 1), ("next", 3), ("next", 2)))
    assert follow(links, STORY, f"{STORY}/2") == f"{STORY}/3"
    assert follow(links, STORY, f"{STORY}/3") is None


def test_some_count_from_nought() -> None:
    assert follow(f'<a rel="next" href="{STORY}?page=1">x</a>', STORY) == f"{STORY}?page=1"


def test_believes_a_pagination_whose_texts_are_the_numbers() -> None:
    assert follow(f'<b>1</b> <a href="{STORY}/2">2</a> <a href="{STORY}/3">3</a>', STORY) == f"{STORY}/2"
    assert follow(f'<a href="{STORY}/2">Page 2</a>', STORY) == f"{STORY}/2"
    assert follow(f'<a href="{STORY}/2">two million readers</a>', STORY) is None
    assert follow(f'<div id="comments"><a href="{STORY}?page=2">2</a></div>', STORY) is None


# Articles of several pages, joined.

URL = "https://example.com/2026/05/20/a-bridge-of-five-words.html"
STANDFIRST = "<p>After many years of waiting, the people of the town have got their bridge over the river.</p>"


def paragraphs(page: int) -> str:
    return "".join(
        f"<p>Paragraph {number} of page {page} tells at some length how the bridge was built, and by whom it was.</p>"
        for number in range(8)
    )


def page(number: int, body: str = "", *, head: str = "", continued: tuple[Page, ...] = ()) -> Page:
    url = URL if number == 1 else URL.replace(".html", f"-{number}.html")
    html = f"<head>{head}</head><body><h1>The bridge</h1>{STANDFIRST}{body}{paragraphs(number)}</body>"
    return Page(html, url, continued=continued)


def test_joins_the_texts_in_order_and_says_nothing_twice() -> None:
    article = read_article(page(1, continued=(page(2), page(3))), extractor="everything")
    body = article.articleBody or ""
    firsts = [line.partition(" tells")[0] for line in body.splitlines() if line.startswith("Paragraph 0")]
    assert firsts == [f"Paragraph 0 of page {number}" for number in (1, 2, 3)]
    assert body.count("After many years") == body.count("The bridge\n") == 1
    assert (article.articleBodyHtml or "").count("<p>Paragraph") == 24
    assert article.wordCount == sum(map(len, map(str.split, body.splitlines())))
    assert article.url == URL


def test_pictures_of_further_pages_are_added_once() -> None:
    lead, other = (f'<figure><img src="/{name}.png" alt=""></figure>' for name in ("lead", "other"))
    article = read_article(page(1, lead, continued=(page(2, lead + other),)), extractor="everything")
    assert [image.url for image in article.images or ()] == [
        f"https://example.com/{name}.png" for name in ("lead", "other")
    ]
    assert (article.articleBodyHtml or "").count("lead.png") == (article.articleBodyHtml or "").count("other.png") == 1


@pytest.mark.parametrize(("continued", "expected"), [((), "-2.html"), ((2,), None)])
def test_warns_of_a_page_that_is_missing(continued: tuple[int, ...], expected: str | None) -> None:
    further = tuple(page(number) for number in continued)
    first = page(1, head=f'<link rel="next" href="{URL.replace(".html", "-2.html")}">', continued=further)
    article = ArticleReader(create_extractor("everything")).read(first)
    warnings = article.extraction.warnings if article.extraction else []
    assert [warning for warning in warnings if "continues at" in warning] == (
        [f"articleBody: continues at {URL.replace('.html', '-2.html')}, which was not joined"] if expected else []
    )


def test_a_page_that_adds_nothing_is_said() -> None:
    article = read_article(page(1, continued=(Page("<p></p>", URL.replace(".html", "-2.html")),)), extractor="mss")
    assert article.extraction
    assert "articleBody: nothing new on page 2" in article.extraction.warnings
    assert "Paragraph 7 of page 1" in (article.articleBody or "")


BRIDGE = "https://www.news.example/2026/bridge"
AMP = "https://amp.news.example/2026/bridge"


def versions(head: str, url: str = BRIDGE) -> tuple[str, ...]:
    return linked_versions(Page(f"<head>{head}</head><body></body>", url)).addresses


def test_amp_comes_before_print_whatever_the_order() -> None:
    both = f'<link rel=alternate media=print href="?print=1"><link rel="amphtml" href="{AMP}">'
    assert versions(both) == (AMP, f"{BRIDGE}?print=1")


@pytest.mark.parametrize("link", [
    "<link rel=amphtml href='https://news-example.cdn.ampproject.org/c/s/bridge'>",
    "<link rel=amphtml href='https://other.example/bridge'>",
    "<link rel=amphtml href='javascript:alert(1)'>",
    "<link rel=amphtml href=''><link rel=amphtml>",
    "<link rel=amphtml href='http://[::1'>",
    f"<link rel=amphtml href='{BRIDGE}#top'>",
    "<link rel=alternate href='/en/bridge' hreflang=en>",
    "<link rel=stylesheet media=print href='/print.css'>",
    "<link rel=canonical href='/bridge'><link rel=amphtml href='/bridge'>",
])  # fmt: skip
def test_nothing_else_is_a_version(link: str) -> None:
    assert versions(link) == ()


def test_a_base_counts_and_a_page_without_an_address_has_none() -> None:
    assert versions("<base href='https://www.news.example/m/'><link rel=amphtml href=bridge>") == (
        "https://www.news.example/m/bridge",
    )
    assert linked_versions(Page("<link rel=amphtml href=/amp/bridge>")).addresses == ()


def version(originals: tuple[str, ...]) -> Page:
    return Page("<p>x</p>", BRIDGE, hints=Hints(version_address=AMP, originals=originals))


def test_a_version_names_the_page_or_its_canonical_address_or_nothing() -> None:
    page = Page("<link rel=canonical href='/bridge-opens'><link rel=amphtml href='/amp'>", BRIDGE)
    amp = version(linked_versions(page).originals)
    for canonical in (BRIDGE, "https://www.news.example/bridge-opens", None):
        require_version(amp, canonical)
    with pytest.raises(NoArticle, match="a version of another page"):
        require_version(amp, "https://www.news.example/else")
    require_version(Page("<p>x</p>", BRIDGE), "https://www.news.example/else")


def test_links_of_a_version_are_relative_to_where_it_is_from() -> None:
    assert version(()).base_url == AMP
    assert Page("<p>x</p>", BRIDGE).base_url == BRIDGE
