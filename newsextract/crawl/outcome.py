"""How the visit of a page ends, with one state and one reason, and why a request gets no response."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import exceptions
from scrapy.exceptions import DropItem
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.crawl.network_safety import PrivateAddress
from newsextract.crawl.scrapy_versions import REFUSED, UNREACHABLE, Cancelled, UnsupportedScheme
from newsextract.processes.pool import TooSlow
from newsextract.reading.notices import PageState
from newsextract.sites.fetching import NOT_FOUND, PROXY
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.terminal import printable

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

    from newsextract.article import Article
    from newsextract.processes.pool import Unanswered

FAILED_STATES = (PageState.ERROR, PageState.BLOCKED)
"""How a page ends that could not be read."""

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Statuses that deny access, for good or for now."""

REDIRECTS = frozenset((301, 302, 303, 307, 308))


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
    def is_counted(self) -> bool:
        """Whether it is counted: not what robots.txt forbids, nor what failed on our side."""
        return (self.state, self.reason) not in ((one.state, one.reason) for one in (FORBIDDEN, UNWRITTEN))


SAME_UNDER_HEADLINES = Outcome(PageState.BLOCKED, "same text under other headlines")
"""The end of a page with the same text as other pages of its site: a paywall, or a request to register."""

FORBIDDEN = Outcome(PageState.BLOCKED, "robots.txt")
"""The end of a page that robots.txt forbids."""

PRIVATE = Outcome(PageState.BLOCKED, "private address")
"""The end of a page to which we sent no request, as its host is not public."""


UNWRITTEN = Outcome(PageState.ERROR, "not written")
"""The end of a page whose article could not be stored or exported, as on a full disk: it stays due, uncounted.

So does one that was fetched and not read when the crawl was stopped.
"""


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
    """Drops a page that shows no article, or could not be read; another reading of it may show one."""


# Why a request gets no response.


class LeftToNextRun(exceptions.IgnoreRequest):
    """The request is not sent in this run because of its host; its URL stays due, and no failure is counted."""


class NotSent(LeftToNextRun):
    """This machine could not send the request, which says nothing about the host."""


class HostIsSilent(LeftToNextRun):
    """The host does not answer."""


class HostIsBusy(LeftToNextRun):
    """The host has asked for longer pauses than one run allows."""


class HostRests(exceptions.IgnoreRequest):
    """The request is sent when the host has rested as long as it has asked to; its visit goes on."""


class Stopped(HostRests):
    """The crawl was stopped; the visit goes on in the next run."""


STOPPED = "shutdown"
"""Scrapy's closing reason for a spider that Ctrl-C or SIGTERM has stopped."""

STOPPED_SECONDS = 1.0
"""Seconds that a stopped crawl has to judge its sites, and for its last messages; the next run does what is left."""


class RobotsUnknown(LeftToNextRun):
    """The robots.txt of the host could not be fetched; RFC 9309 forbids everything until it can."""

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"the rules of {host} are not known: {reason}")
        self.reason = reason


class RenderFailed(Exception):  # noqa: N818 - an end of a page, as `NoArticle` is
    """The browser shows no page; `reason` is a short phrase, the same for all pages of a kind."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {printable(detail)}" if detail else reason)  # a page may have written the detail
        self.reason = reason


class NotAPage(RenderFailed):
    """The URL leads to a file, which needs no browser."""


class OverBudget(RenderFailed):
    """The site has had its share of the browser in this run."""


def why_unreached(error: BaseException | None, request: Request) -> str:
    """Return why a host or the proxy to it could not be reached; an empty string if the error is of another kind."""
    reason = next((reason for kind, reason in UNREACHABLE.items() if isinstance(error, kind)), "")
    proxy = urlsplit(request.meta.get("proxy") or "").netloc.rpartition("@")[2]
    if proxy and reason in (NOT_FOUND, REFUSED):
        return f"{PROXY} {proxy}, see {urlsplit(request.url).scheme}_proxy"
    return reason


_ENDS: dict[type[Exception], Outcome] = {
    UnsupportedScheme: unread("unsupported scheme"),
    Cancelled: unread("too large"),
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
    return next(found, Outcome(PageState.ERROR, why_unreached(error, request) or type(error).__name__))


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
    is_forbidden = isinstance(failure.value, exceptions.IgnoreRequest) and "robots.txt" in str(failure.value)
    return is_forbidden or isinstance(failure.value, HostRests)
