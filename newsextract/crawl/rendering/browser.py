"""The browser of a crawl: started when it is first needed, replaced after some pages and after a crash."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error, async_playwright

from newsextract.crawl.outcome import NotAPage, NotSent, RenderFailed
from newsextract.crawl.rendering.proxy import REFUSAL, REFUSALS
from newsextract.crawl.rendering.rendered_page import RenderedPage

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import playwright.async_api as driver
    from playwright.async_api import BrowserContext, Page, Request, Response, Route

    from newsextract.crawl.rendering.proxy import GuardedProxy
    from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted


ARGUMENTS = (
    "--disable-quic",  # UDP passes no proxy
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # the proxy resolves names
    "--proxy-bypass-list=<-loopback>",
    "--dns-prefetch-disable",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--max-old-space-size=512",
)

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "PLAYWRIGHT_BROWSERS_PATH")
"""What the browser gets of our environment, in which there may be secrets."""


def launch_options(limits: BrowserLimits, server: str) -> dict[str, Any]:
    """Return the arguments of Playwright's `launch` for a browser behind the proxy at `server`.

    Each page has its own password there; what the browser asks for besides pages is refused.
    """
    return {
        "executable_path": limits.executable,
        "args": list(ARGUMENTS),
        "chromium_sandbox": limits.has_sandbox,
        "proxy": {"server": server},
        "env": {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
        # The crawl ends the browser.
        "handle_sigint": False,
        "handle_sigterm": False,
        "handle_sighup": False,
    }


TRACKERS = frozenset(
    """
    2mdn.net adnxs.com adform.net adsafeprotected.com adservice.google.com adsrvr.org amazon-adsystem.com amplitude.com
    atinternet.com bat.bing.com bing-int.com bluekai.com branch.io bugsnag.com casalemedia.com chartbeat.com
    chartbeat.net clarity.ms connect.facebook.net consensu.org cookiebot.com cookielaw.org criteo.com criteo.net
    demdex.net didomi.io doubleclick.net doubleverify.com dynatrace.com everesttech.net exelator.com fullstory.com
    google-analytics.com googleadservices.com googlesyndication.com googletagmanager.com googletagservices.com
    hotjar.com id5-sync.com imrworldwide.com ioam.de krxd.net licdn.com liadm.com matomo.cloud mixpanel.com
    moatads.com mookie1.com newrelic.com nr-data.net omtrdc.net onetrust.com openx.net optimizely.com outbrain.com
    parsely.com permutive.com piano.io privacy-center.org privacy-mgmt.com pubmatic.com quantcast.com quantserve.com
    quantcount.com rlcdn.com rubiconproject.com scorecardresearch.com segment.com segment.io sentry.io sharethrough.com
    smartadserver.com snowplowanalytics.com sourcepoint.com spotxchange.com static.ads-twitter.com t.co taboola.com
    tapad.com teads.tv tiqcdn.com trustarc.com usercentrics.eu yieldlab.net zemanta.com
    """.split()
)
"""Hosts and registrable domains that count, advertise or ask for consent, with all below them: no text is there."""


def is_tracker(url: str) -> bool:
    """Return whether a URL is on a tracker's host.

    >>> is_tracker("https://www.google-analytics.com/a.js"), is_tracker("https://news.example/t.co")
    (True, False)
    """
    host = urlsplit(url).hostname or ""
    while "." in host:
        if host in TRACKERS:
            return True
        host = host.partition(".")[2]
    return False


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
_LENGTH = "(document.body ? document.body.innerText.length : 0) | 0"
"""A whole number, whatever a page has made of `innerText`."""
_HTML = """most => {
    const root = document.documentElement, shadowRoots = [], places = [document];
    for (const place of places) for (const element of place.querySelectorAll('*'))
        if (element.shadowRoot) { shadowRoots.push(element.shadowRoot); places.push(element.shadowRoot); }
    const start = root.cloneNode().outerHTML.slice(0, -'</html>'.length);
    const html = '<!DOCTYPE html>' + start + root.getHTML({shadowRoots}) + '</html>';
    return html.length > most ? null : html;
}"""
"""The page as HTML, open shadow roots as `template` elements in it."""


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
        if (refusal := headers.get(REFUSAL.lower(), "")) in REFUSALS:
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


logger = logging.getLogger(__name__)

TABS = 2
"""Pages at a time."""

CLOSE_SECONDS = 5.0
"""What does not close in this time is ended with the driver."""


class _BrowserDied(RenderFailed):
    """The whole browser ended, or the program that steers it: whose doing that is, a page alone in a new one shows."""


@dataclass(eq=False)
class Browser:
    """Renders pages, one context each, and counts what that takes."""

    proxy: GuardedProxy
    limits: BrowserLimits
    started: int = 0
    crashes: int = 0
    forbidden: int = 0
    """Requests of pages that robots.txt forbids."""
    _manager: driver.Playwright | None = None
    _browser: driver.Browser | None = None
    _server: str = ""
    _pages: int = 0
    _under_way: int = 0
    _is_spent: bool = False
    _tabs: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TABS))
    _solo: asyncio.Lock = field(default_factory=asyncio.Lock)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def render(self, wanted: PageWanted) -> RenderedPage:
        """Return a page as it looks when its scripts have run; raises `RenderFailed` and `NotSent`."""
        try:
            async with self._tabs:
                return await self._attempt(wanted)
        except _BrowserDied:
            async with AsyncExitStack() as alone:
                for each in (self._solo, *[self._tabs] * TABS):
                    await alone.enter_async_context(each)
                return await self._attempt(wanted)

    async def _attempt(self, wanted: PageWanted) -> RenderedPage:
        browser = await self._ready()
        begun = monotonic()
        self._under_way += 1
        self._idle.clear()
        try:
            with self.proxy.page() as password:
                return await self._visit(browser, wanted, password)
        except RenderFailed as error:
            if self._is_spent or not browser.is_connected():
                raise _BrowserDied(error.reason) from error
            raise
        finally:
            wanted.spent(monotonic() - begun)
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()

    async def version(self) -> str:
        """Return the version of the browser, which is started for that; raises `RenderFailed`."""
        return (await self._ready()).version

    async def close(self) -> None:
        """End the browser, and the program that steers it."""
        await self._end()
        await self._stop_driver()

    async def _stop_driver(self) -> None:
        manager, self._manager = self._manager, None
        if manager is not None:
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await manager.stop()

    async def _visit(self, browser: driver.Browser, wanted: PageWanted, password: str) -> RenderedPage:
        context = None
        visit = None
        try:
            async with asyncio.timeout(self.limits.page_seconds):
                context = await self._new_context(browser, wanted, password)
                await context.add_cookies(_cookies_of(wanted))
                visit = PageVisit(context, wanted, self.limits)
                return await _before(visit.crashed, visit.render())
        except TimeoutError as error:
            raise RenderFailed("too slow in the browser") from error
        except Error as error:
            told = error.message.partition("\n")[0]
            raise RenderFailed(
                "crashed in the browser" if _is_crash(told) else "failed in the browser", told
            ) from error
        finally:
            self.forbidden += visit.refused if visit else 0
            await self._close(context)

    async def _new_context(self, browser: driver.Browser, wanted: PageWanted, password: str) -> driver.BrowserContext:
        return await browser.new_context(
            proxy={"server": self._server, "username": self.proxy.USER, "password": password},
            service_workers="block",
            accept_downloads=False,
            user_agent=wanted.user_agent or None,
            extra_http_headers={"Accept-Language": wanted.language} if wanted.language else None,
            viewport={"width": 1280, "height": 1024},
        )

    async def _close(self, context: driver.BrowserContext | None) -> None:
        """Close a page's context; if that cannot be done, or none was made, the browser or its driver is gone."""
        try:
            if context is not None:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await context.close()
                return
        except (Error, TimeoutError):
            pass
        self._is_spent = True
        await self._stop_driver()  # which ends its browser

    async def _ready(self) -> driver.Browser:
        """Return the browser: a new one if the last has gone, or has done enough."""
        async with self._turn:
            is_spent = self._is_spent or self._pages >= self.limits.pages
            if self._browser is not None and (is_spent or not self._browser.is_connected()):
                if self._under_way:
                    await self._idle.wait()
                await self._end()
            if self._browser is None:
                self._browser = await self._start()
            self._pages += 1
            return self._browser

    async def _start(self) -> driver.Browser:
        server = self._server = self._server or await self.proxy.open()
        try:
            browser = await self._launch(server)
        except Error:
            await self._stop_driver()  # if it is what died, the next one starts it
            try:
                browser = await self._launch(server)
            except Error as error:
                raise NotSent(f"the browser does not start: {' '.join(error.message.split())[:500]}") from error
        self.started += 1
        self._pages, self._is_spent = 0, False
        return browser

    async def _launch(self, server: str) -> driver.Browser:
        if self._manager is None:
            self._manager = await async_playwright().start()
        return await self._manager.chromium.launch(**launch_options(self.limits, server))

    async def _end(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            self.crashes += self._is_spent or not browser.is_connected()
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await browser.close()
            except (Error, TimeoutError):
                await self._stop_driver()


async def _before(crashed: asyncio.Event, rendering: Coroutine[Any, Any, RenderedPage]) -> RenderedPage:
    """Return the rendered page; raises `RenderFailed` if it crashes, as a crashed page never answers."""
    work = asyncio.ensure_future(rendering)
    crash = asyncio.ensure_future(crashed.wait())
    try:
        await asyncio.wait({work, crash}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            raise RenderFailed("crashed in the browser")
        return work.result()
    finally:
        for task in (work, crash):
            task.cancel()
        await asyncio.gather(work, crash, return_exceptions=True)


def _cookies_of(wanted: PageWanted) -> list[Any]:
    # By the address, each is for the page's own host, and what its scripts ask for there; none may read them.
    home = urljoin(wanted.url, "/")
    return [{"name": name, "value": value, "url": home, "httpOnly": True} for name, value in wanted.cookies.items()]


def _is_crash(told: str) -> bool:
    return "crash" in told.lower() or "closed" in told.lower()
