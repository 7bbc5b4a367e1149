"""Fetch pages for a command, and their style sheets if wanted, with Scrapy and the project's settings."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import TextResponse

from newsextract.crawl.network_safety import PrivateAddressMiddleware
from newsextract.crawl.outcome import reason_of_failure
from newsextract.crawl.requests import page_of
from newsextract.interrupts import ending_at_once
from newsextract.page.page import Page, PageError
from newsextract.settings import PRIVATE_ADDRESSES
from newsextract.tools.comparing.stylesheets import MAX_SHEET_CHARS, linked_sheets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import CrawlerProcessBase
    from scrapy.http import Response
    from twisted.python.failure import Failure

MAX_SHEETS = 40
"""Style sheets fetched for one page."""

NEXT_TO_DOWNLOADER = 780
"""Order of the middleware that refuses private addresses, as in the add-on."""

_ANY_STATUS = {"handle_httpstatus_list": range(400, 600)}

_ANYWAY = "-s ROBOTSTXT_OBEY=0 ignores it"

NOTHING_CAME = f"nothing was downloaded; robots.txt may forbid it ({_ANYWAY})"


@dataclass
class Wanted:
    """A page that a command asks for, and the result."""

    name: str
    page: Page | None = None
    """The page once it is there; a page read from a file is there from the start."""
    error: str | None = None
    sheets: dict[int, str] = field(default_factory=dict)
    """The fetched style sheets, by the number of their `link` element in the page's outline."""


def download(process: CrawlerProcessBase, wanted: list[Wanted], *, with_styles: bool) -> None:
    """Fetch the pages that are missing, and the style sheets of all if wanted."""
    # Only the pages are wanted: the project's items, files and reports are off.
    for setting in ("FEEDS", "ITEM_PIPELINES", "EXTENSIONS", "ADDONS"):
        process.settings.set(setting, {}, "cmdline")
    if with_styles:
        _guard(process, wanted)
    # A page that cannot be fetched is told in a line of ours: these would log a traceback.
    logging.getLogger("scrapy.downloadermiddlewares").setLevel(logging.CRITICAL)
    process.crawl(_Downloads, wanted=wanted, with_styles=with_styles)
    with ending_at_once():
        process.start(install_signal_handlers=False)
    for one in wanted:
        if one.page is None and one.error is None:
            one.error = NOTHING_CAME


def _guard(process: CrawlerProcessBase, wanted: list[Wanted]) -> None:
    """Refuse private addresses except those of the pages, so that a public page cannot make us request the intranet."""
    policy = PRIVATE_ADDRESSES.of(process.settings)
    if policy.allows_all:
        return
    urls = [one.page.url if one.page is not None else one.name for one in wanted]
    named = {urlsplit(url or "").hostname or "" for url in urls} - {""}
    allowed = sorted({*policy.hosts, *map(str, policy.networks), *named})
    process.settings.set(PRIVATE_ADDRESSES.name, allowed, "cmdline")
    own = process.settings.getdict("DOWNLOADER_MIDDLEWARES")
    process.settings.set("DOWNLOADER_MIDDLEWARES", {**own, PrivateAddressMiddleware: NEXT_TO_DOWNLOADER}, "cmdline")


class _Downloads(Spider):
    name = "downloads"
    wanted: list[Wanted]
    with_styles: bool

    async def start(self) -> AsyncIterator[Request]:
        for one in self.wanted:
            if one.page is not None:
                for request in self.styles(one):
                    yield request
            elif one.error is None:
                yield self.request(one.name, self.parse, one, errback=self.failed)

    def request(self, url: str, callback: Any, one: Wanted, **more: Any) -> Request:
        known = {"one": one, **more.pop("known", {})}
        return Request(url, callback, cb_kwargs=known, meta=_ANY_STATUS, dont_filter=True, **more)

    def parse(self, response: Response, **known: Any) -> Iterator[Request]:
        one: Wanted = known["one"]
        if response.status >= 400:
            one.error = f"the site answered {response.status}"
            return
        try:
            one.page = page_of(response, sys.maxsize)
        except PageError as error:
            one.error = str(error)
            return
        yield from self.styles(one)

    def styles(self, one: Wanted) -> Iterator[Request]:
        if not self.with_styles or one.page is None:
            return
        for number, url in list(linked_sheets(one.page).items())[:MAX_SHEETS]:
            # A style sheet that cannot be fetched is left out; the page is shown without it, as in a browser.
            yield self.request(url, self.sheet, one, known={"number": number}, errback=self.no_sheet)

    def sheet(self, response: Response, one: Wanted, number: int) -> None:
        is_css = isinstance(response, TextResponse) and b"html" not in (response.headers.get("Content-Type") or b"")
        if response.status < 400 and is_css and len(response.body) <= MAX_SHEET_CHARS:
            one.sheets[number] = response.text
        else:
            self.logger.warning("left out the style sheet %s", response.url)

    def no_sheet(self, failure: Failure) -> None:
        self.logger.warning("left out a style sheet: %s", failure.getErrorMessage())

    def failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined] # Scrapy sets it
        reason = reason_of_failure(failure, request)
        request.cb_kwargs["one"].error = f"{reason} ({_ANYWAY})" if reason.startswith("robots.txt") else reason
