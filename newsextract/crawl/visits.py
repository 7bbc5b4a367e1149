"""Ends the visits of pages: each is counted, recorded and released by one call.

Stats: `newsextract/pages` counts the pages that were fetched, `newsextract/state/<state>` and
`newsextract/reason/<state>/<reason>` how they ended; `newsextract/candidates` counts pages that may be articles, so no
listings, and `newsextract/candidates/failed` those that could not be read. Where a feed's text stands in for a page,
the page's state and reason are counted as they are; `newsextract/feed_texts/<state>` counts what became of the text.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrapy import signals

from newsextract.article import Article
from newsextract.crawl.feeds_export import FAILED_LINES
from newsextract.crawl.outcome import FAILED_STATES, UNWRITTEN, Outcome, PageDropped, ShowsNoArticle, Stopped
from newsextract.crawl.requests import Visit, find_visit
from newsextract.page.page import Page
from newsextract.page.urls import site_of
from newsextract.reading.notices import NoticeCode, PageState, noticed
from newsextract.storage.ledger import RENDERED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.crawl.fallbacks import Fallbacks

MAX_REASON_CHARS = 60
"""Characters kept of the message with which a user's pipeline drops an item."""

_ORIGINS = ((NoticeCode.FROM_BROWSER, RENDERED), (NoticeCode.FROM_VERSION, "from a linked version"))
"""The reasons of articles that are not from the page as it was fetched."""


class PageVisitor(Protocol):
    """The spider, as visits need it."""

    async def page_dropped(self, page: Page, request: Request, outcome: Outcome) -> Outcome | None:
        """Return how a page ends that shows no article; `None` if it is asked for again."""

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Record the end of a visit, and go on."""


Note: TypeAlias = Callable[[str, "Request | None", Outcome], Any]
"""Is called with the site, the request and the outcome of a page that has ended."""


class Visits:
    """Ends the visits of pages: those that never become an item by a call, the others when their item has ended."""

    def __init__(self, crawler: Crawler, fallbacks: Fallbacks) -> None:
        self.stats: Any = crawler.stats
        self.fallbacks = fallbacks
        self.notes: list[Note] = []
        """What else wants to know: progress, health, subscriptions."""
        self.failed_lines = 0
        """How many lines could not be written when the last item had been exported."""
        self.visitor: PageVisitor | None = None
        """The `news` spider; `None` in other people's."""
        for handler, signal in (
            (self.item_scraped, signals.item_scraped),
            (self.item_dropped, signals.item_dropped),
            (self.item_error, signals.item_error),
            (self.spider_error, signals.spider_error),
        ):
            crawler.signals.connect(handler, signal=signal)

    def end(self, request: Request | None, outcome: Outcome, url: str | None = None) -> None:
        """End the visit of a page with its outcome."""
        visit = find_visit(request)
        if request is not None:
            outcome = self.fallbacks.release(request.url, visit.url if visit else None, outcome)
        if outcome.is_counted:
            count = self.stats.inc_value
            count("newsextract/pages")
            count(f"newsextract/state/{outcome.state}")
            if outcome.reason:
                count(f"newsextract/reason/{outcome.state}/{outcome.reason}")
            if visit and visit.is_for_article and outcome.state is not PageState.LISTING:
                count("newsextract/candidates")
                if outcome.state in FAILED_STATES:
                    count("newsextract/candidates/failed")
            site = visit.site if visit else site_of(url or (request.url if request else ""))
            for note in self.notes:
                note(site, request, outcome)
        if visit is not None and self.visitor is not None:
            self.visitor.visit_ended(visit, outcome)

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """An article went through all pipelines."""
        request = getattr(response, "request", None)
        # Scrapy's feeds listen before these visits do.
        before, self.failed_lines = self.failed_lines, self.stats.get_value(FAILED_LINES, 0)
        if isinstance(item, Article) and self.failed_lines > before:
            self.end(request, UNWRITTEN, item.url)
        elif isinstance(item, Article):
            warnings = item.extraction.noticed if item.extraction else ()
            reason = next((reason for code, reason in _ORIGINS if any(noticed(code, warnings))), "")
            self.end(request, Outcome(PageState.ARTICLE, reason, article=item), item.url)
        elif request is not None and _is_page(request):
            # A pipeline of the user's has replaced the article by another item.
            self.end(request, Outcome(PageState.ARTICLE))

    async def item_dropped(self, item: Any, response: Response | None, exception: Exception) -> None:
        """A pipeline refused a page or an article."""
        if not isinstance(item, Page | Article):
            return
        request = getattr(response, "request", None)
        outcome: Outcome | None = Outcome(PageState.DROPPED, _reason(exception))
        if isinstance(exception, PageDropped):
            outcome = exception.outcome
        if isinstance(exception, ShowsNoArticle) and isinstance(item, Page) and self.visitor and find_visit(request):
            outcome = None  # where the crawl was stopped meanwhile
            with suppress(Stopped):
                outcome = await self.visitor.page_dropped(item, request, exception.outcome)  # type: ignore[arg-type]
        if outcome is not None:
            self.end(request, outcome, item.url)

    def item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        """A pipeline failed on a page or an article."""
        if isinstance(item, Page | Article):
            outcome = Outcome(PageState.ERROR, f"pipeline: {type(failure.value).__name__}")
            self.end(getattr(response, "request", None), outcome, item.url)

    def spider_error(self, failure: Failure, response: Any) -> None:
        """The spider failed on a page before it became an item."""
        request = getattr(response, "request", None)
        if request is not None and _is_page(request):
            self.end(request, Outcome(PageState.ERROR, f"spider: {type(failure.value).__name__}"))


def _is_page(request: Request) -> bool:
    visit = find_visit(request)
    return visit is not None and visit.is_page


def _reason(exception: Exception) -> str:
    # The text after a colon is about one item; with it, each item would get its own stat.
    return str(exception).partition(":")[0][:MAX_REASON_CHARS].strip() or type(exception).__name__
