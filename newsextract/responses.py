"""Scrapy's responses as pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from w3lib.encoding import http_content_type_encoding

from newsextract.page import Page

if TYPE_CHECKING:
    from scrapy.http import Response


def page_of(response: Response, max_bytes: int, *, extractor: str | None = None) -> Page:
    """Return the page of a response, read by its own bytes and the charset that its header declares.

    Raises:
        PageError: the bytes are not HTML, or too many.
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    charset = http_content_type_encoding(content_type)
    return Page(response.body, response.url, charset=charset, max_bytes=max_bytes, extractor=extractor)
