"""Blocks as Markdown, and their tables in every form."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.page import Page
from newsextract.page.rendering.renderer import html, markdown, text

if TYPE_CHECKING:
    from collections.abc import Callable


def rendered(markup: str) -> str:
    return markdown(Page(markup, "https://news.example/").blocks)


@pytest.mark.parametrize(("markup", "expected"), [
    ("<h1>A</h1><p>b</p>", "## A\n\nb"),
    ("<h3>A<br>b</h3>", "### A b"),
    ("<p>a <b>b</b> <i>c</i> <code>d</code></p>", "a **b** *c* `d`"),
    ("<p>a<b> b </b>c</p>", "a **b** c"),
    ("<p><b>a</b><b>b</b> c</p>", "**ab** c"),
    ("<p><code><b>a</b></code></p>", "**`a`**"),
    ("<p><b><code>a</code></b></p>", "**`a`**"),
    ("<p><code>a`b*</code></p>", "`` a`b* ``"),
    ("<p>a<br>b</p>", "a\\\nb"),
    ("<p><a href=/x>a</a></p>", "[a](https://news.example/x)"),
    ("<p><a href='/x>(y)'>a</a></p>", "[a](<https://news.example/x%3E(y)>)"),
    ("<p><a href='javascript:x'>a</a></p>", "a"),
    ("<ul><li>a<li>b</ul><p>c</p>", "- a\n- b\n\nc"),
    ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
    ("<ul><li>a<ul><li>b</ul>c</li><li>d</ul>", "- a\n  - b\n\n  c\n- d"),
    ("<ul><li><p>a<p>b</ul>", "- a\n\n  b"),
    ("<ul><li><ul><li>a</ul></ul>", "- - a"),
    ("<ul><li>a</ul><ul><li>b</ul>", "- a\n\n* b"),
    ("<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"),
    ("<ol start=-2><li>a</ol>", "0. a"),
    ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
    ("<p>a<b>“b”</b>c <b>“d”</b></p>", "a<strong>“b”</strong>c **“d”**"),
    ("<p><code>a</code><i>b</i>=<b>c</b><sup>2</sup></p>", "`a`*b*=**c**<sup>2</sup>"),
    ("<p>a<b>'b'</b><code>c</code></p>", "a<strong>'b'</strong>`c`"),
    ("<p><i>a<sup>2</sup></i>b</p>", "<em>a<sup>2</sup></em>b"),
    ("<p><i>a</i><b>b</b></p>", "<em>a</em><strong>b</strong>"),
    ("<p><b><i>a</i></b></p>", "***a***"),
    ("<p>10<sup>6</sup> <s>a</s></p>", "10<sup>6</sup> ~~a~~"),
    ("<p>so!<a href=/x>a</a></p>", "so\\![a](https://news.example/x)"),
    ("<p><a href='/x_(y)'>a</a></p>", "[a](https://news.example/x_(y))"),
    ("<h2>a #</h2>", "## a \\#"),
    ("<pre class='language-python'>a</pre>", "```python\na\n```"),
    ("<details><summary>a</summary>b</details>", "**a**\n\nb"),
    ("<table><tr><th>a<th>b<tr><td>c<br>d<td>e</table>", "| a | b |\n| --- | --- |\n| c<br>d | e |"),
    ("<blockquote><p>a<p>b</blockquote>", "> a\n>\n> b"),
    ("<pre>a\n  b*\n</pre>", "```\na\n  b*\n```"),
    ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
    ("<table><tr><th>a<th>b<tr><td>1|2<td>3</table>", "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"),
    ("<table><tr><td>a<tr><td>1<td><code>2|3</code></table>", "|  |  |\n| --- | --- |\n| a |  |\n| 1 | `2\\|3` |"),
    ("<p>a</p><img src=/i.png alt='i [1]'><p>b</p>", "a\n\n![i \\[1\\]](https://news.example/i.png)\n\nb"),
    ("<figure><img src=/i.png><figcaption>cap</figcaption></figure>", "![](https://news.example/i.png)\n\n*cap*"),
])  # fmt: skip
def test_writes_each_kind_of_markup(markup: str, expected: str) -> None:
    assert rendered(markup) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("# no heading", "\\# no heading"),
    ("- no item", "\\- no item"),
    ("1. no item", "1\\. no item"),
    ("2) no item", "2\\) no item"),
    ("2024 was wet", "2024 was wet"),
    ("*not* _so_ `much`", "\\*not\\* \\_so\\_ \\`much\\`"),
    ("~~~", "\\~\\~\\~"),
    ("[a](b) &lt;b>", "\\[a\\](b) \\<b\\>"),
    ("&amp;lt; R&amp;D", "\\&lt; R&D"),
    ("a<br>- b<br>===", "a\\\n\\- b\\\n\\==="),
    ("a \\* b", "a \\\\\\* b"),
])  # fmt: skip
def test_text_that_looks_like_markup_is_escaped(text: str, expected: str) -> None:
    assert rendered(f"<p>{text}</p>") == expected


@given(st.text())
def test_never_raises(text: str) -> None:
    assert isinstance(rendered(f"<p>{text}"), str)


@pytest.mark.parametrize(
    ("gutter", "is_left"),
    [("1\n2\n3", True), (" 9\n10\n11\n", True), ("1", True), ("1\n3\n4", False), ("a\nb", False), ("²\n³", False)],
)
def test_line_numbers_beside_code_are_left_out(gutter: str, is_left: bool) -> None:
    code = "<pre><code class=language-c>int a;\n  a = 1;</code></pre>"
    page = Page(f"<p>x</p><table><tr><td><div><pre>{gutter}</pre></div></td><td>{code}</td></tr></table><p>y</p>")
    assert (markdown(page.blocks) == "x\n\n```c\nint a;\n  a = 1;\n```\n\ny") == is_left
    assert (text(page.blocks) == "x\nint a;\n  a = 1;\ny") == is_left


def test_numbers_that_are_the_code_stay() -> None:
    assert rendered("<p>x</p><pre>1\n2</pre><pre>3\n4</pre>").count("```") == 4


def rows(markup: str, keep: str = "") -> list[list[str]]:
    """Return the cells of each line of text, of the blocks that contain `keep`."""
    blocks = [block for block in Page(markup).blocks if keep in block.text]
    return [line.split("\t") for line in text(blocks).split("\n")]


@pytest.mark.parametrize(("markup", "expected"), [
    ("<tr><td>a<td><td>b<tr><td>c<td>d<td>", [["a", "", "b"], ["c", "d", ""]]),
    ("<tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e", [["a", "", "b"], ["c", "d", "e"]]),
    ("<tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e", [["a", "b"], ["", "c"], ["d", "e"]]),
    ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", [["a", "b"], ["", "c"], ["", "d"]]),
    (
        "<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>1<td>2<td>3",
        [["a", "", "b"], ["", "", "c"], ["1", "2", "3"]],
    ),
    ("<thead><tr><td rowspan=9>a<td>b<tbody><tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
    ("<tr><td colspan=1000000>a<tr><td>b<td>c<tr><td>d<td>e", [["a", ""], ["b", "c"], ["d", "e"]]),
    ("<tr><td colspan=x rowspan=-3>a<td>b<tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
    ("<tr><td>a<td>b<tr><td>c<tr><td>d<td>e<td>f", [["a", "b", ""], ["c", "", ""], ["d", "e", "f"]]),
    ("<tr><td>a<td><p>b</p><p>c</p><tr><td>d<td>e", [["a", "b c"], ["d", "e"]]),
    ("<caption>cap</caption><tr><td>a<td>b<tr><td>c<td>d", [["cap"], ["a", "b"], ["c", "d"]]),
    ("<td>a<td>b<tr><td>c<td>d", [["a", "b"], ["c", "d"]]),
])  # fmt: skip
def test_every_cell_stays_in_its_column(markup: str, expected: list[list[str]]) -> None:
    assert rows(f"<table>{markup}</table>") == expected


def test_rows_without_kept_text_are_left_out_and_columns_are_kept() -> None:
    table = "<table><tr><td>a+<td>b+<td>c+<tr><td>d<td>e<td>f<tr><td>g+<td>h+<td>i</table>"
    assert rows(table, "+") == [["a+", "b+", "c+"], ["g+", "h+", ""]]


def test_a_cell_spans_only_the_rows_that_are_shown() -> None:
    blocks = Page("<table><tr><td rowspan=3>a+<td>b+<tr><td>c<tr><td>d+<tr><td>e+<td>f+</table>").blocks
    kept = [block for block in blocks if "+" in block.text]
    assert html(kept) == (
        '<table><tbody><tr><td rowspan="2">a+</td><td>b+</td></tr><tr><td>d+</td></tr>'
        "<tr><td>e+</td><td>f+</td></tr></tbody></table>"
    )


@pytest.mark.parametrize(("markup", "head"), [
    ("<thead><tr><td>a<td>b<tbody><tr><td>c<td>d", "| a | b |"), ("<tr><th>a<th>b<tr><td>c<td>d", "| a | b |"),
    ("<tr><th>a<td>b<tr><th>c<td>d", "|  |  |"), ("<tr><td>a<td>b<tr><td>c<td>d", "|  |  |"),
    ("<tr><th>a<th>b<tr><th>c<th>d", "| a | b |"),
])  # fmt: skip
def test_there_is_a_header_where_the_page_has_one(markup: str, head: str) -> None:
    blocks = Page(f"<table>{markup}</table>").blocks
    assert markdown(blocks).split("\n")[0] == head
    assert ("<thead>" in html(blocks)) == (head != "|  |  |")


@pytest.mark.parametrize("markup", [
    "<table><tr><td>menu<td><p>one</p><p>two</p><p>three</p><tr><td>a<td>b</table>",
    "<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>",
    "<table><tr><td>a<td>b</table>",
    "<table><tr><td>a<tr><td>b</table>",
    "<table><tr><td>a<td><tr><td><td>b</table>",
    "<table><tr><td>a<td>b<tr><td>c<td><table><tr><td>x<td>y</table></table>",
    "<table><tr><div>stray</div><td>a<td>b<tr><td>c<td>d</table>",
    "<table><tr><td>a<td>b</tr><tr><td>c<td>d</tr><div><table><div><table>x</table></div></table></div></table>",
])  # fmt: skip
def test_what_only_lays_out_the_page_is_plain_text(markup: str) -> None:
    blocks = Page(markup).blocks
    assert text(blocks) == "\n".join(block.text for block in blocks)
    assert "<t" not in html(blocks)
    assert "|" not in markdown(blocks)


def test_a_table_whose_cells_are_mostly_left_out_is_plain_text() -> None:
    assert rows("<table><tr><td>a+<td>b<td>c<tr><td>d+<td>e<td>f</table>", "+") == [["a+"], ["d+"]]


def test_a_table_of_data_inside_the_layout_is_a_table() -> None:
    inner = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert rows(f"<table><tr><td>menu<td><p>p</p>{inner}<p>q</p></table>") == [
        ["menu"],
        ["p"],
        ["a", "b"],
        ["c", "d"],
        ["q"],
    ]


def test_pictures_and_lists_stay_in_their_cells() -> None:
    blocks = Page(
        "<table><tr><td>a<td><img src=/i.png alt=i><tr><td>b<td><ul><li>x<li>y</ul></table>", "https://a.example/"
    ).blocks
    assert markdown(blocks).split("\n")[2:] == ["| a | ![i](https://a.example/i.png) |", "| b | x<br>y |"]
    assert "<td><ul><li>x</li><li>y</li></ul></td>" in html(blocks)


_WIDE = "<td colspan=1000 rowspan=65534>a"
HOSTILE: dict[str, Callable[[int], str]] = {
    "wide row, many narrow rows": lambda n: f"<tr>{'<td>a' * n}{'<tr><td>b' * n}",
    "many cells that span everything": lambda n: f"<tr>{_WIDE * n}" + f"<tr>{_WIDE}" * n,
    "one tall wide cell": lambda n: f"<tr>{_WIDE}<td>x" + "<tr><td>b" * n,
    "empty rows under a tall wide cell": lambda n: f"<tr>{_WIDE}<td>x<tr><td>y" + "<tr>" * n,
    "many pictures in a cell": lambda n: "<tr><td>a<td>b<tr><td>c<td>" + "<img src=/i.png>" * n,
    "empty cells": lambda n: "<tr><td>a<td>b" + "<td>" * n + "<tr><td>c<td>d",
    "ninety columns, one cell a row": lambda n: f"<tr>{'<td>a' * 90}" + "<tr><td>b" * n,
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_hostile_spans_do_not_grow_the_output(shape: str) -> None:
    sizes = []
    for count in (500, 2_000):
        blocks = Page(f"<table>{HOSTILE[shape](count)}</table>").blocks
        sizes.append(sum(map(len, (text(blocks), html(blocks), markdown(blocks)))) / count)
    assert sizes[1] < 1.5 * sizes[0] + 100
