"""Between Scrapy's requests and responses and the browser's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse

from newsextract.crawl.rendering.rendered_page import PageWanted
from newsextract.crawl.requests import RENDERED_FLAG
from newsextract.page.page import KEPT_HEADERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request

    from newsextract.crawl.rendering.rendered_page import RenderedPage


def page_wanted(request: Request, allows: Callable[[str], bool]) -> PageWanted:
    """Return what the browser is asked for in place of a request: its cookies go to the page's own host alone.

    Other headers are not passed on: the browser would send them along wherever a redirect leads.
    """
    return PageWanted(
        request.url, _header(request, "User-Agent"), _header(request, "Accept-Language"), _cookies(request), allows
    )


def response_of(page: RenderedPage, request: Request) -> HtmlResponse:
    """Return a page as a response, without the headers that are about the bytes which the site has sent."""
    headers = {name: value for name, value in page.headers.items() if name in KEPT_HEADERS}
    headers["content-type"] = "text/html; charset=utf-8"
    body = page.html.encode("utf-8", "replace")
    return HtmlResponse(
        page.url,
        status=page.status,
        headers=headers,
        body=body,
        request=request,
        flags=[RENDERED_FLAG],
        encoding="utf-8",
    )


def _cookies(request: Request) -> dict[str, str]:
    # Not by `SimpleCookie`: it drops the cookies after the first with JSON in it, as many sites have them.
    pairs = (part.partition("=") for part in _header(request, "Cookie").split(";"))
    return {name.strip(): value.strip() for name, sign, value in pairs if sign and name.strip()}


def _header(request: Request, name: str) -> str:
    return (request.headers.get(name) or b"").decode("latin-1")
