from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.page import Page
from newsextract.page.rendering.renderer import markdown, text


def rendered(markup: str) -> str:
    return markdown(Page(markup, "https://news.example/").blocks)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
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
    ],
)
def test_writes_each_kind_of_markup(markup: str, expected: str) -> None:
    assert rendered(markup) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
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
    ],
)
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
