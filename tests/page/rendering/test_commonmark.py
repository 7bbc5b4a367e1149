"""Rendered Markdown, read by a CommonMark parser, has the blocks and the text of the HTML."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from newsextract.evaluation.corpora import GoldPage, read_corpus
from newsextract.page.page import Page
from newsextract.page.rendering.renderer import html as render_html
from newsextract.page.rendering.renderer import markdown
from newsextract.reading.extraction.contract import create_extractor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.page.blocks import Block

CORPORA = Path(__file__).parents[4] / "shared" / "corpora"
PAGES_OF_EACH = {"newspaper4k": 15, "wcxb": 15, "daniel": 15, "dragnet": 15, "xmu": 10, "magic": 10}
MAX_CHARS = 150_000
"""Larger pages are passed over: the sample is read in seconds."""

_STRUCTURAL = frozenset("blockquote ul ol li h2 h3 h4 h5 h6 pre".split())
_BOUNDS = frozenset("p figure figcaption details summary hr div".split())
"""Elements that begin and end a text; Markdown has paragraphs for all of them."""


def parsed(source: str) -> list[str]:
    """Return the outline of Markdown as CommonMark, with tables and strikethrough, reads it."""
    parser = MarkdownIt("commonmark", {"maxNesting": 500}).enable(["table", "strikethrough"])
    return _Outline().read(parser.render(source))


class _Outline:
    """The blocks of some HTML as a list: tags as they open and close, and between them each text, without spaces."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.text: list[str] = []
        self.links: list[str] = []

    def read(self, markup: str) -> list[str]:
        self._walk(html.fragment_fromstring(markup, create_parent="section"))
        self._flush()
        return [*self.found, *self.links]

    def _flush(self) -> None:
        if text := "".join("".join(self.text).split()):
            self.found.append(text)
        self.text.clear()

    def _walk(self, element: HtmlElement) -> None:
        tag = str(element.tag)
        if tag == "table":
            self._flush()
            self.found += self._table(element)
            return
        if tag in _STRUCTURAL | _BOUNDS:
            self._flush()
        if tag in _STRUCTURAL:
            self.found.append(f"<{tag}{_detail(element)}>")
        self._inline(element)
        if tag in _STRUCTURAL | _BOUNDS:
            self._flush()
        if tag in _STRUCTURAL:
            self.found.append(f"</{tag}>")

    def _inline(self, element: HtmlElement) -> None:
        self.text.append(element.text or "")
        if element.tag == "img":
            self.text.append(f"[{unquote(element.get('src', ''))} {element.get('alt')}]")
        if element.tag == "a":
            self.links.append(unquote(element.get("href", "")))
        for child in element:
            self._walk(child)
            self.text.append(child.tail or "")

    def _table(self, table: HtmlElement) -> Iterator[str]:
        """Yield the captions, and the rows with what each place of the grid holds; an empty header is left out."""
        for caption in table.iterchildren("caption"):
            yield self._cell(caption)
        covered: dict[tuple[int, int], str] = {}
        yield "<table>"
        for number, row in enumerate(table.iter("tr")):
            for cell in row.iterchildren("td", "th"):
                column = next(n for n in range(1_000) if (number, n) not in covered)
                text = self._cell(cell)
                for down in range(int(cell.get("rowspan", "1"))):
                    for right in range(int(cell.get("colspan", "1"))):
                        covered[number + down, column + right] = "" if down or right else text
            places = [text for (at, _), text in sorted(covered.items()) if at == number]
            is_head = number == 0 and next(row.iterancestors("thead"), None) is not None
            if any(places) or not is_head:
                yield f"{'head' if is_head else 'row'}: {' | '.join(places)}"
        yield "</table>"

    def _cell(self, cell: HtmlElement) -> str:
        inner = _Outline()
        inner._inline(cell)
        inner._flush()
        self.links += inner.links
        return "".join(text for text in inner.found if not text.startswith("<") or not text.endswith(">"))


def _detail(element: HtmlElement) -> str:
    if element.tag == "ol":
        return f" {element.get('start', '1')}"
    code = element.find("code") if element.tag == "pre" else None
    return "" if code is None else f" {code.get('class', '')}".rstrip()


