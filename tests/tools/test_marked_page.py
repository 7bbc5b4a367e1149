"""The copy of a page: it looks like itself, says who kept what, and has nothing in it that runs or fetches."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lxml import etree, html

from newsextract.page.outline import TEXTLESS
from newsextract.page.page import Page
from newsextract.tools.agreement import Agreement, answers_of
from newsextract.tools.marked_page import LEFT_OUT, MarkedPage, harmless, linked_sheets
from tests.tools.extractors import EXTRACTORS, STORY

AWKWARD = {
    "story": STORY,
    "empty": "",
    "text alone": "no tag at all & a < sign",
    "late head": "<p>a</p><head><title>t</title></head><body><p>b</p></body>",
    "text in a table": "<table>loose<tr>text<td>in</td></tr>end</table>",
    "line breaks": "<div>one<br><br>two<br>three<hr>four</div>",
    "own mark": '<kept-text by="0" at="0">told by the page</kept-text> beside',
    "foreign": "<math><mi>x</mi><mtext>why</mtext></math><svg><text>drawn</text></svg><o:p>word</o:p> after",
    "raw text": "<xmp>a</xmp><listing>b</listing><plaintext>c <b>d",
    "nested links": "<a href=/a>one <a href=/b>two</a> three</a> <p><div>four</div></p>",
    "two bodies": "<body class=a><p>one</body><body id=b><p>two</body></html><p>three",
    "deep": "<div>" * 3000 + "deep" + "</div>" * 3000,
    "forms": "<form action=/x>say <select><option>o</select><textarea><b>t</b></textarea> it <button>go</button>",
    "frames": "<frameset><frame src=/a><noframes>no frames</noframes></frameset>",
}


def copy_of(source: str, sheets: dict[int, str] | None = None) -> str:
    page = Page(source, "https://news.example/a/")
    kept = np.ones((1, len(page.outline.runs)), np.bool_)
    return MarkedPage(page, kept, sheets or {}).html()


@pytest.mark.parametrize("source", AWKWARD.values(), ids=AWKWARD)
def test_loses_no_text_of_any_block(source: str) -> None:
    page = Page(source)
    blocks = dict.fromkeys(range(len(page.blocks)), "")
    for block, text in re.findall(r'<kept-text at="(\d+)" by="0">([^<]*)</kept-text>', copy_of(source)):
        blocks[int(block)] += text
    told = ["".join(html.fromstring(f"<p>{text}</p>").itertext()) for text in blocks.values()]
    assert ["".join(text.split()) for text in told] == ["".join(block.text.split()) for block in page.blocks]


def test_leaves_out_no_element_with_text_that_extractors_see() -> None:
    assert {"base", "basefont", "bgsound", "frame", "link", "meta", "param", "source", "track"} >= LEFT_OUT - TEXTLESS


def test_leaves_the_page_as_it_was() -> None:
    page = Page(STORY)
    before = etree.tostring(page.tree)
    found = Agreement(page, answers_of(page, EXTRACTORS))
    MarkedPage(page, found.runs_kept).html()
    assert etree.tostring(page.tree) == before


def test_says_of_each_text_who_kept_it() -> None:
    page = Page(STORY)
    found = Agreement(page, answers_of(page, EXTRACTORS))
    copy = html.fromstring(MarkedPage(page, found.runs_kept).html())
    marks = {(mark.text or "").strip()[:12]: mark.get("by") for mark in copy.iter("kept-text")}
    assert marks["The mayor op"] == "1 2 6"
    assert marks["new bridge"] == "0 1 2 3 6"
    assert marks["The ferry ma"] == "0 1 2 3 6"


def test_keeps_what_the_page_looks_like() -> None:
    copy = copy_of(
        "<html class=dark data-theme=x><style media=print>p { color: red }</style><body class=news bgcolor=red>"
        "<p style='margin: 0; background: url(/a.png) blue' lang=fr>a "
        "<img src='data:image/gif;base64,R0' alt=A width=9></p>"
    )
    assert '<html class="dark" data-theme="x">' in copy
    assert '<style media="print">p { color: red }</style>' in copy
    assert '<body class="news" bgcolor="red">' in copy
    assert '<p style="margin: 0; background: none blue" lang="fr">' in copy
    assert '<img src="data:image/gif;base64,R0" alt="A" width="9">' in copy


HOSTILE = (
    "<script>run()</script>",
    "<img src=x onerror=run()>",
    "<body onload=run()>a</body>",
    "<a href='javascript:run()'>a</a>",
    "<a href=/a ping=/b target=_top>a</a>",
    "<svg onload=run()><script>run()</script></svg>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror=run()&gt;'>",
    "<iframe src=/a srcdoc='<script>run()</script>'></iframe>",
    "<object data=/a></object><embed src=/a><applet code=/a></applet>",
    "<meta http-equiv=refresh content='0;url=/a'><base href='//evil.example/' target=_top>",
    "<link rel=stylesheet href=/a.css><link rel=preload as=image href=/a.png>",
    "<form action=/a><input type=image src=/a.png><button formaction=/b name=querySelector>a</button></form>",
    "<video src=/a poster=/b autoplay><source src=/c></video><audio src=/a></audio>",
    "<table background=/a.png><td background=/b.png>a</table>",
    "<template><script>run()</script></template><noscript><img src=/a></noscript>",
    "<style>@import '/a.css'; p { background: url( '/a.png' ) } </style>",
    "<select><style><img src=/a onerror=run()></style></select>",
    "<p style='background:URL(//evil.example/a)'>a",
    "<img srcset='/a.png 2x' data-src='&quot;><script>run()</script>'>",
    "<textarea></textarea><xmp></xmp><img src=/a></xmp>",
    "<p title='&quot; onclick=&quot;run()'>a &lt;script&gt;run()&lt;/script&gt;",
    '<x"onclick=run() y>a</x><a:b onclick=run()>c</a:b>',
)


@pytest.mark.parametrize("source", HOSTILE)
def test_writes_nothing_that_runs_fetches_sends_or_leads_away(source: str) -> None:
    copy = copy_of(source).partition("</head>")[2]
    tags = re.findall(r"<([a-z!?][^\s>]*)([^<>]*)>", copy)
    assert not {name for name, _ in tags} & {*LEFT_OUT, "image", "math"}
    names = {attribute for _, inside in tags for attribute in re.findall(r'\s([a-z-]+)="', inside)}
    assert not {name for name in names if name.startswith("on")}
    forbidden = {"href", "src", "srcset", "action", "formaction", "background", "ping", "target", "name", "poster"}
    assert not names & forbidden
    styles = re.findall(r"<style>(.*?)</style>", copy, re.DOTALL) + re.findall(r'style="([^"]*)"', copy)
    assert not re.search(r"url\s*\(|@import|<", " ".join(styles), re.IGNORECASE)


def test_tells_where_a_link_led_without_leading_there() -> None:
    assert '<a data-href="https://news.example/b">' in copy_of("<a href=/b data-href=/c>a</a>")
    assert '<a data-href="">' in copy_of("<a href='java&#10;script:run()'>a</a>")


def test_forbids_all_loading_before_anything_of_the_page() -> None:
    head = copy_of("<p>a").partition("</head>")[0]
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in head
    assert head.index("Content-Security-Policy") < head.index("<style>")


def test_puts_fetched_style_sheets_where_they_were_linked() -> None:
    link = "<link rel='preload stylesheet' href=a.css media=screen><link rel=icon href=/i>"
    source = f"<head><style>b {{ top: 0 }}</style>{link}</head><p>a"
    page = Page(source, "https://news.example/a/")
    sheets = linked_sheets(page)
    assert list(sheets.values()) == ["https://news.example/a/a.css"]
    copy = copy_of(source, dict.fromkeys(sheets, "@import url(b.css); i { left: 0 }"))
    assert '<style>b { top: 0 }</style><style media="screen"> i { left: 0 }</style>' in copy


@pytest.mark.parametrize("rel", ["alternate stylesheet", "preload", "", "icon"])
def test_fetches_no_other_links(rel: str) -> None:
    assert linked_sheets(Page(f"<link rel='{rel}' href='https://news.example/a.css'>")) == {}


def test_leaves_pictures_that_are_written_into_a_style() -> None:
    css = "a { background: url(data:image/png;base64,iVBO) } @font-face { src: url('data:font/woff2;base64,d09G') }"
    assert harmless(css) == css
