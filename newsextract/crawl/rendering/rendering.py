"""The browser of a crawl as an extension: which sites it serves, within which limits, and what it has done."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import __version__ as version
from scrapy import signals
from scrapy.core.downloader.handlers import DownloadHandlers
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object

from newsextract.crawl.outcome import NotAPage, OverBudget, RenderFailed, Stopped
from newsextract.crawl.rendering.proxy import GuardedProxy
from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted, RenderedPage
from newsextract.crawl.requests import RENDER_KEY, RENDERED_FLAG
from newsextract.crawl.robots import RobotsRules
from newsextract.crawl.spider_arguments import sites_of
from newsextract.page.page import KEPT_HEADERS
from newsextract.page.urls import site_of
from newsextract.settings import (
    ALWAYS,
    AUTO,
    NEVER,
    PAGE_BYTES,
    PRIVATE_ADDRESSES,
    RENDER,
    RENDER_BROWSER,
    BadSetting,
    browser_trouble,
    find_browser,
)
from newsextract.sites.site import SiteIndex

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from newsextract.crawl.rendering.browser import Browser


LEAST_TRIED = 8
"""Rendered pages without a single article, this run's and those of the days before, after which `auto` gives up."""

REMEMBERED_DAYS = 7.0
"""After that a site is tried anew."""

SITE_PAGES, SITE_SECONDS = 200, 900.0
"""What is rendered of a site in a run; the rest is read without a browser."""


@dataclass
class SiteBudget:
    """What is left for one site, and what has become of it."""

    pages: int = SITE_PAGES
    seconds: float = SITE_SECONDS
    tried: int = 0
    """Pages that were rendered without an article; of days before, all that were rendered."""
    articles: int = 0

    @property
    def has_left(self) -> bool:
        """Whether another page may be rendered."""
        return self.pages > 0 and self.seconds > 0

    @property
    def is_worth_it(self) -> bool:
        """Whether rendering has led to articles, or has not been tried enough.

        >>> SiteBudget(tried=7).is_worth_it, SiteBudget(tried=8).is_worth_it
        (True, False)
        >>> SiteBudget(tried=80, articles=1).is_worth_it
        True
        """
        return self.articles > 0 or self.tried < LEAST_TRIED


def page_wanted(request: Request, allows: Callable[[str], bool]) -> PageWanted:
    """Return what the browser is asked for in place of a request: its cookies go to the page's own host alone.

    Other headers are not passed on: the browser would send them along wherever a redirect leads.
    """
    names = ("User-Agent", "Accept-Language", "Cookie")
    agent, language, written = ((request.headers.get(name) or b"").decode("latin-1") for name in names)
    # Not by `SimpleCookie`: it drops the cookies after the first with JSON in it, as many sites have them.
    pairs = (part.partition("=") for part in written.split(";"))
    cookies = {name.strip(): value.strip() for name, sign, value in pairs if sign and name.strip()}
    return PageWanted(request.url, agent, language, cookies, allows)


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


HANDLER = "newsextract.crawl.rendering.rendering.RenderingHandler"

SECONDS = "newsextract/rendered_seconds"
_PREFIX = "newsextract/render"
_ASYNCIO = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


