"""Make a page's styles harmless: they may colour and place, but neither fetch anything nor end their element.

The Content-Security-Policy of the page that shows them forbids all loading anyway; what is taken out here would only
be refused there, with a warning each.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.links import absolute_url

if TYPE_CHECKING:
    from newsextract.page.page import Page

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
