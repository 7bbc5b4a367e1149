"""Why a page could not be fetched, as a state and a short reason that is the same for every page of its kind."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, TypeAlias

from scrapy import exceptions
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.crawl.middlewares.private_address_guard import PrivateAddress
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from scrapy import Request
    from twisted.python.failure import Failure

Outcome: TypeAlias = tuple[PageState, str]

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Answers by which a site says that we may not, or not now."""

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

_IGNORED: dict[str, Outcome] = {
    "robots.txt": (PageState.BLOCKED, "redirects to what robots.txt forbids"),
    "max redirections": (PageState.ERROR, "too many redirects"),
    "DOWNLOAD_MAXSIZE": (PageState.ERROR, "too large"),
}
"""Why Scrapy gave up on an answer it already had, by a phrase of the only exception it has for that."""


def outcome_of(failure: Failure, request: Request) -> Outcome | None:
    """Return how a page ended whose download failed; nothing when it was never asked for."""
    error = failure.value
    if isinstance(error, HttpError):
        # Scrapy follows the redirects to other pages itself.
        is_redirect = error.response.status in REDIRECTS and "Location" in error.response.headers
        return (PageState.ERROR, "redirects to no page") if is_redirect else outcome_of_status(error.response.status)
    if isinstance(error, PrivateAddress):
        return PageState.BLOCKED, "private address"
    if isinstance(error, exceptions.IgnoreRequest):
        is_redirected = bool(request.meta.get("redirect_times"))
        if "robots.txt" in str(error) and not is_redirected:
            return None
        return next((end for phrase, end in _IGNORED.items() if phrase in str(error)), (PageState.ERROR, "ignored"))
    reason = next((reason for kind, reason in _REASONS.items() if isinstance(error, kind)), type(error).__name__)
    return PageState.ERROR, reason


def outcome_of_status(status: int) -> Outcome:
    """Return how a page ended whose answer is no page."""
    return PageState.BLOCKED if status in BLOCKED_STATUSES else PageState.ERROR, f"http {status}"


def is_absence(failure: Failure) -> bool:
    """Return whether a file that need not be there is not, or may not be read: no trouble, and nothing to tell."""
    if isinstance(failure.value, HttpError):
        return 400 <= failure.value.response.status < 500
    return isinstance(failure.value, exceptions.IgnoreRequest) and "robots.txt" in str(failure.value)


def outcome_of_redirect(request: Request) -> Outcome:
    """Return how a page ended whose redirect leads to an address that was asked for before."""
    if request.url in request.meta["redirect_urls"]:
        return PageState.ERROR, "redirect loop"
    return PageState.DUPLICATE, "redirects to a known page"