def assert_same(blocks: tuple[Block, ...]) -> None:
    written = markdown(blocks)
    assert parsed(written) == _Outline().read(render_html(blocks)), written


_WORDS = st.sampled_from(
    ["word", "two words", "中文", "“quoted”", "(x)", "1.", "2)", "12. x", "#", "# x", "-", "- x", "+ x", "> x", "*",
     "**", "_a_", "__", "[a](b)", "[a]: b", "![", "!", "|", "a | b", "---", "===", "`", "``` x", "~~", "~~~", "<b>",
     "&amp;", "&copy;", "\\", "x\\", "  ", " x ", "x  ", "€5", "a*b*c", "\u00a0", ":--", "https://a.example/_b_", "x #"]
)  # fmt: skip
_TEXT = st.lists(_WORDS, min_size=1, max_size=3).map(
    lambda parts: "".join(parts).replace("&", "&amp;").replace("<", "&lt;")
)


def _wrapped(tags: tuple[str, ...], inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(tags), inner).map(lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0].split()[0]}>")


_INLINE_TAGS = (
    "b", "i", "s", "code", "sup", "sub", "span", "a href='/x'", "a href='/y_(z'", "a href='/q?a=1&amp;copy;=2'"
)  # fmt: skip
_INLINE = st.recursive(
    st.one_of(_TEXT, st.just("<br>"), st.just("<img src=/i.png alt='a [b] *c'>")),
    lambda inner: st.lists(st.one_of(_TEXT, _wrapped(_INLINE_TAGS, inner)), min_size=1, max_size=3).map("".join),
    max_leaves=5,
)


def _table_of(rows: list[list[tuple[str, str]]]) -> str:
    cells = ("".join(f"<{tag}>{text}</{tag[:2]}>" for tag, text in row) for row in rows)
    return f"<table><caption>cap</caption>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"


_CELL = st.tuples(st.sampled_from(("td", "td", "th", "td colspan=2", "td rowspan=2")), st.one_of(st.just(""), _INLINE))
_TABLE = st.lists(st.lists(_CELL, min_size=1, max_size=3), min_size=2, max_size=4).map(_table_of)
_CODE = st.lists(_WORDS, min_size=1, max_size=3).map(
    lambda lines: "<pre class='language-x'>" + "\n".join(lines).replace("&", "&amp;").replace("<", "&lt;") + "</pre>"
)
_LEAF = st.one_of(_wrapped(("p", "h2", "h3", "figcaption", "summary"), _INLINE), _CODE, _TABLE)
_BLOCK = st.recursive(
    _LEAF,
    lambda inner: st.one_of(
        st.tuples(
            st.sampled_from(("ul", "ol", "ol start=7", "ol reversed")),
            st.lists(st.tuples(_INLINE, inner).map(lambda two: f"<li>{two[0]}{two[1]}</li>"), min_size=1, max_size=3),
        ).map(lambda pair: f"<{pair[0]}>{''.join(pair[1])}</{pair[0][:2]}>"),
        _wrapped(("blockquote", "details", "div", "ul", "li", "ol"), st.lists(inner, max_size=3).map("".join)),
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(_BLOCK, min_size=1, max_size=4).map("".join))
@example(_table_of([[("td", "a"), ("td", "<code>\\|</code>")], [("td", "\\|"), ("td", "a <code>|\\\\|</code>|")]]))
def test_generated_pages_read_the_same(markup: str) -> None:
    assert_same(Page(markup, "https://news.example/").blocks)


@pytest.mark.corpus
@pytest.mark.parametrize("name", PAGES_OF_EACH)
def test_real_pages_read_the_same(name: str) -> None:
    path = CORPORA / f"{name}.jsonl.xz"
    if not path.exists():
        pytest.skip("the corpora are not beside the repository")
    extractor = create_extractor("auto")
    pages = (page for page in read_corpus(path) if isinstance(page, GoldPage) and len(page.html) < MAX_CHARS)
    for page in islice(pages, PAGES_OF_EACH[name]):
        assert_same(extractor.extract(Page(page.html, page.url or "https://news.example/")).blocks)
