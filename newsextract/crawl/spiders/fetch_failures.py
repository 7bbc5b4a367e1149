"""Why a page or file could not be fetched, as a state and a short reason that is the same for every one of its kind."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from scrapy import exceptions
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.crawl.middlewares.private_address_guard import PrivateAddress
from newsextract.crawl.page_end import PageEnd
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Statuses by which a site says that we may not, or not now."""

REDIRECTS = frozenset((301, 302, 303, 307, 308))

_REASONS: dict[type[Exception], str] = {
    exceptions.CannotResolveHostError: "host not found",
    exceptions.DownloadConnectionRefusedError: "connection refused",
    exceptions.DownloadTimeoutError: "timeout",
    exceptions.ResponseDataLossError: "truncated response",
    exceptions.UnsupportedURLSchemeError: "unsupported scheme",
    exceptions.DownloadCancelledError: "too large",
    exceptions.DownloadFailedError: "connection lost",
    EOFError: "broken compression",
    zlib.error: "broken compression",
}

_IGNORED: dict[str, PageEnd] = {
    "robots.txt": PageEnd(PageState.BLOCKED, "redirects to what robots.txt forbids"),
    "max redirections": PageEnd(PageState.ERROR, "too many redirects"),
    "DOWNLOAD_MAXSIZE": PageEnd(PageState.ERROR, "too large"),
}
"""Why Scrapy gave up on a response it already had, by a phrase of the only exception it has for that."""


def end_of_failure(failure: Failure, request: Request) -> PageEnd | None:
    """Return how a page ended whose download failed; `None` when robots.txt kept it from being asked for."""
    error = failure.value
    if isinstance(error, HttpError):
        # Scrapy follows the redirects to other pages itself.
        is_redirect = error.response.status in REDIRECTS and "Location" in error.response.headers
        return PageEnd(PageState.ERROR, "redirects to no page") if is_redirect else end_of_status(error.response.status)
    if isinstance(error, PrivateAddress):
        return PageEnd(PageState.BLOCKED, "private address")
    if isinstance(error, exceptions.IgnoreRequest):
        is_redirected = bool(request.meta.get("redirect_times"))
        if "robots.txt" in str(error) and not is_redirected:
            return None
        found = (end for phrase, end in _IGNORED.items() if phrase in str(error))
        return next(found, PageEnd(PageState.ERROR, "ignored"))
    reason = next((reason for kind, reason in _REASONS.items() if isinstance(error, kind)), type(error).__name__)
    return PageEnd(PageState.ERROR, reason)


def end_of_status(status: int) -> PageEnd:
    """Return how a page ended whose response is no page."""
    return PageEnd(PageState.BLOCKED if status in BLOCKED_STATUSES else PageState.ERROR, f"http {status}")


def end_of_redirect(request: Request) -> PageEnd:
    """Return how a page ended whose redirect leads to an address that was asked for before."""
    if request.url in request.meta["redirect_urls"]:
        return PageEnd(PageState.ERROR, "redirect loop")
    return PageEnd(PageState.DUPLICATE, "redirects to a known page")


def reason_of_failure(failure: Failure, request: Request) -> str:
    """Return why a sitemap, feed or other file of a site could not be fetched, as a reason that makes a stat."""
    end = end_of_failure(failure, request)
    return end.reason if end else "robots.txt forbids it"


def is_absence(failure: Failure) -> bool:
    """Return whether an optional file is missing or may not be read, which is no trouble and is not reported."""
    if isinstance(failure.value, HttpError):
        return 400 <= failure.value.response.status < 500
    return isinstance(failure.value, exceptions.IgnoreRequest) and "robots.txt" in str(failure.value)
