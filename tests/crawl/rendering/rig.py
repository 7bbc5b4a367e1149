"""A real Chromium behind its proxy, and two machines: one that it may visit, and one that it may not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from newsextract.crawl.rendering.proxy import GuardedProxy
from newsextract.crawl.rendering.rendered_page import BrowserLimits, PageWanted, RenderedPage
from newsextract.reading.reader import read_article
from newsextract.settings import find_browser
from newsextract.sites.private_addresses import AddressPolicy
from tests.crawl.rendering.web import STORY, Web

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from newsextract.crawl.rendering.browser import Browser

NEEDS_BROWSER = [
    pytest.mark.browser,
    pytest.mark.skipif(find_browser(None) is None, reason="no Chromium: apt-get install chromium"),
    pytest.mark.skipif(find_spec("playwright") is None, reason="no playwright: pip install 'newsextract[render]'"),
]

BODY = "".join(f"<p>{paragraph}</p>" for paragraph in STORY["paragraphs"])
ARTICLE = f"<article><h1>A bridge</h1>{BODY}</article>"
LIMITS = BrowserLimits(find_browser(None), page_seconds=12, has_sandbox=False)


class Rig:
    """A browser on an event loop of its own, and the two machines."""

    def __init__(self, pages: Mapping[str, str | tuple[str, str]]) -> None:
        self.web = Web("127.0.0.1", pages)
        self.trap = Web("127.0.0.2", {"*": "secret"}, self.web.server_port)
        self.names: dict[str, list[str]] = {}
        self.runner = asyncio.Runner()
        self.proxy = GuardedProxy(AddressPolicy.parse(["127.0.0.1"]), self.resolve)
        self.browser = self.new_browser()

    def new_browser(self, **limits: Any) -> Browser:
        from newsextract.crawl.rendering.browser import Browser

        return Browser(self.proxy, replace(LIMITS, **limits))

    async def resolve(self, host: str, _port: int) -> list[str]:
        answers = self.names.get(host)
        if answers is None:
            return [host]
        return [answers.pop(0) if len(answers) > 1 else answers[0]]

    def render(self, path: str, **wanted: Any) -> RenderedPage:
        url = path if path.startswith("http") else f"{self.web.home}{path}"
        return self.runner.run(self.browser.render(PageWanted(url, **wanted)))

    def body(self, path: str) -> str:
        page = self.render(path)
        return read_article(page.html, page.url).articleBody or ""

    def close(self) -> None:
        self.runner.run(self.browser.close())
        self.runner.run(self.proxy.close())
        self.runner.close()
        for server in (self.web, self.trap):
            server.shutdown()
            server.server_close()
