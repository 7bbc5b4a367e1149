"""Pages that no newsroom writes: each a shape that repeats, as many times as is asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Shape = Callable[[int], str]

LEAD = "<title>Rain in Spain stays mainly in the plain</title><h1>Rain in Spain stays mainly in the plain</h1>"
_SCRIPT = "<script type=application/ld+json>"
STORY = "<p>The rain began on Sunday, and by Monday the river had left its bed, the mayor said. Nobody was hurt.</p>"


def _repeated(piece: str, *, before: str = "", behind: str = "") -> Shape:
    """Return a page of so many pieces; `#` is replaced by the number of each."""

    def page(count: int) -> str:
        middle = "".join(piece.replace("#", str(n)) for n in range(count)) if "#" in piece else piece * count
        return f"{LEAD}<article>{STORY * 5}{before}{middle}{behind}{STORY * 5}</article>"

    return page


def _in_head(piece: str) -> Shape:
    def page(count: int) -> str:
        return "".join(piece.replace("#", str(n)) for n in range(count)) + f"{LEAD}<article>{STORY * 5}</article>"

    return page


def _json_ld(value: Callable[[int], object]) -> Shape:
    def page(count: int) -> str:
        return (
            f"{LEAD}<script type=application/ld+json>{json.dumps(value(count))}</script><article>{STORY * 5}</article>"
        )

    return page


def _node(**values: object) -> dict[str, object]:
    return {"@type": "NewsArticle", "headline": "Rain in Spain stays mainly in the plain", **values}


SHAPES: dict[str, tuple[int, Shape]] = {
    "paragraphs": (160_000, _repeated("<p>Some words of a story with a <a href=/x>link</a> in them.</p>\n")),
    "nested lists": (200_000, _repeated("<ul><li>item <ul><li>inner</li></ul></li></ul>")),
    "line breaks in text": (250_000, _repeated("a line of text<br>and another<br><br>")),
    "empty spans in text": (500_000, _repeated("<span></span>text ")),
    "unclosed p": (1_000_000, _repeated("<p>")),
    "unclosed p, a word": (1_000_000, _repeated("<p>word ")),
    "br": (1_000_000, _repeated("<br>")),
    "br, a word": (1_000_000, _repeated("word<br>")),
    "two br, a word": (500_000, _repeated("word<br><br>")),
    "links": (300_000, _repeated("<a href=/story-#>A headline of a story #</a> ")),
    "links to one place": (300_000, _repeated("<a href=/x>word</a> ")),
    "links in paragraphs": (300_000, _repeated("<p><a href=/story-#.html>A headline of a story #</a></p>")),
    "links, numbered": (300_000, _repeated("<a href='?page=#'>#</a> ")),
    "links to the second page": (300_000, _repeated("<a class=comment href='/a/2'>2</a> ")),
    "links, nested": (300_000, _repeated("<a href=/#><b>")),
    "rel=next": (300_000, _repeated("<a rel=next href='/story-#/2'>2</a> ")),
    "span": (1_000_000, _repeated("<span>")),
    "span, closed": (1_000_000, _repeated("<span>a</span>")),
    "b": (1_000_000, _repeated("<b>a")),
    "div, nested": (1_000_000, _repeated("<div>")),
    "div, nested, a word": (300_000, _repeated("<div>word ")),
    "div, closed": (500_000, _repeated("<div>a</div>")),
    "hidden div": (300_000, _repeated("<div hidden>a</div>")),
    "style on each": (300_000, _repeated("<p style='display:block'>a line of text")),
    "empty styles": (300_000, _repeated("<p style=''>A word.</p>")),
    "hidden by style": (300_000, _repeated("<p style='display:none'>A word.</p>")),
    "styles, each its own": (300_000, _repeated("<p style='margin-left:#px'>A word.</p>")),
    "class names, each its own": (
        200_000,
        _repeated("<p class='story-part-#-of-many-more-parts paragraph-#'>A word.</p>"),
    ),
    "ids, each its own": (200_000, _repeated("<p id=paragraph-#>A word.</p>")),
    "attributes of one tag": (200_000, _repeated(" a#=1", before="<p", behind=">word")),
    "short attributes of one tag": (10_000, _repeated(" a#=1", before="<p", behind=">word")),
    "attributes of 4 KB": (3_000, _repeated(f"<p class='{'x ' * 2_000}' id='{'y' * 2_000}'>word</p>")),
    "attributes of 1 MB": (8, _repeated(f"<p class='{'article ' * 130_000}' title='{'y' * 1_000}'>word</p>")),
    "a href of 1 MB": (8, _repeated(f"<a href='/{'y/' * 500_000}'>word</a>")),
    "a style of 1 MB": (8, _repeated(f"<p style='{'display: ' * 110_000}'>word</p>")),
    "a style of spaces": (4, _repeated(f"<p style='display{' ' * 1_000_000}'>word</p>")),
    "an id of digits": (8, _repeated(f"<p id='{'1' * 1_000_000}'>word</p>")),
    "table cells": (100_000, _repeated("<td>cell #", before="<table><tr>")),
    "table rows": (100_000, _repeated("<tr><td>one<td>two", before="<table>")),
    "tables, nested": (100_000, _repeated("<table><tr><td>")),
    "headings": (100_000, _repeated("<h2>A heading of a story #</h2>")),
    "h1": (100_000, _repeated("<h1>A heading of a story #</h1>")),
    "titles": (100_000, _in_head("<title>A title #</title>")),
    "images": (100_000, _repeated("<img src=/picture-#.jpg alt='A picture #'>")),
    "images in figures": (100_000, _repeated("<figure><img src=/picture-#.jpg><figcaption>A caption #</figure>")),
    "srcset": (4, _repeated(f"<img srcset='{'/a.jpg 1x, ' * 90_000}'>")),
    "figures, nested": (100_000, _repeated("<figure><img src=/picture-#.jpg><figcaption>A caption #")),
    "figures in one": (100_000, _repeated("<img src=/picture-#.jpg><p>A caption #</p>", before="<figure>")),
    "quotes, nested": (100_000, _repeated("<blockquote><p>A word.")),
    "lists, nested": (100_000, _repeated("<ol><li>A word.")),
    "cells that span": (100_000, _repeated("<tr><td colspan=999 rowspan=999>A word.", before="<table>")),
    "times nested": (100_000, _repeated("<time>14 May 2024 ")),
    "time": (100_000, _repeated("<time datetime=2024-05-14T10:00:00Z>14 May 2024</time> ")),
    "dates in text": (100_000, _repeated("<p>Published on 14 May 2024 at 10:00</p>")),
    "bylines": (100_000, _repeated("<p class=byline>By Anna Smith and John Doe</p>")),
    "rel=author": (100_000, _repeated("<a rel=author href=/a/#>Anna Smith</a>")),
    "microdata": (
        100_000,
        _repeated("<div itemscope itemtype=//schema.org/Article><b itemprop=headline>Rain #</b>"),
    ),
    "itemprop": (100_000, _repeated("<b itemprop=author>Anna Smith #</b>")),
    "JSON-LD scripts": (100_000, _in_head('<script type=application/ld+json>{"@type": "Thing#"}</script>')),
    "broken JSON-LD scripts": (100_000, _in_head('<script type=application/ld+json>{"@type": "Thing#</script>')),
    "JSON-LD of 20 MB": (500_000, _json_ld(lambda n: [_node(author=f"Anna {i}") for i in range(n // 3)])),
    "JSON-LD, a body of 15 MB": (150_000, _json_ld(lambda n: _node(articleBody="The rain began on Sunday. " * n * 4))),
    "JSON-LD, a body to look for": (
        20_000,
        lambda n: (
            _json_ld(lambda _: _node(articleBody=STORY[3:-4] * 5 + "a" * 900_000))(1) + f"<li>{'a' * 49}b{'a' * 49}" * n
        ),
    ),
    "JSON-LD, a headline of 15 MB": (150_000, _json_ld(lambda n: _node(headline="The rain began on Sunday. " * n * 4))),
    "JSON-LD, nested lists": (
        300_000,
        lambda n: f"{_SCRIPT}{'[' * n}</script>{LEAD}{STORY * 5}",
    ),
    "meta": (100_000, _in_head("<meta name=article:tag content='tag #'>")),
    "meta of one name": (100_000, _in_head("<meta property=og:image content=/picture-#.jpg>")),
    "link canonical": (100_000, _in_head("<link rel=canonical href=/story-#>")),
    "link alternate": (100_000, _in_head("<link rel=alternate hreflang=en href=/story-#>")),
    "base": (100_000, _in_head("<base href=/#/>")),
    "one line": (5_000_000, _repeated("x")),
    "one line of digits": (5_000_000, _repeated("1")),
    "one line of capitals": (5_000_000, _repeated("A")),
    "names in one line": (700_000, _repeated("Anna Smith, ", before="<p class=byline>By ")),
    "By, By, By": (1_000_000, _repeated("By ", before="<p class=byline>")),
    "dots": (5_000_000, _repeated(".")),
    "quotes": (5_000_000, _repeated('"')),
    "blanks": (5_000_000, _repeated(" ")),
    "line feeds": (5_000_000, _repeated("\n", before="<pre>a", behind="b</pre>")),
    "zero-width spaces": (2_000_000, _repeated("\u200b")),
    "combining characters": (2_500_000, _repeated("\u0301", before="a")),
    "Han": (1_700_000, _repeated("\u4e2d")),
    "surrogates": (1_000_000, _repeated("\ud800")),
    "&amp;": (1_000_000, _repeated("&amp;")),
    "&amp;amp; in a title": (1_000_000, lambda n: f"<title>{'&amp;amp;' * n}</title>{LEAD}{STORY * 5}"),
    "&": (5_000_000, _repeated("&")),
    "<": (5_000_000, _repeated("<")),
    "</": (2_000_000, _repeated("</")),
    "</p>": (1_000_000, _repeated("</p>")),
    "comments": (500_000, _repeated("a<!-- b -->")),
    "comment, unclosed": (1_000_000, _repeated("<!--")),
    "CDATA": (500_000, _repeated("<![CDATA[a]]>")),
    "processing instructions": (500_000, _repeated("<?a?>b")),
    "template": (300_000, _repeated("<template><p>a</template>")),
    "option": (100_000, _repeated("<option>choice #", before="<select>")),
    "forms": (100_000, _repeated("<form><input name=a#><button>go</button></form>")),
    "iframe": (100_000, _repeated("<iframe src=/#></iframe>")),
    "script": (300_000, _repeated("<script>a()</script>")),
    "svg": (300_000, _repeated("<svg><path d=M0/></svg>")),
    "li": (500_000, _repeated("<li>item")),
    "ul, nested": (300_000, _repeated("<ul><li>item")),
    "blockquote, nested": (300_000, _repeated("<blockquote>a")),
    "pre": (300_000, _repeated("<pre>a\nb</pre>")),
    "code": (300_000, _repeated("<code>`a`</code>")),
    "font": (500_000, _repeated("<font>a")),
    "unknown elements": (300_000, _repeated("<x-#>a</x-#>")),
    "ruby": (300_000, _repeated("<ruby>a<rt>b</ruby>")),
    "pages in one": (50_000, _repeated("<html><head><title>Rain</title></head><body>a</body></html>")),
}
"""How many times each is repeated, and the page of so many."""
