from __future__ import annotations

import pytest
from lxml import html

from newsextract.reading.pagination import PageLinks, next_page, page_number

STORY = "https://example.com/2026/05/20/a-bridge-of-five-words"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("/story", "/story/2"),
        ("/story/", "/story/2/"),
        ("/story/", "/story/page/2/"),
        ("/story", "/story/seite-2"),
        ("/story", "/story?page=2"),
        ("/story?id=7", "/story?page=2&id=7"),
        ("/story?page=1", "/story?page=2"),
        ("/story.html", "/story-2.html"),
        ("/story.html", "/story_2.html"),
        ("/story.html", "/story,2.html"),
        ("/story.html", "/story.html/2"),
        ("/story.html", "/story.html?seite=2"),
        ("/story_1.html", "/story_2.html"),
        ("/story-1234567", "/story-1234567-2"),
        ("/2026/c_100112.htm", "/2026/c_100112_2.htm"),
        ("/story", "https://www.example.com/story/2"),
    ],
)
def test_knows_the_second_page_by_its_address(first: str, second: str) -> None:
    full = second if second.startswith("http") else f"https://example.com{second}"
    assert page_number(full, f"https://example.com{first}") == 2
    assert follow(f'<link rel="next" href="{second}">', f"https://example.com{first}") == full


@pytest.mark.parametrize(
    ("first", "other"),
    [
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
    ],
)
def test_follows_nothing_else(first: str, other: str) -> None:
    assert follow(f'<a rel="next" href="{other}">Next</a>', f"https://example.com{first}") is None


def follow(markup: str, first: str, url: str | None = None) -> str | None:
    links = PageLinks.of_tree(html.fromstring(f"<html><body>{markup}</body></html>"))
    return next_page(links, url or first, url or first, first)


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