class Rendering:
    """Renders the pages of sites for which that is wanted; without such a site there is no such extension.

    The handler that Scrapy would have downloaded with still downloads everything else.
    """

    def __init__(self, crawler: Crawler, modes: dict[str, str]) -> None:
        settings = crawler.settings
        self.crawler = crawler
        self.modes = modes
        self.default = RENDER.of(settings)
        self.sites = SiteIndex(sites_of(crawler.spider))
        self.limits = limits_of(settings)
        self.budgets: defaultdict[str, SiteBudget] = defaultdict(SiteBudget)
        self.proxy = GuardedProxy(PRIVATE_ADDRESSES.of(settings))
        self.handlers: dict[str, Any] = {}
        """The project's handlers of downloads, by scheme."""
        self._under_way: set[asyncio.Task[RenderedPage]] = set()
        self._browser: Browser | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Take the place of the handlers of downloads; raises `NotConfigured` if nothing is to be rendered."""
        default = RENDER.of(crawler.settings)
        modes = {site.name: site.render or default for site in sites_of(crawler.spider)}
        if {default, *modes.values()} == {NEVER}:
            raise NotConfigured
        if trouble := trouble_of(crawler.settings):
            raise BadSetting(trouble)
        self = cls(crawler, modes)
        own = crawler.settings.getdict("DOWNLOAD_HANDLERS")
        self.handlers |= {**crawler.settings.getdict("DOWNLOAD_HANDLERS_BASE"), **own}
        # A scheme that is switched off stays so.
        ours = {scheme: HANDLER for scheme in ("http", "https") if self.handlers.get(scheme)}
        crawler.settings.set("DOWNLOAD_HANDLERS", {**own, **ours}, "cmdline")
        crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
        return self

    def site_name(self, url: str) -> str:
        """Return the name of the site that a URL belongs to."""
        found = self.sites.find(url)
        return found.name if found else site_of(url)

    def mode_of(self, site: str) -> str:
        """Return whether a site's pages are rendered `always`, `auto` or `never`."""
        return self.modes.get(site, self.default)

    async def download(self, request: Request, site: str) -> HtmlResponse:
        """Return the response of a rendered page.

        Raises:
            RenderFailed: the browser shows no page.
            OverBudget: nothing was asked for.
            Stopped: the page was cut.
        """
        if request.meta.get("proxy"):
            raise RenderFailed("the browser uses no proxy", request.url)
        stats: Any = self.crawler.stats
        budget = self.budgets[site]

        def spend(seconds: float) -> None:
            budget.seconds -= seconds
            stats.set_value(SECONDS, stats.get_value(SECONDS, 0.0) + seconds)

        if not budget.has_left:
            stats.inc_value(f"{_PREFIX}/over_budget")
            raise OverBudget("over budget", site)
        if self.mode_of(site) == AUTO and not budget.is_worth_it:  # others have shown that since this one was wanted
            stats.inc_value(f"{_PREFIX}/not_worth_it")
            raise OverBudget("not worth it", site)
        budget.pages -= 1
        wanted = replace(page_wanted(request, self._allows(request)), spent=spend)
        work = asyncio.ensure_future(self._open().render(wanted))
        self._under_way.add(work)
        work.add_done_callback(self._under_way.discard)
        try:
            page = await work
            if self.site_name(page.url) != site:
                raise RenderFailed("redirects off the site", page.url)  # noqa: TRY301 - it is counted below
        except NotAPage:
            raise
        except asyncio.CancelledError:
            raise Stopped(f"the crawl was stopped before {request.url} was rendered") from None
        except RenderFailed as error:
            self.crawler.stats.inc_value(f"{_PREFIX}/failed/{error.reason}")
            raise
        self.crawler.stats.inc_value("newsextract/rendered")
        return response_of(page, request)

    def cut(self) -> None:
        """End the pages that are under way."""
        while self._under_way:
            self._under_way.pop().cancel()

    async def spider_closed(self) -> None:
        """End the browser, and tell what it took."""
        stats: Any = self.crawler.stats
        refused = sum(self.proxy.refused.values())
        found: dict[str, float] = {"refused": refused}
        if self._browser is not None:
            await self._browser.close()
            await self.proxy.close()
            found |= {
                "browsers": self._browser.started,
                "crashes": self._browser.crashes,
                "robots_forbids": self._browser.forbidden,
            }
        for name, value in found.items():
            stats.set_value(f"{_PREFIX}/{name}", value)

    def _open(self) -> Browser:
        if self._browser is None:
            from newsextract.crawl.rendering.browser import Browser  # noqa: PLC0415 - brings Playwright

            self._browser = Browser(self.proxy, self.limits)
        return self._browser

    def _allows(self, request: Request) -> Any:
        rules = self.crawler.get_downloader_middleware(RobotsRules)
        agent = request.headers.get("User-Agent") or b""
        return (lambda url: not rules.forbids(url, agent)) if rules else (lambda _: True)


def renders_always(crawler: Crawler) -> Callable[[str], bool]:
    """Return a function that says of a site's name whether all its pages are rendered: `render: always`."""
    rendering = crawler.get_extension(Rendering)
    return lambda site: rendering is not None and rendering.mode_of(site) == ALWAYS


def limits_of(settings: BaseSettings) -> BrowserLimits:
    """Return the limits that the settings set to a browser."""
    # Chromium starts for root only without its sandbox.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    executable = find_browser(RENDER_BROWSER.of(settings))
    return BrowserLimits(executable, has_sandbox=not is_root, page_chars=PAGE_BYTES.of(settings))


def trouble_of(settings: BaseSettings) -> str | None:
    """Return why no page can be rendered, naming the setting; `None` if they can."""
    if trouble := browser_trouble(RENDER_BROWSER.of(settings)):
        return f"{RENDER_BROWSER.name}: {trouble}; or set {RENDER.name}, and render in sites.yml, to 'never'"
    if not hasattr(DownloadHandlers, "download_request_async"):
        return f"{RENDER.name}: the browser needs a newer Scrapy than {version}: pip install --upgrade scrapy"
    if settings["TWISTED_REACTOR"] != _ASYNCIO:
        return f"TWISTED_REACTOR: the browser needs {_ASYNCIO!r}, Scrapy's default"
    return None


class RenderingHandler:
    """Stands before the handlers that the project has for `http` and `https`, and renders what is to be rendered.

    This is not scrapy-playwright's handler, though the library beneath is the same. That one waits for a page's `load`
    event, which a page whose last script never arrives does not have; it keeps its browser until it crashes; it sends
    a request's headers along a redirect to another host; and it takes the place of the project's own handlers.
    """

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
