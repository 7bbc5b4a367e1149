"""Signs on pages: that a login worked, or that a wall stands."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from lxml.etree import ParserError
from lxml.html import document_fromstring
from scrapy.http import TextResponse

from newsextract.reading.rules import elements, texts
from newsextract.sites.subscriptions import SignKind

if TYPE_CHECKING:
    from lxml.html import HtmlElement
    from scrapy.http import Response

    from newsextract.sites.subscriptions import Sign

MAX_ELEMENTS = 20_000
"""Larger pages show no sign: all pages of a crawl wait while one is searched, and some searches take quadratic time."""


def shows(sign: Sign, response: Response) -> bool:
    """Return whether the page of a response shows a sign; a cookie is on no page."""
    if not isinstance(response, TextResponse) or sign.kind is SignKind.COOKIE:
        return False
    if sign.kind is SignKind.TEXT:
        return " ".join(sign.value.split()) in " ".join(response.text.split())
    tree = tree_of(response)
    if tree is None or next(islice(tree.iter(), MAX_ELEMENTS, None), None) is not None:
        return False
    return bool(elements(sign.value, tree) or texts(sign.value, tree))


def tree_of(response: TextResponse) -> HtmlElement | None:
    """Return the tree of a page; `None` if there is nothing in it."""
    try:
        return document_fromstring(response.body.decode(response.encoding, "replace") or " ", base_url=response.url)
    except (ParserError, ValueError, LookupError):
        return None
