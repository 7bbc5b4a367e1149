"""Counts how every fetched page ends: one state and one reason each, so that the counts add up.

Stats: `newsextract/pages` is incremented when a page is fetched, `newsextract/state/<state>` and
`newsextract/reason/<state>/<reason>` when it ends; `newsextract/candidates` counts pages that may be articles, so no
listings, and `newsextract/candidates/failed` those that could not be read. Where a feed's text stands in for a page,
the page's state and reason are counted as they are, and `newsextract/feed_texts/<state>` says what became of the text.
Other components learn of the end by the signal `page_ended`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals

from newsextract.article import Article
from newsextract.crawl.extensions.waiting_texts import WaitingTexts
from newsextract.crawl.page_end import FORBIDDEN, PageDropped, PageEnd
from newsextract.crawl.visit import find_visit
from newsextract.page.page import Page
from newsextract.page.urls import site_of
from newsextract.reading.notices import NoticeCode, PageState, noticed
from newsextract.storage.ledger.ledger import RENDERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Request, Response
    from scrapy.statscollectors import StatsCollector
    from twisted.python.failure import Failure

page_arrived = object()
"""Sent by a spider for every page that it requested, when the response or the failure arrives."""

page_failed = object()
"""Sent by a spider for a page that never became an item: `request`, `end` (a `PageEnd`)."""

page_ended = object()
"""Sent when a page has ended: `site`, `request`, `end` (a `PageEnd`)."""

page_forbidden = object()
"""Sent when a feed's text has gone through the pipelines for a page that robots.txt forbids: `request`, `end`.

Such a page was not fetched, and is not counted."""

source_ended = object()
"""Sent by a spider when a feed or sitemap was read or failed: `site`, `reason` (empty if it was read)."""

front_read = object()
"""Sent by a spider when it has read a changed front page: `site`, `links` (how many lead to articles)."""

FAILED_STATES = (PageState.ERROR, PageState.BLOCKED)
"""How a page ends that could not be read."""

_ORIGINS = ((NoticeCode.FROM_BROWSER, RENDERED), (NoticeCode.FROM_VERSION, "from a linked version"))
"""The reasons of articles that are not from the page as it was fetched."""

MAX_REASON_CHARS = 60
"""Characters kept of the message with which a user's pipeline drops an item."""


class PageStates:
    """Counts how every page ends."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Connect to the signals that end a page."""
        self = cls(crawler)
        for handler, signal in (
            (self.item_scraped, signals.item_scraped),
            (self.item_dropped, signals.item_dropped),
            (self.item_error, signals.item_error),
            (self.spider_error, signals.spider_error),
            (self.page_arrived, page_arrived),
            (self.page_failed, page_failed),
        ):
            crawler.signals.connect(handler, signal=signal)
        return self

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """An article went through all pipelines."""
        request = _request_of(response)
        if isinstance(item, Article):
            reason = next((reason for code, reason in _ORIGINS if any(noticed(code, _warnings(item)))), "")
            self._end(request, item.url, PageEnd(PageState.ARTICLE, reason, article=item))
        elif request is not None and _is_page(request):
            # A pipeline of the user's has replaced the article by another item.
            self._end(request, request.url, PageEnd(PageState.ARTICLE))

    def item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        """A pipeline refused a page or an article."""
        if not isinstance(item, Page | Article):
            return
        end = exception.end if isinstance(exception, PageDropped) else PageEnd(PageState.DROPPED, _reason(exception))
        self._end(_request_of(response), item.url, end)

    def item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        """A pipeline failed on a page or an article."""
        if isinstance(item, Page | Article):
            end = PageEnd(PageState.ERROR, f"pipeline: {type(failure.value).__name__}")
            self._end(_request_of(response), item.url, end)

    def spider_error(self, failure: Failure, response: Any) -> None:
        """The spider failed on a page before it became an item."""
        request = getattr(response, "request", None)
        if request is not None and _is_page(request):
            self._end(request, request.url, PageEnd(PageState.ERROR, f"spider: {type(failure.value).__name__}"))

    def page_arrived(self) -> None:
        """A page was fetched, well or badly."""
        self.crawler.stats.inc_value("newsextract/pages")

    def page_failed(self, request: Request, end: PageEnd) -> None:
        """A page could not be fetched or read."""
        self._end(request, request.url, end)

    def _end(self, request: Request | None, url: str | None, end: PageEnd) -> None:
        stats: StatsCollector = self.crawler.stats
        texts, visit = self.crawler.get_extension(WaitingTexts), find_visit(request)
        page_end = texts.end_of(request.url) if texts and request else None
        if texts and request and visit:
            for one in (visit.url, request.url):
                texts.take(one)
        if page_end is not None:
            # What went through the pipelines was the feed's text; the page has ended as it has.
            stats.inc_value(f"newsextract/feed_texts/{end.state}")
            end = replace(page_end, stand_in=end.article)
        if page_end == FORBIDDEN:
            self.crawler.signals.send_catch_log(page_forbidden, request=request, end=end)
        else:
            self._count_and_send(request, url, end)

    def _count_and_send(self, request: Request | None, url: str | None, end: PageEnd) -> None:
        stats: StatsCollector = self.crawler.stats
        stats.inc_value(f"newsextract/state/{end.state}")
        if end.reason:
            stats.inc_value(f"newsextract/reason/{end.state}/{end.reason}")
        visit = find_visit(request)
        if visit and visit.is_for_article and end.state is not PageState.LISTING:
            stats.inc_value("newsextract/candidates")
            if end.state in FAILED_STATES:
                stats.inc_value("newsextract/candidates/failed")
        site = visit.site if visit else site_of(url or "")
        self.crawler.signals.send_catch_log(page_ended, site=site, request=request, end=end)


def _warnings(article: Article) -> Sequence[object]:
    return article.extraction.noticed if article.extraction else ()


def _is_page(request: Request) -> bool:
    visit = find_visit(request)
    return visit is not None and visit.is_page


def _reason(exception: Exception) -> str:
    # The text after a colon is about one item; with it, each item would get its own stat.
    return str(exception).partition(":")[0][:MAX_REASON_CHARS].strip() or type(exception).__name__


def _request_of(response: Response | None) -> Request | None:
    return getattr(response, "request", None)
