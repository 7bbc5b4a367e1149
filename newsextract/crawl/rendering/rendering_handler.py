"""Downloads what is to be rendered with the browser, and everything else as Scrapy would have done.

This is not scrapy-playwright's handler, though the library beneath is the same. That one waits for a page's `load`
event, which a page whose last script never arrives does not have; it keeps its browser until it crashes; it sends a
request's headers along a redirect to another host; and it takes the place of the project's own handlers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object

from newsextract.crawl.rendering.rendered_page import NotAPage, OverBudget
from newsextract.crawl.rendering.rendering import Rendering
from newsextract.crawl.requests import RENDER_KEY
from newsextract.settings import ALWAYS

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class RenderingHandler:
    """Stands before the handlers that the project has for `http` and `https`."""

    lazy = True

    def __init__(self, crawler: Crawler, rendering: Rendering) -> None:
        self.crawler = crawler
        self.rendering = rendering
        self._handlers: dict[str, Any] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's browser."""
        rendering = crawler.get_extension(Rendering)
        assert rendering is not None  # noqa: S101 - it names this handler in the settings
        return cls(crawler, rendering)

    async def download_request(self, request: Request) -> Response:
        """Return the response; raises `RenderFailed`, and what the project's handler raises."""
        site = request.meta.get(RENDER_KEY)
        if site is not None:
            try:
                return await self.rendering.download(request, site)
            except NotAPage:
                pass  # a file, which is downloaded
            except OverBudget:
                if self.rendering.mode_of(site) != ALWAYS:
                    raise  # it has been downloaded before
        response: Response = await self._handler_of(urlparse_cached(request).scheme).download_request(request)
        return response

    async def close(self) -> None:
        """Close the handlers that were used; the extension closes the browser."""
        for handler in self._handlers.values():
            await handler.close()

    def _handler_of(self, scheme: str) -> Any:
        if scheme not in self._handlers:
            kind = load_object(self.rendering.handlers[scheme])
            self._handlers[scheme] = build_from_crawler(kind, self.crawler)
        return self._handlers[scheme]
