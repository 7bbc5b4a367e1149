"""Makes pages from Scrapy's responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from w3lib.encoding import http_content_type_encoding

from newsextract.page.page import KEPT_HEADERS, Hints, Page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.http import Response

WITH_SUBSCRIPTION = "subscription"
"""The flag of a response to a request that was sent as a subscriber's."""

RENDER_KEY = "newsextract_render"
"""Key of a request's meta that holds the name of the site whose page the browser is to render."""

RENDERED_FLAG = "newsextract_rendered"
"""The flag of a response whose body is what a browser made of the page."""


def page_of(
    response: Response,
    max_bytes: int,
    *,
    extractor: str | None = None,
    told: Mapping[str, str] | None = None,
    tdm_reservation: Mapping[str, str] | None = None,
) -> Page:
    """Return the page of a response, read by its own bytes and the charset that its header declares.

    `told` holds the `title` and `date` that the feed or news sitemap states; `tdm_reservation` is what
    the host's tdmrep.json reserves.

    Raises:
        PageError: the bytes are not HTML, or too many.
    """
    content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
    charset = http_content_type_encoding(content_type)
    told, headers = told or {}, {name: _header(response, name) for name in KEPT_HEADERS if name in response.headers}
    is_ours = WITH_SUBSCRIPTION in response.flags
    is_rendered = RENDERED_FLAG in response.flags
    hints = Hints(told.get("title"), told.get("date"), headers, dict(tdm_reservation or {}), is_ours, is_rendered)
    return Page(response.body, response.url, charset=charset, max_bytes=max_bytes, extractor=extractor, hints=hints)


def _header(response: Response, name: str) -> str:
    return ", ".join(value.decode("latin-1") for value in response.headers.getlist(name))
