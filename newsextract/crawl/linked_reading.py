"""Reads the AMP or print version of a page that shows no article itself, where the page links one."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from newsextract.crawl.futures import answer_of
from newsextract.crawl.pages_again import page_again, request_again
from newsextract.page.page import Page, PageError
from newsextract.page.urls import same_owner, site_of, url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.page_end import PageEnd
    from newsextract.crawl.readers import Readers
    from newsextract.reading.linked_versions import LinkedVersions

logger = logging.getLogger(__name__)

IN_VAIN = 8
"""Versions of a site's pages without a single article after which the run asks for no more of them."""

_STATS = "newsextract/linked_versions"


class LinkedReading:
    """Fetches the linked versions of pages past the scheduler, but with robots.txt, the guard and the host's delay."""

    def __init__(self, crawler: Crawler, readers: Readers) -> None:
        self.crawler = crawler
        self.readers = readers
        self.in_vain: Counter[str] = Counter()
        """Versions without an article by site; those under way count as neither."""
        self.useful: set[str] = set()
        self.asked: set[str] = set()
        """The versions that were asked for: one that several pages link is of neither."""

    async def of_page(self, page: Page, end: PageEnd) -> AsyncGenerator[Page, None]:
        """Yield the versions of a page whose own text is missing; each has the address of the page itself."""
        if end.state not in (PageState.EMPTY, PageState.OTHER) or not page.url or page.hints.version_address:
            return
        site = site_of(page.url)
        if not self._is_worth_it(site):
            return
        try:
            versions = await answer_of(self.readers.linked_versions(page))
        except Unanswered:  # the page has been read, and ends as it did
            return
        for address in versions.addresses:
            if url_key(address) not in self.asked and self._is_worth_it(site):
                self.asked.add(url_key(address))
                self.crawler.stats.inc_value(f"{_STATS}/asked")
                if version := await self._fetched(address, page, versions):
                    yield version
                self.in_vain[site] += 1  # whoever asks for another version has had no use for this one

    def note_article(self, page: Page) -> None:
        """Note that a version is an article."""
        self.useful.add(site_of(page.url or ""))
        self.crawler.stats.inc_value(f"{_STATS}/articles")

    def _is_worth_it(self, site: str) -> bool:
        return site in self.useful or self.in_vain[site] < IN_VAIN

    async def _fetched(self, address: str, first: Page, versions: LinkedVersions) -> Page | None:
        try:
            response = await self.crawler.engine.download_async(request_again(address))
            return self._page(response, first, versions)
        except PageError:
            return None
        except Exception as error:  # noqa: BLE001 - any middleware's; the page has been read, and ends as it did
            logger.debug("%s, a version of %s, is not read: %s", address, first.url, error)
            self.crawler.stats.inc_value(f"{_STATS}/failed/{type(error).__name__}")
            return None

    def _page(self, response: Response, first: Page, versions: LinkedVersions) -> Page | None:
        """Return the page of a version; `None` if it is refused, or led back to the page itself or to another owner."""
        is_other = url_key(response.url) not in versions.originals and same_owner(response.url, first.url or "")
        if not 200 <= response.status < 300 or not is_other:
            return None
        found = page_again(response, first, self.crawler.settings)
        hints = replace(
            found.hints,
            headers={**found.hints.headers, **first.hints.headers},  # what the page itself reserves counts
            version_address=response.url,
            originals=versions.originals,
        )
        return Page(found.html, **{**found.arguments, "url": first.url, "hints": hints})
