"""Blocks as HTML and as plain text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html

from newsextract import read_article
from newsextract.page.page import Page
from newsextract.page.rendering import renderer
from newsextract.page.rendering.renderer import ATTRIBUTES, TAGS, markdown, text
from newsextract.page.rendering.renderer import html as render_html
from newsextract.page.rendering.renderer import text as render_text

if TYPE_CHECKING:
    from collections.abc import Callable

    PageOf: TypeAlias = Callable[[str], Page]


_SAFE_URL = re.compile(r"(?:https?://|mailto:)")


def rendered(markup: str) -> str:
    """Return everything on a page as HTML, without the line breaks of the source."""
    return render_html(Page(markup, "https://news.example/a/b.html").blocks)


def assert_clean(markup: str) -> None:
    for element in html.fragment_fromstring(markup, create_parent="div").iterdescendants():
        assert element.tag in TAGS
        assert set(element.attrib) <= ATTRIBUTES.get(element.tag, set())
        for name in ("href", "src"):
            assert _SAFE_URL.match(element.get(name, "https://"))


@pytest.mark.parametrize(("markup", "expected"), [
    ("<h1>A</h1><h2>B</h2><h6>C</h6>", "<h2>A</h2><h2>B</h2><h6>C</h6>"),
    ("<p>a <b>b</b> <i>c</i> <code>d</code></p>", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
    ("<p><b><i>a</i></b></p>", "<p><strong><em>a</em></strong></p>"),
    ("<p><font color=red>a</font><span>b</span></p>", "<p>ab</p>"),
    ("<p>a<br>b</p>", "<p>a<br>b</p>"),
    ("<p>a<br><br>b</p>", "<p>a</p><p>b</p>"),
    ("<p>1 &lt; 2 &amp; 3 &gt; 2</p>", "<p>1 &lt; 2 &amp; 3 &gt; 2</p>"),
    ("<p>&lt;script&gt;x&lt;/script&gt;</p>", "<p>&lt;script&gt;x&lt;/script&gt;</p>"),
    ("<p><a href='../c?x=1&y=2'>a</a></p>", '<p><a href="https://news.example/c?x=1&amp;y=2">a</a></p>'),
    ("<p><a href='#top'>a</a><a name=x>b</a></p>", "<p>ab</p>"),
    ("<p><a href='HTTP://a.example/'>a</a></p>", '<p><a href="http://a.example/">a</a></p>'),
    ("<p><a href='mailto:a@b.example'>a</a></p>", '<p><a href="mailto:a@b.example">a</a></p>'),
    ("<ul><li>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
    ("<ol><li>a<ul><li>b</ul><li>c</ol>", "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>"),
    ("<ul><li><p>a<p>b</ul>", "<ul><li><p>a</p><p>b</p></li></ul>"),
    ("<ul><li>a</li><ul><li>b</li></ul></ul>", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
    ("<ul>a<li>b</ul>", "<ul><li>a</li><li>b</li></ul>"),
    ("<li>a</li><li>b</li>", "<ul><li>a</li><li>b</li></ul>"),
    ("<ol start=3><li>a<li>b</ol>", '<ol start="3"><li>a</li><li>b</li></ol>'),
    ("<ol><li>a<li value=7>b<li>c</ol>", '<ol><li>a</li><li value="7">b</li><li>c</li></ol>'),
    ("<ol reversed><li>a<li>b</ol>", '<ol reversed="" start="2"><li>a</li><li>b</li></ol>'),
    ("<ol type=a start=x><li>a</ol>", '<ol type="a"><li>a</li></ol>'),
    ("<p>a<sub>1</sub><sup>2</sup> <strike>b</strike></p>", "<p>a<sub>1</sub><sup>2</sup> <del>b</del></p>"),
    ("<p><b>a <i>b</i></b></p>", "<p><strong>a <em>b</em></strong></p>"),
    ("<pre class='brush: js'>a</pre>", '<pre><code class="language-js">a</code></pre>'),
    ("<pre>a<br><br>b</pre>", "<pre>a\n\nb</pre>"),
    ("<pre><div>a</div><div>b</div></pre>", "<pre>a\nb</pre>"),
    ("<details><summary>a</summary>b</details>", '<details open=""><summary>a</summary><p>b</p></details>'),
    ("<blockquote><p>a</p><p>b</p></blockquote>", "<blockquote><p>a</p><p>b</p></blockquote>"),
    ("<pre>a\n  b &lt;\n</pre>", "<pre>a\n  b &lt;</pre>"),
    ("<dl><dt>a<dd>b</dl>", "<p>a</p><p>b</p>"),
])  # fmt: skip
def test_writes_each_kind_of_markup(markup: str, expected: str) -> None:
    assert rendered(markup) == expected


def test_a_caption_is_shown_once_with_its_image() -> None:
    found = rendered(
        "<p>a</p><figure><img src=/i.jpg alt='An &quot;i&quot;'><figcaption>Cap</figcaption></figure><p>b</p>"
    )
    assert found == (
        '<p>a</p><figure><img src="https://news.example/i.jpg" alt="An &quot;i&quot;">'
        "<figcaption>Cap</figcaption></figure><p>b</p>"
    )


def test_what_a_figure_shows_is_no_caption() -> None:
    found = rendered(
        "<figure><img src=/i.png><blockquote>Said</blockquote><pre>code</pre><figcaption>Cap</figcaption></figure>"
    )
    assert "<blockquote><p>Said</p></blockquote><pre>code</pre>" in found
    assert found.count("Cap") == found.count("Said") == 1


def test_items_that_are_kept_have_their_numbers() -> None:
    blocks = [block for block in Page("<ol><li>a<li>b+<li>c<li>d+</ol>").blocks if "+" in block.text]
    assert render_html(blocks) == '<ol start="2"><li>b+</li><li value="4">d+</li></ol>'
    assert markdown(blocks) == "2. b+\n4. d+"


def test_hostile_nesting_is_flattened() -> None:
    for tag in ("ul><li", "ol><li", "blockquote", "details", "sup"):
        blocks = Page(f"<{tag}>a " * 3_000).blocks
        assert len(render_html(blocks)) + len(markdown(blocks)) < 3_000 * 1_000


def test_a_caption_whose_image_is_gone_stays_a_caption() -> None:
    assert rendered("<figure><figcaption>Cap</figcaption></figure>") == (
        "<figure><figcaption>Cap</figcaption></figure>"
    )


ATTACKS = [
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' JaVaScRiPt:alert(1)'>x</a>",
    "<a href='java\nscript:alert(1)'>x</a>",
    "<a href='java&#9;script:alert(1)'>x</a>",
    "<a href='&#1;javascript:alert(1)'>x</a>",
    "<a href='&#106;avascript&colon;alert(1)'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>x</a>",
    "<a href='view-source:javascript:x'>x</a>",
    "<a href='https://a.example/\"onclick=\"alert(1)'>x</a>",
    "<b onclick='alert(1)' style='background:url(javascript:x)'>x</b>",
    "<img src='javascript:alert(1)' onerror='alert(1)'>x",
    "<img src='data:image/svg+xml,<svg onload=alert(1)>' alt='\"><script>alert(1)</script>'>x",
    "<img src=/ok.png alt='\" onerror=\"alert(1)'>x",
    "<svg><script>alert(1)</script><a xlink:href='javascript:x'>x</a></svg>x",
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>x",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>x",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe><object data=x></object><form action=javascript:x>x</form>",
    "&lt;img src=x onerror=alert(1)&gt;x",
    "<pre>&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;x</pre>",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_with_behaviour_survives(attack: str) -> None:
    for markup in (f"<p>before {attack} after</p>", f"<base href='javascript:x'><p>before {attack} after</p>"):
        found = rendered(markup)
        assert_clean(found)
        assert "before" in found


_TEXT = st.text(alphabet="ab <>&\"'`*_|#-.1\\[]\n\u00a0\u00ad中", min_size=1, max_size=8)
_TAG = st.sampled_from(
    "p div b i a code ul ol li blockquote pre table tr td th h1 h3 figure figcaption span br img "
    "sup sub s details summary caption thead".split()
)
_MARKUP = st.recursive(
    _TEXT.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;")),
    lambda inner: st.lists(
        st.tuples(_TAG, inner).map(lambda pair: f"<{pair[0]} href='x' src='y.png'>{pair[1]}</{pair[0]}>"), max_size=4
    ).map("".join),
    max_leaves=25,
)


@settings(max_examples=200, deadline=None)
@given(_MARKUP)
def test_the_html_says_what_the_blocks_say(markup: str) -> None:
    page = Page(markup, "https://news.example/")
    written = render_html(page.blocks)
    assert_clean(written)
    assert isinstance(markdown(page.blocks), str)
    found = html.fragment_fromstring(written, create_parent="div").text_content()
    assert sorted(_visible(found)) == sorted(_visible("".join(block.text for block in page.blocks)))


def _visible(text: str) -> str:
    return "".join(text.replace("\u00ad", "").split())


def test_text_has_a_line_for_each_block(page: PageOf) -> None:
    assert render_text(page("<h1>A</h1><p>b<br>c</p><pre>d\ne</pre>").blocks) == "A\nb c\nd\ne"
    assert render_text(()) == render_html(()) == markdown(()) == ""


FOLDER = Path(__file__).parent / "everything"


@pytest.mark.parametrize("form", ["html", "md", "txt"])
def test_is_written_as_expected(form: str) -> None:
    writers: dict[str, Callable[..., str]] = {"html": renderer.html, "md": renderer.markdown, "txt": renderer.text}
    page = Page((FOLDER / "page.html").read_text(encoding="utf-8"), "https://news.example/a/1")
    assert writers[form](page.blocks) == (FOLDER / f"expected.{form}").read_text(encoding="utf-8").rstrip("\n")


_ODD = "with\x1b]0;title\x07 an escape, &#27;[2J, \x9b31m and others\x00\x7f"


def test_no_form_of_an_article_has_control_characters() -> None:
    text = "".join(f"<p>Paragraph {number} {_ODD} of a text that is long enough to be one.</p>" for number in range(6))
    title, code = f"Bridge {_ODD} opens", "<pre>a\x1b[0m\n b</pre>"
    html = f"<html><title>{title}</title><article><h1>{title}</h1>{text}{code}</article>"
    article = read_article(html, "https://news.example/1", markdown=True)
    forms = (article.headline, article.articleBody, article.articleBodyHtml, article.articleMarkdown)
    for form in forms:
        assert form
        assert "escape" in form
        assert form.replace("\n", "").isprintable()


def read(markup: str) -> str:
    return text(Page(markup, "https://news.example/").blocks)


@pytest.mark.parametrize(("markup", "expected"), [
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
])  # fmt: skip
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
