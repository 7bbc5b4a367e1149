"""Write a page again from its tree, with the kept texts marked, so that it looks the same and nothing in it runs.

Only elements with attributes from a short list and escaped text are written. So wherever a browser's parser puts them,
the copy has no script, no handler, no URL to load and no form to send. What readers do not see (scripts, frames,
embedded objects, drawings) is left out; none of it holds text that extractors get. In addition, the report shows the
copy in a frame whose sandbox allows no scripts, under a policy that allows no loading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from newsextract.page.links import absolute_url
from newsextract.page.outline import VOID

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lxml.html import HtmlElement

    from newsextract.page.outline import Booleans
    from newsextract.page.page import Page


# Make a page's styles harmless: they may colour and place, but neither fetch anything nor end their element.
#
# The Content-Security-Policy of the page that shows them forbids all loading anyway; what is taken out here would only
# be refused there, with a warning each.

HREF = "data-href"
"""Replaces `href` in the copy: links look like links and lead nowhere."""

MAX_SHEET_CHARS = 2_000_000
"""A longer style sheet, in characters, is left out: the report would be too large to open."""

_IMPORT = re.compile(r"@import\b[^;{}]*;?", re.IGNORECASE)
_ADDRESS = re.compile(r"""url\(\s*(?!["']?data:(?:image|font)/)(?:"[^"]*"|'[^']*'|[^)]*)\s*\)""", re.IGNORECASE)
_IMAGE_SET = re.compile(r"(?:-webkit-)?image-set\([^()]*\)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|([g-z]))", re.IGNORECASE)
_LINK = re.compile(r":(?:any-)?link\b")
_TAG = re.compile(r"<(?=[a-zA-Z/!?])")
_SHEET = re.compile(r"(?<!\S)stylesheet(?!\S)", re.IGNORECASE)
_OTHER_SHEET = re.compile(r"(?<!\S)alternate(?!\S)", re.IGNORECASE)


def harmless(css: str) -> str:
    r"""Return a style sheet, or the value of a `style` attribute, without URLs, imports and tags.

    >>> harmless("@import 'a.css'; a:link { background: url(http://a.example/b.png) red }")
    ' a[data-href] { background: none red }'
    >>> harmless("a::before { content: '</style><script>' }")
    "a::before { content: '\\3c /style>\\3c script>' }"
    """
    if len(css) > MAX_SHEET_CHARS:
        return ""
    css = _ESCAPED.sub(_letter, css)
    css = _IMAGE_SET.sub("none", _ADDRESS.sub("none", _IMPORT.sub("", css)))
    return _TAG.sub(r"\\3c ", _LINK.sub(f"[{HREF}]", css))


def _letter(escaped: re.Match[str]) -> str:
    r"""Return the ASCII letter that an escape stands for, and any other escape as it is.

    >>> _ESCAPED.sub(_letter, r"u\72l \e900")
    'url \\e900'
    """
    letter = escaped[2] or chr(min(int(escaped[1], 16), 0x10FFFF))
    return letter if letter.isascii() and letter.isalpha() else escaped[0]


def linked_sheets(page: Page) -> dict[int, str]:
    """Return the URLs of the style sheets that a page links, by the number of the `link` element."""
    found = {}
    for number, (tag, element) in enumerate(zip(page.outline.tags, page.outline.elements, strict=True)):
        if tag == "link":
            relation = element.get("rel") or ""
            url = absolute_url(page.base_url, element.get("href"))
            if url and url.startswith("http") and _SHEET.search(relation) and not _OTHER_SHEET.search(relation):
                found[number] = url
    return found


MARK = "kept-text"
"""The element around each text: its attribute `by` lists the numbers of its keepers, `at` the number of its block."""

LEFT_OUT = frozenset(
    "applet base basefont bgsound embed frame iframe link meta noembed noframes noscript object param script source "
    "svg template title track".split()
)
"""Elements that are left out; none of them holds text that extractors get."""

_RENAMED = {
    "listing": "pre", "plaintext": "pre", "xmp": "pre", "frameset": "div", "image": "img", "math": "span", MARK: "span",
    "portal": "span", "fencedframe": "span",
}  # fmt: skip
"""Elements that parsers treat specially, and what is written instead."""

_UNWRAPPED = frozenset({"html", "head"})
_NAME = re.compile(r"[a-z][a-z0-9-]*")
_ATTRIBUTES = frozenset(
    "align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan datetime dir disabled "
    "face headers height hidden id label lang media noshade nowrap open placeholder reversed role rows rowspan rules "
    "scope selected size span start style title type valign value width".split()
)
_FREE_ATTRIBUTE = re.compile(r"(?:data|aria)-[a-z0-9-]+")
"""Attributes that style sheets select by; they mean nothing to the browser itself."""
_MAX_FREE_CHARS = 200
"""A longer value is for a script."""

_PRELUDE = """<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; \
font-src data:; base-uri 'none'; form-action 'none'">
<meta http-equiv="x-dns-prefetch-control" content="off">
<meta name="referrer" content="no-referrer">
<style>:where(a[data-href]) { color: #0645ad; text-decoration: underline; }
:where(img:not([src])) { outline: 1px dashed #8888; outline-offset: -1px; max-width: 100%; font-size: 12px; }
html, body { visibility: visible !important; opacity: 1 !important; }
html { overflow: auto !important; } body { overflow: visible !important; }</style>
"""
"""The start of the copy's head; it shows pages that hide themselves until a script runs, as none does here."""


@dataclass(frozen=True)
class MarkedPage:
    """A copy of a page with the texts that each extractor kept marked."""

    page: Page
    runs_kept: Booleans
    """A row per extractor, a column per text run of the page's outline."""
    sheets: Mapping[int, str] = field(default_factory=dict)
    """The fetched style sheets, by the number of their `link` element."""

    def html(self) -> str:
        """Return the copy, a whole HTML document."""
        outline = self.page.outline
        root = "".join(self._attributes(outline.elements[0], "html"))
        # The head is closed before the page's own content: the browser moves what belongs in it there.
        return f"<!DOCTYPE html><html{root}><head>{_PRELUDE}</head>{''.join(self._written())}</html>"

    def _written(self) -> Iterator[str]:
        """Yield the page in order, piece by piece: a tag, a text, or an empty string."""
        outline = self.page.outline
        marks = dict(self._marks())
        opened, closed = (events.tolist() for events in (outline.arrays.nesting.opened, outline.arrays.nesting.closed))
        open_elements: list[int] = []
        number, count = 0, len(outline.elements)
        while number <= count:
            while open_elements and outline.stops[open_elements[-1]] <= number:
                ended = open_elements.pop()
                yield _end_tag(outline.tags[ended])
                yield _text(outline.elements[ended].tail, marks.get(closed[ended])) if ended else ""
            if number == count:
                return
            element, tag = outline.elements[number], outline.tags[number]
            if tag in LEFT_OUT or tag == "style":
                yield self._style(number)
                yield _text(element.tail, marks.get(closed[number]))
                number = outline.stops[number]
                continue
            yield self._start_tag(element, tag)
            yield _text(element.text, marks.get(opened[number]))
            open_elements.append(number)
            number += 1

    def _marks(self) -> Iterator[tuple[int, str]]:
        """Yield the start tag of the mark around each text of a block, with the event that the text follows."""
        outline = self.page.outline
        events = outline.arrays.events.tolist()
        spans = zip(outline.table.starts.tolist(), outline.table.stops.tolist(), strict=True)
        for block, (start, stop) in enumerate(spans):
            for run in range(start, stop):
                keepers = " ".join(map(str, self.runs_kept[:, run].nonzero()[0].tolist()))
                yield events[run], f'<{MARK} at="{block}" by="{keepers}">'

    def _style(self, number: int) -> str:
        """Return the styles that replace a `style` or `link`, if any."""
        element = self.page.outline.elements[number]
        css = "".join(element.itertext()) if element.tag == "style" else self.sheets.get(number, "")
        media = element.get("media")
        condition = f' media="{escape(media)}"' if media else ""
        return f"<style{condition}>{harmless(css)}</style>" if css else ""

    def _start_tag(self, element: HtmlElement, tag: str) -> str:
        if tag in _UNWRAPPED:
            return ""
        name = _name(tag)
        return f"<{name}{''.join(self._attributes(element, name))}>"

    def _attributes(self, element: HtmlElement, name: str) -> Iterator[str]:
        for attribute, value in element.items():
            if attribute in _ATTRIBUTES or (_FREE_ATTRIBUTE.fullmatch(attribute) and len(value) <= _MAX_FREE_CHARS):
                if attribute != HREF:
                    yield _attribute(attribute, harmless(value) if attribute == "style" else value)
            elif attribute == "href" and name == "a":
                yield _attribute(HREF, absolute_url(self.page.base_url, value) or "")
            elif attribute == "src" and name == "img" and value.strip().lower().startswith("data:image/"):
                yield _attribute("src", value.strip())


def _attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"'


def _name(tag: str) -> str:
    """Return the tag that an element is written with; one with a prefix or odd characters becomes `span`.

    >>> _name("amp-img"), _name("o:p"), _name("xmp")
    ('amp-img', 'span', 'pre')
    """
    return _RENAMED.get(tag) or (tag if _NAME.fullmatch(tag) else "span")


def _end_tag(tag: str) -> str:
    return "" if tag in _UNWRAPPED or tag in VOID or tag == "image" else f"</{_name(tag)}>"


def _text(text: str | None, mark: str | None) -> str:
    if not text:
        return ""
    plain = escape(text, quote=False)
    return f"{mark}{plain}</{MARK}>" if mark else plain
