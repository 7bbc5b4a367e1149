"""Why a page or file could not be fetched: a state, and a short reason that is the same for all of a kind."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from scrapy import exceptions
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.crawl.middlewares.left_hosts import RobotsUnknown
from newsextract.crawl.middlewares.private_address_guard import PrivateAddress
from newsextract.crawl.page_end import PRIVATE, PageEnd, unread
from newsextract.crawl.rendering.rendered_page import RenderFailed
from newsextract.crawl.unreachable_hosts import UNREACHABLE
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import Patience

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Statuses that deny access, for good or for now."""

REDIRECTS = frozenset((301, 302, 303, 307, 308))

_ENDS: dict[type[Exception], PageEnd] = {
    **{kind: PageEnd(PageState.ERROR, reason) for kind, reason in UNREACHABLE.items()},
    exceptions.UnsupportedURLSchemeError: unread("unsupported scheme"),
    exceptions.DownloadCancelledError: unread("too large"),
    EOFError: PageEnd(PageState.ERROR, "broken compression"),
    zlib.error: PageEnd(PageState.ERROR, "broken compression"),
}

_IGNORED: dict[str, PageEnd] = {
    "robots.txt": PageEnd(PageState.BLOCKED, "redirects to what robots.txt forbids"),
    "max redirections": unread("too many redirects"),
    "DOWNLOAD_MAXSIZE": unread("too large"),
}
"""Why Scrapy rejected a response, by a phrase in the message of its only exception for that."""


def end_of_failure(failure: Failure, request: Request) -> PageEnd | None:
    """Return the end of a page whose download failed; `None` if the robots.txt middleware refused the request."""
    error = failure.value
    if isinstance(error, HttpError):
        # Scrapy follows the redirects to other pages itself.
        is_redirect = error.response.status in REDIRECTS and "Location" in error.response.headers
        return PageEnd(PageState.ERROR, "redirects to no page") if is_redirect else end_of_status(error.response.status)
    if isinstance(error, RobotsUnknown | RenderFailed):
        return PageEnd(PageState.ERROR, error.reason)
    if isinstance(error, PrivateAddress):
        return PRIVATE
    if isinstance(error, exceptions.IgnoreRequest):
        is_redirected = bool(request.meta.get("redirect_times"))
        if "robots.txt" in str(error) and not is_redirected:
            return None
        found = (end for phrase, end in _IGNORED.items() if phrase in str(error))
        return next(found, PageEnd(PageState.ERROR, "ignored"))
    found = (end for kind, end in _ENDS.items() if isinstance(error, kind))
    return next(found, PageEnd(PageState.ERROR, type(error).__name__))


def end_of_status(status: int) -> PageEnd:
    """Return the end of a page whose response has this HTTP status."""
    state = PageState.BLOCKED if status in BLOCKED_STATUSES else PageState.ERROR
    return PageEnd(state, f"http {status}", patience=Patience.of_status(status))


def end_of_redirect(request: Request) -> PageEnd:
    """Return the end of a page that redirects to a URL which was requested before."""
    if request.url in request.meta["redirect_urls"]:
        return unread("redirect loop")
    return PageEnd(PageState.DUPLICATE, "redirects to a known page")


def reason_of_failure(failure: Failure, request: Request) -> str:
    """Return why a sitemap, feed or other file of a site could not be fetched, as a reason for the stats."""
    end = end_of_failure(failure, request)
    return end.reason if end else "robots.txt forbids it"


def message_of(failure: Failure) -> str:
    """Return what happened, for the log; Scrapy's own message about a status does not say which."""
    error = failure.value
    return f"http {error.response.status}" if isinstance(error, HttpError) else failure.getErrorMessage()


def is_absence(failure: Failure) -> bool:
    """Return whether an optional file is missing or forbidden, which is normal and is not reported."""
    if isinstance(failure.value, HttpError):
        return 400 <= failure.value.response.status < 500
    return isinstance(failure.value, exceptions.IgnoreRequest) and "robots.txt" in str(failure.value)
