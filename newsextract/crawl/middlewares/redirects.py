"""Scrapy's redirects, made safe for malformed URLs and unknown charsets, and polite to the host that they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware

if TYPE_CHECKING:
    from scrapy.http import Response

_LOOKED_AT = 4 * 4096
"""Bytes of the characters that Scrapy looks at, four for each at most."""


class Redirects(RedirectMiddleware):
    """Follows `Location`, unless it is not a URL: then the response passes as if it were not a redirect."""

    # Scrapy's takes a spider too, but warns of those that do.
    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the request for the redirect's target, or the response if it is not a redirect."""
        try:
            return _at_its_host(request, super().process_response(request, response))
        except ValueError:  # from urllib: brackets without an IPv6 address, a port that is not a number
            return response


class MetaRefreshes(MetaRefreshMiddleware):
    """Follows `<meta http-equiv=refresh>`; a page whose refresh cannot be read or followed is returned as it is."""

    # Scrapy's takes a spider too, but warns of those that do.
    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the request for the refresh's target, or the response if there is none."""
        if _has_none(response.body):
            return response
        try:
            return _at_its_host(request, super().process_response(request, response))
        except (ValueError, LookupError):  # a URL as above; a charset without a codec, or with one that is not for text
            return response


def _at_its_host(request: Request, result: Request | Response) -> Request | Response:
    """Let a redirect to another host wait for the delay of that one, as all requests to it do.

    Scrapy keeps the slot of the host that redirects. The spider's pages pass the scheduler, which mends that, but
    robots.txt does not: `news.example` sends it to `www.news.example` as a rule.
    """
    if isinstance(result, Request) and "download_slot" in request.meta:
        host = urlsplit(result.url).netloc
        if host != urlsplit(request.url).netloc:
            result.meta["download_slot"] = host
    return result


def _has_none(body: bytes) -> bool:
    """Return whether a page surely has no refresh: else Scrapy decodes all of it, to look at its beginning."""
    start = body[:_LOOKED_AT]
    return b"refresh" not in start.lower() and b"\0" not in start  # a NUL: two bytes a letter, as in UTF-16
