from __future__ import annotations

from newsextract import Page
from newsextract.reading.extraction.extractors.html_killer import HtmlKiller

PAGE = """<html><body><p>Before the title</p><h1>The title</h1><p>One <a href="#">link</a> and <span>span</span>.</p>
<div>In a div</div><div>and the next</div><ul><li>An item</li></ul><h2>A sub-heading</h2>
<form><p>Sign up</p></form><p>First line<br>second line</p></body></html>"""


def test_keeps_what_the_script_keeps() -> None:
    assert HtmlKiller().extract(Page(PAGE)).text.splitlines() == [
        "The title",
        "One link and span.",
        "In a div",
        "and the next",
        "First line second line",
    ]


def test_segments_end_at_breaks_and_paragraphs_only() -> None:
    assert HtmlKiller().segments(Page(PAGE)) == [
        ("h", "The title"),
        ("p", "One link and span."),
        ("p", "In a div and the next First line"),
        ("p", "second line"),
    ]


def test_has_two_outputs() -> None:
    page = Page("<h1>A &amp; B</h1><p>x &lt; y</p>")
    assert HtmlKiller().plain_text(page) == "A & B\nx < y"
    assert HtmlKiller().plain_html(page) == "<h>A &amp; B</h>\n<p>x &lt; y</p>"


def test_without_a_title_nothing_is_dropped_before() -> None:
    assert HtmlKiller().extract(Page("<p>Hello</p>")).text == "Hello"


def test_further_titles_are_removed() -> None:
    assert HtmlKiller().extract(Page("<h1>One</h1><p>a</p><h1>Two</h1><p>b</p>")).text == "One\na\nb"
