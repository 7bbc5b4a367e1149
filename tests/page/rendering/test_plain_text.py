from __future__ import annotations

import pytest

from newsextract.page.page import Page
from newsextract.page.rendering.renderer import text


def read(markup: str) -> str:
    return text(Page(markup, "https://news.example/").blocks)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("10<sup>6</sup> and 10<sup>-6</sup>", "10⁶ and 10⁻⁶"),
        ("CO<sub>2</sub> on 3 m<sup>2</sup>", "CO₂ on 3 m²"),
        ("a<sup>n+1</sup>, a<sup>2.5</sup>, a<sup>2k*</sup>", "aⁿ⁺¹, a^2.5, a^(2k*)"),
        ("x<sub>1,2</sub>", "x_1,2"),
        ("le 1<sup>er</sup> mai, 21<sup>st</sup>, T<sub>max</sub>", "le 1er mai, 21st, Tmax"),
        ("word<sup><a href='#n1'>1</a></sup> on", "word[1] on"),
        ("word<a href='#n1'><sup>1</sup></a> on", "word[1] on"),
        ("word<sup><a href='#n1'>[1]</a></sup> on", "word[1] on"),
        ("word<sup>[1]</sup> on", "word[1] on"),
        ("<a href='/x'>2 km<sup>2</sup></a>", "2 km²"),
        ("said.<sup>*</sup>", "said.*"),
        ("<sup>1</sup> A note", "1 A note"),
        ("a <sub>set in small type, all of it</sub>", "a set in small type, all of it"),
        ("a<sup> </sup>b", "a b"),
    ],
)
def test_what_is_raised_or_lowered_stays_so(markup: str, expected: str) -> None:
    assert read(f"<p>{markup}</p>") == expected


def test_code_keeps_its_lines_and_other_text_has_none() -> None:
    assert read("<p>a<br>b\nc</p><pre>if x:\n    y\r\n\nz</pre>") == "a b c\nif x:\n    y\n\nz"


def test_lists_and_quotes_have_a_line_for_each_paragraph() -> None:
    assert read("<ol start=3><li>a<li><p>b<p>c</ol><blockquote><p>d<p>e</blockquote>") == "a\nb\nc\nd\ne"


def test_pages_that_continue_an_article_are_read_each_by_itself() -> None:
    first = Page("<p>a<sup>2</sup></p>").blocks
    second = Page("<table><tr><td>b<td>c<tr><td>d<td>e</table>").blocks
    assert text((*first, *second)) == "a²\nb\tc\nd\te"
