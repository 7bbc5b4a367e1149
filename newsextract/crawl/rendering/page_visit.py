"""One page in the browser: opened alone, read when its text grows no more, and closed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from playwright.async_api import Error

from newsextract.crawl.rendering.guarded_proxy import REFUSAL
from newsextract.crawl.rendering.rendered_page import NotAPage, RenderedPage, RenderFailed
from newsextract.crawl.rendering.trackers import is_tracker

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Request, Response, Route

    from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted

UNWANTED = frozenset(("image", "media", "font"))
"""The resources that no text needs."""

MAX_REQUESTS = 400
"""Of one page; the rest is refused."""

LOOK_SECONDS = 0.25
"""Between two looks at how much text the page shows."""

QUIET_SECONDS = 0.75
"""A page whose text has not grown for so long, and that waits for nothing, is done."""

PATIENT_SECONDS = 2.0
"""The same for a page that shows text, and waits for more: some never cease to ask their server."""

ENOUGH_CHARS = 400
"""Of text; a page with less may still show that it is loading."""

SETTLING_SHARE = 0.75
"""Of a page's time; in what is left it is read."""

_AWAITED = frozenset(("document", "script", "xhr", "fetch"))
_LENGTH = "document.body ? document.body.innerText.length : 0"
_HTML = """most => {
    const html = '<!DOCTYPE html>' + document.documentElement.outerHTML;
    return html.length > most ? null : html;
}"""


@dataclass(eq=False)
class PageVisit:
    """Renders one page in its own browser context; closing the context deletes its cookies and storage."""

    context: BrowserContext
    wanted: PageWanted
    limits: BrowserLimits
    crashed: asyncio.Event = field(default_factory=asyncio.Event)
    requests: int = 0
    refused: int = 0
    """Requests that robots.txt forbids."""
    _awaited: set[Request] = field(default_factory=set)

    async def render(self) -> RenderedPage:
        """Return the page; raises `RenderFailed`, or Playwright's `Error`."""
        deadline = monotonic() + self.limits.page_seconds * SETTLING_SHARE
        await self.context.route("**/*", self._judge)
        page = await self.context.new_page()
        self._listen(page)
        response = await self._open(page)
        await self._settle(page, deadline)
        html = await page.evaluate(_HTML, self.limits.page_chars)
        if html is None:
            raise RenderFailed("too large")
        if not self.wanted.allows(page.url):
            raise RenderFailed("redirects to what robots.txt forbids")
        return RenderedPage(page.url, response.status, await response.all_headers(), html)

    async def _open(self, page: Page) -> Response:
        try:
            # Not until it is loaded: that never happens to a page whose last script does not arrive.
            response = await page.goto(
                self.wanted.url, wait_until="commit", timeout=self.limits.page_seconds * SETTLING_SHARE * 1000
            )
        except Error as error:
            raise _failure(error.message) from error
        if response is None:
            raise RenderFailed("the browser shows nothing")
        headers = await response.all_headers()
        if refusal := headers.get(REFUSAL.lower()):
            raise RenderFailed(refusal)
        kind = headers.get("content-type", "text/html").partition(";")[0].strip().lower()
        if "html" not in kind:
            raise NotAPage("not HTML", kind)
        return response

    async def _settle(self, page: Page, deadline: float) -> None:
        """Wait until the page's text grows no more, or its time has passed."""
        length, since = -1, monotonic()
        while (now := monotonic()) < deadline:
            found = await self._length(page)
            if found != length:
                length, since = found, now
            has_all = not self._awaited and length > 0
            if now - since >= (QUIET_SECONDS if has_all else PATIENT_SECONDS) and (has_all or length >= ENOUGH_CHARS):
                return
            await asyncio.sleep(LOOK_SECONDS)

    async def _length(self, page: Page) -> int:
        try:
            return int(await page.evaluate(_LENGTH))
        except Error:
            if self.crashed.is_set() or page.is_closed():
                raise
            return 0  # it is just going elsewhere

    def _listen(self, page: Page) -> None:
        page.on("crash", lambda _: self.crashed.set())
        page.on("popup", lambda popup: asyncio.ensure_future(_ended(popup.close())))
        page.on("request", self._begin)
        page.on("requestfinished", self._finish)
        page.on("requestfailed", self._finish)

    def _begin(self, request: Request) -> None:
        if request.resource_type in _AWAITED:
            self._awaited.add(request)

    def _finish(self, request: Request) -> None:
        self._awaited.discard(request)

    async def _judge(self, route: Route) -> None:
        """Let a request through or refuse it; where it leads is the proxy's to judge."""
        request = route.request
        self.requests += 1
        is_forbidden = not self.wanted.allows(request.url)
        self.refused += is_forbidden
        if is_forbidden or self.requests > MAX_REQUESTS or request.resource_type in UNWANTED or is_tracker(request.url):
            await _ended(route.abort())
        else:
            await _ended(route.continue_())


async def _ended(sending: Any) -> None:
    """Await the end of a request whose page may be closed by now."""
    try:
        await sending
    except Error:
        return


def _failure(message: str) -> RenderFailed:
    """Return the exception for a page that the browser could not open, by its error message."""
    if "Download is starting" in message:
        return NotAPage("not HTML", "a file to save")
    found = next((reason for sign, reason in _REASONS.items() if sign in message), "not opened by the browser")
    return RenderFailed(found, message.partition("\n")[0])


_REASONS = {
    "ERR_TUNNEL_CONNECTION_FAILED": "refused or out of reach",
    "ERR_NAME_NOT_RESOLVED": "host not found",
    "ERR_CERT": "bad certificate",
    "ERR_TOO_MANY_REDIRECTS": "too many redirects",
    "ERR_EMPTY_RESPONSE": "connection lost",
    "Timeout": "too slow in the browser",
    "crashed": "crashed in the browser",
    "has been closed": "crashed in the browser",
}
"""Reasons by a sign in the message."""
