"""The browser of a crawl: started when it is first needed, replaced before it grows too large, and after a crash."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from playwright.async_api import Error, async_playwright

from newsextract.crawl.rendering.launch_options import launch_options
from newsextract.crawl.rendering.page_visit import PageVisit
from newsextract.crawl.rendering.process_memory import find_process, is_measurable, megabytes_of, tree_of
from newsextract.crawl.rendering.rendered_page import RenderFailed

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import playwright.async_api as driver

    from newsextract.crawl.rendering.guarded_proxy import GuardedProxy
    from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted, RenderedPage

logger = logging.getLogger(__name__)

TABS = 2
"""Pages at a time."""

CLOSE_SECONDS = 5.0
"""What does not close in this time is killed."""

LOOK_SECONDS = 1.0
"""Between two looks at the memory."""

UNMEASURED_PAGES = 25
"""After which the browser is replaced where its memory cannot be measured."""


@dataclass(eq=False)
class Browser:
    """Renders pages, one context each, and counts what that takes."""

    proxy: GuardedProxy
    limits: BrowserLimits
    started: int = 0
    crashes: int = 0
    peak_megabytes: float = 0.0
    forbidden: int = 0
    """Requests of pages that robots.txt forbids."""
    _manager: driver.Playwright | None = None
    _browser: driver.Browser | None = None
    _server: str = ""
    _pages: int = 0
    _under_way: int = 0
    _process: int | None = None
    _is_spent: bool = False
    _watch: asyncio.Task[None] | None = None
    _tabs: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(TABS))
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _idle: asyncio.Event = field(default_factory=asyncio.Event)

    async def render(self, wanted: PageWanted) -> RenderedPage:
        """Return a page as it looks when its scripts have run; raises `RenderFailed`."""
        async with self._tabs:
            browser = await self._ready()
            begun = monotonic()
            self._under_way += 1
            self._idle.clear()
            try:
                return await self._visit(browser, wanted)
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

    async def _visit(self, browser: driver.Browser, wanted: PageWanted) -> RenderedPage:
        context = None
        visit = None
        try:
            async with asyncio.timeout(self.limits.page_seconds):
                context = await self._new_context(browser, wanted)
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
            if context is not None:
                await self._close(context)

    async def _new_context(self, browser: driver.Browser, wanted: PageWanted) -> driver.BrowserContext:
        context = await browser.new_context(
            service_workers="block",
            accept_downloads=False,
            user_agent=wanted.user_agent or None,
            extra_http_headers={"Accept-Language": wanted.language} if wanted.language else None,
            viewport={"width": 1280, "height": 1024},
        )
        if wanted.cookies:
            # By the address, each is for the page's own host, and what its scripts ask for there; none may read them.
            home = urljoin(wanted.url, "/")
            cookies = [
                {"name": name, "value": value, "url": home, "httpOnly": True} for name, value in wanted.cookies.items()
            ]
            await context.add_cookies(cookies)  # type: ignore[arg-type]  # its typed dictionaries
        return context

    async def _close(self, context: driver.BrowserContext) -> None:
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await context.close()
        except Error:
            pass  # it went with the browser
        except TimeoutError:
            self._kill()

    async def _ready(self) -> driver.Browser:
        """Return the browser: a new one if the last has gone, or has done enough."""
        async with self._turn:
            is_spent = self._is_spent or self._pages >= self._most_pages()
            if self._browser is not None and (is_spent or not self._browser.is_connected()):
                if self._under_way:
                    await self._idle.wait()
                await self._end()
            if self._browser is None:
                self._browser = await self._start()
            self._pages += 1
            return self._browser

    def _most_pages(self) -> int:
        return self.limits.pages if is_measurable() else min(self.limits.pages, UNMEASURED_PAGES)

    async def _start(self) -> driver.Browser:
        server = self._server = self._server or await self.proxy.open()
        limits = self.limits
        if self._manager is None:
            self._manager = await async_playwright().start()
        try:
            browser = await self._manager.chromium.launch(
                **launch_options(limits, server, self.proxy.USER, self.proxy.password)
            )
        except Error as error:
            await self._stop_driver()  # if it is what died, the next page gets a new one
            raise RenderFailed("the browser does not start", " ".join(error.message.split())[:500]) from error
        if not self.started and not is_measurable():
            logger.warning(
                "the browser's memory cannot be measured here: it is replaced every %d pages", self._most_pages()
            )
        self.started += 1
        self._pages, self._is_spent = 0, False
        self._process = find_process(f"--proxy-server={server}")
        self._watch = asyncio.ensure_future(self._watch_memory())
        return browser

    async def _watch_memory(self) -> None:
        while self._process is not None:
            taken = await asyncio.to_thread(megabytes_of, self._process)
            self.peak_megabytes = max(self.peak_megabytes, taken)
            self._is_spent = self._is_spent or taken > self.limits.megabytes
            if taken > 2 * self.limits.megabytes:
                logger.warning("the browser took %.0f MB and is killed", taken)
                self._kill()
            await asyncio.sleep(LOOK_SECONDS)

    async def _end(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            self.crashes += not browser.is_connected()
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await browser.close()
            except (Error, TimeoutError):
                if self._process is None:
                    await self._stop_driver()  # which ends its browser
                self._kill()
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
            self._watch = None
        self._process = None

    def _kill(self) -> None:
        """Kill all processes of the browser: the pages under way fail, and the next one gets a new browser."""
        self._is_spent = True
        if self._process is not None:
            for process in tree_of(self._process):
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            self._process = None


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


def _is_crash(told: str) -> bool:
    return "crash" in told.lower() or "closed" in told.lower()
