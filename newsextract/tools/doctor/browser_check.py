"""Checks the browser that pages are rendered in: whether it is found, starts, and keeps its sandbox."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from newsextract.crawl.rendering.proxy import GuardedProxy
from newsextract.crawl.rendering.rendered_page import BrowserLimits, RenderFailed
from newsextract.crawl.rendering.rendering import limits_of, trouble_of
from newsextract.settings import NEVER, PRIVATE_ADDRESSES, RENDER, RENDER_BROWSER, BadSetting, browser_trouble
from newsextract.sites.site import SiteListError
from newsextract.sites.site_list import read_sites
from newsextract.tools.doctor.finding import failure, note, ok, warning

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.tools.doctor.finding import Finding, Subject

START_SECONDS = 30.0
"""A browser that takes longer to start does not."""


def browser(subject: Subject) -> Iterator[Finding]:
    """Start the browser, if any page is to be rendered."""
    try:
        wanted, limits = is_wanted(subject), limits_of(subject.settings)
        trouble = trouble_of(subject.settings)
    except BadSetting:
        return  # the check of the settings tells it
    if not wanted:
        is_there = browser_trouble(RENDER_BROWSER.of(subject.settings)) is None
        yield note(f"no page is rendered; a browser is {'there' if is_there else 'not there'}")
    elif trouble:
        yield failure(trouble.partition(": ")[2], f"it is looked for because of {RENDER.name}, or render in sites.yml")
    else:
        yield asyncio.run(_started(limits, GuardedProxy(PRIVATE_ADDRESSES.of(subject.settings))))
        if not limits.has_sandbox:
            yield warning("the browser has no sandbox", "crawl as another user than root")


def is_wanted(subject: Subject) -> bool:
    """Return whether the settings or a site ask for rendered pages."""
    if RENDER.of(subject.settings) != NEVER:
        return True
    try:
        sites = read_sites(subject.sites) if subject.sites else []
    except SiteListError:
        return False  # the check of the sites tells it
    return any((site.render or NEVER) != NEVER for site in sites)


async def _started(limits: BrowserLimits, proxy: GuardedProxy) -> Finding:
    from newsextract.crawl.rendering.browser import Browser  # noqa: PLC0415 - brings Playwright

    found = Browser(proxy, limits)
    try:
        async with asyncio.timeout(START_SECONDS):
            return ok(f"the browser starts: {await found.version()} at {limits.executable}")
    except (RenderFailed, TimeoutError) as error:
        told = str(error) or f"the browser did not start in {START_SECONDS:.0f} seconds"
        advice = f"look at {RENDER_BROWSER.name}; in a container it may be a script that adds --no-sandbox"
        return failure(told, advice)
    finally:
        await found.close()
        await proxy.close()
