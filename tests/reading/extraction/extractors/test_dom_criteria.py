from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.reading.extraction.dom_criteria import DomCriteria, _Nodes

SMALL = "<html><body><div><p>aaaa</p><p>bb</p></div><section>cccccc<p>d</p></section></body></html>"


def test_the_criteria_are_those_computed_by_hand() -> None:
    outline = Page(SMALL).outline
    assert outline.tags == ["html", "body", "div", "p", "p", "section", "p"]
    nodes = _Nodes(outline, inline_is_text=True, adds_up=False)
    assert nodes.text_children == [0, 1, 2, 0, 0, 1, 0]
    # `section` has a text-bearing child of its own, so its text is no leaf text of `body`.
    assert nodes.leaf_text == [0, 0, 4, 0, 0, 1, 0]
    assert _Nodes(outline, inline_is_text=True, adds_up=True).leaf_text == [0, 0, 6, 0, 0, 1, 0]
    # The deepest text is at depth 3, the middle at 1.5.
    assert nodes.middleness == pytest.approx([0, 2 / 3, 2 / 3, 0, 0, 2 / 3, 0])


def kept(markup: str, **options: float | bool | str) -> str:
    return DomCriteria(**options).extract(Page(markup)).text  # type: ignore[arg-type]


def test_the_best_on_all_three_is_the_content() -> None:
    assert kept(SMALL) == kept(SMALL, text="sum") == "aaaa\nbb"
    with pytest.raises(ValueError, match="neither 'longest' nor 'sum'"):
        kept(SMALL, text="most")


def test_of_equal_elements_the_first_is_taken() -> None:
    assert kept("<html><body><div><p>one</p></div><div><p>two</p></div></body></html>") == "one"


def test_inline_markup_is_text_or_elements() -> None:
    markup = "<div><p>Many <b>bold words</b> <i>and</i> <a>others</a> <b>are</b> <i>here</i></p><p>Not</p></div>"
    assert kept(markup) == "Many bold words and others are here\nNot"
    assert kept(markup, inline_is_text=False) == "Many bold words and others are here"


def test_text_after_the_body_is_the_content_of_a_page_without_other() -> None:
    assert kept("<html><body></body>Stray text</html>") == "Stray text"
