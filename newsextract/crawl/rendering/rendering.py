"""The browser of a crawl as an extension: which sites it serves, within which limits, and what it has done."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured

from newsextract.crawl.rendering.guarded_proxy import GuardedProxy
from newsextract.crawl.rendering.render_budget import RenderBudget
from newsextract.crawl.rendering.rendered_page import BrowserLimits, NotAPage, OverBudget, RenderFailed
from newsextract.crawl.rendering.rendered_responses import page_wanted, response_of
from newsextract.crawl.robots import RobotsRules
from newsextract.crawl.spider_arguments import sites_of
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
    from scrapy.http import HtmlResponse
    from scrapy.settings import BaseSettings

    from newsextract.crawl.rendering.browser import Browser
    from newsextract.crawl.rendering.rendered_page import RenderedPage

HANDLER = "newsextract.crawl.rendering.rendering_handler.RenderingHandler"

SITE_PAGES, SITE_SECONDS = 200, 900.0
"""What is rendered of a site in a run; the rest is read without a browser."""

PAGE_SECONDS = 20.0
"""A page is read after three quarters of this time as it is then; one that hangs is closed after all of it."""

BROWSER_PAGES, BROWSER_MEGABYTES = 100, 1500
"""When the browser is replaced: browsers leak. Above twice the memory it is killed at once."""

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
        self.budget = RenderBudget(SITE_PAGES, SITE_SECONDS)
        self.proxy = GuardedProxy(PRIVATE_ADDRESSES.of(settings))
        self.handlers: dict[str, Any] = {}
        """The project's handlers of downloads, by scheme."""
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
        """Return the response of a rendered page; raises `RenderFailed`, `OverBudget` before anything is asked for."""
        if request.meta.get("proxy"):
            raise RenderFailed("the browser uses no proxy", request.url)
        stats: Any = self.crawler.stats
        budget = self.budget.of(site)

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
        try:
            page = await self._open().render(replace(page_wanted(request, self._allows(request)), spent=spend))
            self._check(page, site)
        except NotAPage:
            raise
        except RenderFailed as error:
            self.crawler.stats.inc_value(f"{_PREFIX}/failed/{error.reason}")
            raise
        self.crawler.stats.inc_value("newsextract/rendered")
        return response_of(page, request)

    def _check(self, page: RenderedPage, site: str) -> None:
        if self.site_name(page.url) != site:
            raise RenderFailed("redirects off the site", page.url)

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
                "peak_megabytes": round(self._browser.peak_megabytes),
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
    return BrowserLimits(
        find_browser(RENDER_BROWSER.of(settings)),
        PAGE_SECONDS,
        BROWSER_PAGES,
        BROWSER_MEGABYTES,
        not is_root(),
        PAGE_BYTES.of(settings),
    )


def is_root() -> bool:
    """Return whether root runs this; Chromium starts for root only without its sandbox."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def trouble_of(settings: BaseSettings) -> str | None:
    """Return why no page can be rendered, naming the setting; `None` if they can."""
    if trouble := browser_trouble(RENDER_BROWSER.of(settings)):
        return f"{RENDER_BROWSER.name}: {trouble}; or set {RENDER.name}, and render in sites.yml, to 'never'"
    if settings["TWISTED_REACTOR"] != _ASYNCIO:
        return f"TWISTED_REACTOR: the browser needs {_ASYNCIO!r}, Scrapy's default"
    return None
