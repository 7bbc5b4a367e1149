"""How visits end: one state and one reason for each page, counted, recorded and released by one call.

Stats: `newsextract/pages` counts the pages that were fetched, `newsextract/state/<state>` and
`newsextract/reason/<state>/<reason>` how they ended; `newsextract/candidates` counts pages that may be articles, so no
listings, and `newsextract/candidates/failed` those that could not be read. Where a feed's text stands in for a page,
the page's state and reason are counted as they are; `newsextract/feed_texts/<state>` counts what became of the text.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from scrapy import exceptions, signals
from scrapy.exceptions import DropItem
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.article import Article
from newsextract.crawl.network_safety import PrivateAddress
from newsextract.crawl.rendering.rendered_page import RenderFailed
from newsextract.crawl.requests import Visit, find_visit
from newsextract.crawl.throttle import RobotsUnknown
from newsextract.page.page import Page
from newsextract.page.urls import site_of
from newsextract.processes.pool import TooSlow
from newsextract.reading.notices import NoticeCode, PageState, noticed
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.ledger.ledger import RENDERED

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.crawl.fallbacks import Fallbacks
    from newsextract.processes.pool import Unanswered

FAILED_STATES = (PageState.ERROR, PageState.BLOCKED)
"""How a page ends that could not be read."""

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Statuses that deny access, for good or for now."""

REDIRECTS = frozenset((301, 302, 303, 307, 308))

UNREACHABLE: dict[type[Exception], str] = {
    exceptions.CannotResolveHostError: "host not found",
    exceptions.DownloadConnectionRefusedError: "connection refused",
    exceptions.DownloadTimeoutError: "timeout",
    exceptions.ResponseDataLossError: "truncated response",
    exceptions.DownloadFailedError: "connection lost",
}
"""Failures of the server or the network, with why the host could not be reached."""

MAX_REASON_CHARS = 60
"""Characters kept of the message with which a user's pipeline drops an item."""

_ORIGINS = ((NoticeCode.FROM_BROWSER, RENDERED), (NoticeCode.FROM_VERSION, "from a linked version"))
"""The reasons of articles that are not from the page as it was fetched."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the visit of one page ended."""

    state: PageState
    reason: str = ""
    """A short phrase, the same for all pages of a kind; empty if the state is enough."""
    article: Article | None = None
    """Set only in the state `article`, unless a user's pipeline has replaced the article."""
    fallback: Article | None = None
    """The article of the feed's text, where the page itself could not be read; see `Fallbacks`."""
    is_stored: bool = False
    """Whether the database already had the article, unchanged."""
    is_exported: bool = False
    """Whether the feeds had it as well: an interrupted run had nearly finished this visit."""
    retry: RetryPolicy | None = None
    """How long to wait for the next visit; `None` if the state decides."""

    @property
    def is_article(self) -> bool:
        """Whether it led to an article, of the page or of its feed."""
        return self.state is PageState.ARTICLE or self.fallback is not None

    @property
    def was_fetched(self) -> bool:
        """Whether the page was requested; what robots.txt forbids is recorded and not counted."""
        return (self.state, self.reason) != (FORBIDDEN.state, FORBIDDEN.reason)


SAME_UNDER_HEADLINES = Outcome(PageState.BLOCKED, "same text under other headlines")
"""The end of a page with the same text as other pages of its site: a paywall, or a request to register."""

FORBIDDEN = Outcome(PageState.BLOCKED, "robots.txt")
"""The end of a page that robots.txt forbids."""

PRIVATE = Outcome(PageState.BLOCKED, "private address")
"""The end of a page to which we sent no request, as its host is not public."""


def unread(reason: str) -> Outcome:
    """Return the end of a response that is not a readable page; retrying soon would give the same."""
    return Outcome(PageState.ERROR, reason, retry=RetryPolicy.PERMANENT)


def unanswered(error: Unanswered) -> Outcome:
    """Return the end of a page for which no worker gave an answer."""
    retry = RetryPolicy.PERMANENT if isinstance(error, TooSlow) else RetryPolicy.TRANSIENT
    return Outcome(PageState.ERROR, error.reason, retry=retry)


class PageDropped(DropItem):
    """Drops a page or article with its outcome; logged at level DEBUG, since most pages are not articles."""

    def __init__(self, outcome: Outcome, url: str | None, *, log_level: str = "DEBUG") -> None:
        super().__init__(f"{outcome.state}: {outcome.reason}: {url}", log_level=log_level)
        self.outcome = outcome


