"""The next page, or all on one page, by the rules of a site, which stays on the site and moves on."""

from __future__ import annotations

import pytest

from newsextract import Page, read_article
from newsextract.reading.ruled_reading import ruled_next_page, ruled_single_page
from newsextract.reading.rules import SiteRules

URL = "https://a.example/story"


@pytest.mark.parametrize(
    ("html", "rule", "found"),
    [
        ("<a class='next' href='/two'>on</a>", "a.next", "https://a.example/two"),
        ("<p class='next'><a href='/two'>on</a></p>", "p.next", "https://a.example/two"),
        ("<a class='next' href='/two'>on</a>", "//a[@class='next']/@href", "https://a.example/two"),
        (
            "<a class='next' href='/story#top'>on</a><a class='next' href='/two'>on</a>",
            "a.next",
            "https://a.example/two",
        ),
        ("<a class='next' href='https://b.example/two'>on</a>", "a.next", None),
        ("<a class='next' href='javascript:go()'>on</a>", "a.next", None),
        ("<a class='other' href='/two'>on</a>", "a.next", None),
    ],
)
def test_is_another_page_of_the_same_site(html: str, rule: str, found: str | None) -> None:
    assert ruled_next_page(Page(html, URL), URL, SiteRules(next_page=(rule,)), None) == found


def test_does_not_lead_back_to_the_first_page() -> None:
    rules = SiteRules(next_page=("a",))
    assert ruled_next_page(Page("<a href='/story'>on</a>", "https://a.example/two"), URL, rules, None) is None


def test_rules_for_unsure_pages_count_where_nothing_else_is_found() -> None:
    page, rules = Page("<a href='/two'>on</a>", URL), SiteRules(next_page=("a",), when_unsure=True)
    assert ruled_next_page(page, URL, rules, "https://a.example/story/2") == "https://a.example/story/2"
    assert ruled_next_page(page, URL, rules, None) == "https://a.example/two"


@pytest.mark.parametrize(
    ("href", "found"), [("/all", "https://a.example/all"), ("https://b.example/all", None), (URL, None)]
)
def test_all_on_one_page_is_another_page_of_the_same_site(href: str, found: str | None) -> None:
    page = Page(f"<a class='all' href='{href}'>One page</a>", URL)
    assert ruled_single_page(page, SiteRules(single_page=("a.all",)), None) == found


def test_rules_for_unsure_pages_want_one_page_only_instead_of_several() -> None:
    page, rules = Page("<a href='/all'>on</a>", URL), SiteRules(single_page=("a",), when_unsure=True)
    assert ruled_single_page(page, rules, None) is None
    assert ruled_single_page(page, rules, "https://a.example/story/2") == "https://a.example/all"


def test_an_article_of_one_page_says_where_it_continues() -> None:
    html = "<h1>The river</h1>" + "<p>The river rose again this week, and the council closed the bridge.</p>" * 9
    article = read_article(html + "<a class='next' href='/two'>on</a>", URL, rules={"next_page": "a.next"})
    assert article.extraction is not None
    assert "articleBody: continues at https://a.example/two, which was not joined" in article.extraction.warnings
