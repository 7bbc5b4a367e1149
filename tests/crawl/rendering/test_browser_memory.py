"""A browser that takes too much memory is replaced or killed, and the crawl goes on."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.outcome import RenderFailed
from newsextract.crawl.rendering.browser import find_process
from newsextract.crawl.rendering.rendered_page import PageWanted
from tests.crawl.rendering.rig import ARTICLE, NEEDS_BROWSER, Rig

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Any

    from newsextract.crawl.rendering.browser import Browser

pytestmark = NEEDS_BROWSER


def taking(megabytes: int, *, then: str = "") -> str:
    kept = f"window.kept = Array.from({{length: {megabytes}}}, () => new Uint8Array(1e6).fill(7))"
    return f"<title>t</title>{ARTICLE}<script>{kept}; {then}</script>"


PAGES: dict[str, str | tuple[str, str]] = {
    "/light": taking(0),
    "/heavy": taking(500),
    "/heaviest": taking(900, then="fetch('/never'); setInterval(() => document.body.append('on '), 100)"),
    "/never": "never",
}


@pytest.fixture(scope="module")
def rig() -> Iterator[Rig]:
    found = Rig(PAGES)
    yield found
    found.close()


@asynccontextmanager
async def closing(browser: Browser) -> AsyncIterator[Browser]:
    try:
        yield browser
    finally:
        await browser.close()


def starts(rig: Rig, *paths: str, **limits: Any) -> tuple[list[int], list[str], Browser]:
    """Render pages one after the other; return how many browsers had started after each, and how pages failed."""
    started, failed = [], []

    async def visit() -> Browser:
        async with closing(rig.new_browser(**limits)) as browser:
            for path in paths:
                try:
                    await browser.render(PageWanted(f"{rig.web.home}{path}"))
                except RenderFailed as error:
                    failed.append(error.reason)
                started.append(browser.started)
            return browser

    browser = rig.runner.run(visit())
    return started, failed, browser


def test_is_replaced_above_its_bound(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.crawl.rendering.browser.MEMORY_LOOK_SECONDS", 0.1)
    started, failed, browser = starts(rig, "/light", "/light", "/heavy", "/light", megabytes=650)
    assert (started, failed) == ([1, 1, 1, 2], [])
    assert 650 < browser.peak_megabytes < 1300
    assert browser.crashes == 0


def test_is_killed_at_twice_its_bound_amid_a_page(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("newsextract.crawl.rendering.browser.MEMORY_LOOK_SECONDS", 0.1)
    started, failed, browser = starts(rig, "/heaviest", "/light", megabytes=400)
    assert (started, failed) == ([1, 2], ["crashed in the browser"])
    assert browser.peak_megabytes > 800
    assert browser.crashes == 1
    assert "MB and is killed" in caplog.text


def test_a_browser_that_does_not_close_ends_with_its_driver(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no /proc, its process is not known and cannot be killed."""
    monkeypatch.setattr("newsextract.crawl.rendering.browser.find_process", lambda _: None)
    monkeypatch.setattr("newsextract.crawl.rendering.browser.CLOSE_SECONDS", 0.5)

    async def never() -> None:
        await asyncio.Event().wait()

    async def visit() -> tuple[int | None, int | None]:
        async with closing(rig.new_browser()) as browser:
            await browser.version()
            process = find_process(f"--proxy-server={browser._server}")
            monkeypatch.setattr(browser._browser, "close", never)
            await browser._end()
            return process, find_process(f"--proxy-server={browser._server}")

    process, left = rig.runner.run(visit())
    assert process is not None
    assert left is None
