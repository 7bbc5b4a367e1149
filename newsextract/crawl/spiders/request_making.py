"""The requests of the `news` spider: each carries its purpose in its meta, which job queues keep."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from newsextract.crawl.middlewares.article_requests import OPT_IN
from newsextract.crawl.page_responses import RENDER_KEY
from newsextract.crawl.spiders.ledger_findings import of_candidate, of_listing, of_source
from newsextract.crawl.visit import NOT_MODIFIED, VISIT, Visit
from newsextract.page.urls import clean_url
from newsextract.reading.pagination import is_numbered
from newsextract.sites.robots import MAX_TDMREP_BYTES, TDMREP_PATH
from newsextract.sites.sitemaps import MAX_SITEMAP_BYTES
from newsextract.storage.ledger.ledger import Finding, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.frontier import Frontier

TDMREP_PRIORITY = 50
"""Before everything else, because pages that arrive earlier get no rules; it is one small file per host."""

HOME_PRIORITY, SOURCE_PRIORITY, LISTING_PRIORITY = 40, 30, 20
"""Pages that list others come before single pages, which have priority 0, or 1 if the URL looks like an article."""

LATER_PRIORITY = -1
"""Possible further pages of an article that will be joined come after possible first pages."""

REVISIT_PRIORITY = -2
"""Revisits come after new pages."""


class Callbacks(Protocol):
    """Callbacks and errbacks: methods of the spider, which job queues store by name."""

    def parse_listing(self, response: Response) -> Any: ...  # noqa: D102 - the spider says it
    def parse_page(self, response: Response) -> Any: ...  # noqa: D102
    def parse_feed(self, response: Response) -> Any: ...  # noqa: D102
    def parse_sitemap(self, response: Response) -> Any: ...  # noqa: D102
    def parse_tdmrep(self, response: Response, host: str) -> Any: ...  # noqa: D102
    def download_failed(self, failure: Failure) -> Any: ...  # noqa: D102
    def source_failed(self, failure: Failure) -> Any: ...  # noqa: D102
    def tdmrep_failed(self, failure: Failure) -> Any: ...  # noqa: D102


@dataclass(frozen=True)
class RequestMaker:
    """Makes the requests whose responses the spider handles."""

    callbacks: Callbacks
    ledger: SpiderLedger
    max_page_bytes: int
    renders: Callable[[str], bool] = lambda _: False
    """Whether all pages of a site are rendered in a browser."""

    def listing(self, url: str, site: str, depth: int) -> Request:
        """Return the request for a home (depth 0) or section page."""
        priority = LISTING_PRIORITY - depth if depth else HOME_PRIORITY
        return self._page(self._visit(of_listing(url, site, depth)), self.callbacks.parse_listing, priority)

    def candidate(self, candidate: Candidate, frontier: Frontier) -> Request:
        """Return the request for a page that may be an article, with hints from feeds and news sitemaps."""
        is_later = frontier.joins_pages and is_numbered(candidate.url)
        priority = LATER_PRIORITY if is_later else int(candidate.is_article_like)
        if candidate.is_revisit:
            priority = REVISIT_PRIORITY
        hints = frontier.hints_of(candidate.url)
        finding = replace(of_candidate(candidate, frontier.site), hints=hints or None)
        return self._page(replace(self._visit(finding), holds_place=True), self.callbacks.parse_page, priority)

    def part(self, url: str, site: str) -> Request:
        """Return the request for a further page of an article; the handler of the first page downloads it."""
        return self._page(Visit(Finding(url, site, Role.ARTICLE), is_part=True), NO_CALLBACK, priority=0)

    def source(self, kind: str, url: str, site: str) -> Request:
        """Return the request for one of the `feeds` or `sitemaps`, which may be on another host."""
        return self._request(
            self._visit(of_source(kind, url, site)),
            callback=self.callbacks.parse_feed if kind == "feeds" else self.callbacks.parse_sitemap,
            errback=self.callbacks.source_failed,
            priority=SOURCE_PRIORITY,
            # `OpenSources` prevents repetition per site: a URL that is one site's feed may be another site's page.
            dont_filter=True,
            meta={"allow_offsite": True, "download_maxsize": MAX_SITEMAP_BYTES},
        )

    def tdmrep(self, url: str) -> Request:
        """Return the request for the tdmrep.json of a page's host; it counts neither as a page nor as a source."""
        found = clean_url(TDMREP_PATH, url) or url
        host = urlsplit(found).netloc
        return Request(
            found,
            callback=self.callbacks.parse_tdmrep,
            cb_kwargs={"host": host},
            errback=self.callbacks.tdmrep_failed,
            priority=TDMREP_PRIORITY,
            meta={OPT_IN: False, "download_maxsize": MAX_TDMREP_BYTES, "download_slot": host},
        )

    def _visit(self, finding: Finding) -> Visit:
        return Visit.to(finding, self.ledger.known(finding))

    def _page(self, visit: Visit, callback: Any, priority: int) -> Request:
        return self._request(
            visit,
            callback=callback,
            errback=self.callbacks.download_failed,
            priority=priority,
            meta={
                "download_maxsize": self.max_page_bytes,
                **({RENDER_KEY: visit.site} if self.renders(visit.site) else {}),
            },
        )

    def _request(self, visit: Visit, meta: dict[str, Any], **arguments: Any) -> Request:
        # A slot per host and port: two servers of one machine need not wait for each other.
        meta = {VISIT: visit, "download_slot": urlsplit(visit.url).netloc, **meta}
        headers = visit.conditions
        if headers:
            meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return Request(visit.url, headers=headers, meta=meta, **arguments)


@dataclass
class RequestSender:
    """Sends requests outside callbacks, one after the other, including those that sending one causes.

    When the engine drops a request, the spider sends the next: a thousand drops in a row would recurse too deep.
    """

    crawler: Crawler
    waiting: deque[Request] = field(default_factory=deque)
    is_sending: bool = False

    def send(self, requests: Iterable[Request]) -> None:
        """Pass the requests to the engine."""
        self.waiting.extend(requests)
        if self.is_sending:
            return
        self.is_sending = True
        try:
            while self.waiting:
                self.crawler.engine.crawl(self.waiting.popleft())
        finally:
            self.is_sending = False
