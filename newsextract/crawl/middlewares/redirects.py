"""Scrapy's redirects, made safe for malformed URLs and unknown charsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware, RedirectMiddleware

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class Redirects(RedirectMiddleware):
    """Follows `Location`, unless it is not a URL: then the response passes as if it were not a redirect."""

    # Scrapy's takes a spider too, but warns of those that do.
    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the request for the redirect's target, or the response if it is not a redirect."""
        try:
            return super().process_response(request, response)
        except ValueError:  # from urllib: brackets without an IPv6 address, a port that is not a number
            return response


class MetaRefreshes(MetaRefreshMiddleware):
    """Follows `<meta http-equiv=refresh>`; a page whose refresh cannot be read or followed is returned as it is."""

    # Scrapy's takes a spider too, but warns of those that do.
    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        """Return the request for the refresh's target, or the response if there is none."""
        try:
            return super().process_response(request, response)
        except (ValueError, LookupError):  # a URL as above; a charset without a codec, or with one that is not for text
            return response