class ShowsNoArticle(PageDropped):
    """Drops a page that was read and shows no article; another reading of it may show one."""


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
        if outcome.was_fetched:
            self._count(visit, outcome)
            site = visit.site if visit else site_of(url or (request.url if request else ""))
            for note in self.notes:
                note(site, request, outcome)
        if visit is not None and self.visitor is not None:
            self.visitor.visit_ended(visit, outcome)

    def item_scraped(self, item: Any, response: Response | None) -> None:
        """An article went through all pipelines."""
        request = _request_of(response)
        if isinstance(item, Article):
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
        request = _request_of(response)
        outcome: Outcome | None = Outcome(PageState.DROPPED, _reason(exception))
        if isinstance(exception, PageDropped):
            outcome = exception.outcome
        if isinstance(exception, ShowsNoArticle) and isinstance(item, Page) and self.visitor and find_visit(request):
            outcome = await self.visitor.page_dropped(item, request, exception.outcome)  # type: ignore[arg-type]
        if outcome is not None:
            self.end(request, outcome, item.url)

    def item_error(self, item: Any, response: Response | None, failure: Failure) -> None:
        """A pipeline failed on a page or an article."""
        if isinstance(item, Page | Article):
            outcome = Outcome(PageState.ERROR, f"pipeline: {type(failure.value).__name__}")
            self.end(_request_of(response), outcome, item.url)

    def spider_error(self, failure: Failure, response: Any) -> None:
        """The spider failed on a page before it became an item."""
        request = _request_of(response)
        if request is not None and _is_page(request):
            self.end(request, Outcome(PageState.ERROR, f"spider: {type(failure.value).__name__}"))

    def _count(self, visit: Visit | None, outcome: Outcome) -> None:
        count = self.stats.inc_value
        count("newsextract/pages")
        count(f"newsextract/state/{outcome.state}")
        if outcome.reason:
            count(f"newsextract/reason/{outcome.state}/{outcome.reason}")
        if visit and visit.is_for_article and outcome.state is not PageState.LISTING:
            count("newsextract/candidates")
            if outcome.state in FAILED_STATES:
                count("newsextract/candidates/failed")


_ENDS: dict[type[Exception], Outcome] = {
    **{kind: Outcome(PageState.ERROR, reason) for kind, reason in UNREACHABLE.items()},
    exceptions.UnsupportedURLSchemeError: unread("unsupported scheme"),
    exceptions.DownloadCancelledError: unread("too large"),
    EOFError: Outcome(PageState.ERROR, "broken compression"),
    zlib.error: Outcome(PageState.ERROR, "broken compression"),
}

_IGNORED: dict[str, Outcome] = {
    "robots.txt": Outcome(PageState.BLOCKED, "redirects to what robots.txt forbids"),
    "max redirections": unread("too many redirects"),
    "DOWNLOAD_MAXSIZE": unread("too large"),
}
"""Why Scrapy rejected a response, by a phrase in the message of its only exception for that."""


def of_failure(failure: Failure, request: Request) -> Outcome:
    """Return the outcome of a page whose download failed; `FORBIDDEN` if the robots.txt middleware refused it."""
    error = failure.value
    if isinstance(error, HttpError):
        # Scrapy follows the redirects to other pages itself.
        is_redirect = error.response.status in REDIRECTS and "Location" in error.response.headers
        return Outcome(PageState.ERROR, "redirects to no page") if is_redirect else of_status(error.response.status)
    if isinstance(error, RobotsUnknown | RenderFailed):
        return Outcome(PageState.ERROR, error.reason)
    if isinstance(error, PrivateAddress):
        return PRIVATE
    if isinstance(error, exceptions.IgnoreRequest):
        if "robots.txt" in str(error) and not request.meta.get("redirect_times"):
            return FORBIDDEN
        found = (outcome for phrase, outcome in _IGNORED.items() if phrase in str(error))
        return next(found, Outcome(PageState.ERROR, "ignored"))
    found = (outcome for kind, outcome in _ENDS.items() if isinstance(error, kind))
    return next(found, Outcome(PageState.ERROR, type(error).__name__))


def of_status(status: int) -> Outcome:
    """Return the outcome of a page whose response has this HTTP status."""
    state = PageState.BLOCKED if status in BLOCKED_STATUSES else PageState.ERROR
    return Outcome(state, f"http {status}", retry=RetryPolicy.of_status(status))


def of_redirect(request: Request) -> Outcome:
    """Return the outcome of a page that redirects to a URL which was requested before."""
    if request.url in request.meta["redirect_urls"]:
        return unread("redirect loop")
    return Outcome(PageState.DUPLICATE, "redirects to a known page")


def reason_of_failure(failure: Failure, request: Request) -> str:
    """Return why a sitemap, feed or other file of a site could not be fetched, as a reason for the stats."""
    outcome = of_failure(failure, request)
    return outcome.reason if outcome != FORBIDDEN else "robots.txt forbids it"


def message_of(failure: Failure) -> str:
    """Return what happened, for the log; Scrapy's own message about a status does not say which."""
    error = failure.value
    return f"http {error.response.status}" if isinstance(error, HttpError) else failure.getErrorMessage()


def is_absence(failure: Failure) -> bool:
    """Return whether an optional file is missing or forbidden, which is normal and is not reported."""
    if isinstance(failure.value, HttpError):
        return 400 <= failure.value.response.status < 500
    return isinstance(failure.value, exceptions.IgnoreRequest) and "robots.txt" in str(failure.value)


def _is_page(request: Request) -> bool:
    visit = find_visit(request)
    return visit is not None and visit.is_page


def _reason(exception: Exception) -> str:
    # The text after a colon is about one item; with it, each item would get its own stat.
    return str(exception).partition(":")[0][:MAX_REASON_CHARS].strip() or type(exception).__name__


def _request_of(response: Any) -> Request | None:
    return getattr(response, "request", None)
