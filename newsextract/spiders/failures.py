"""Why a page could not be fetched, as a state and a short reason that is the same for every page of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import exceptions
from scrapy.spidermiddlewares.httperror import HttpError

from newsextract.outcome import PageState

if TYPE_CHECKING:
    from twisted.python.failure import Failure

BLOCKED_STATUSES = frozenset((401, 402, 403, 407, 429, 451))
"""Answers by which a site says that we may not, or not now."""

_REASONS: dict[type[Exception], str] = {
    exceptions.CannotResolveHostError: "host not found",
    exceptions.DownloadConnectionRefusedError: "connection refused",
    exceptions.DownloadTimeoutError: "timeout",
    exceptions.ResponseDataLossError: "truncated response",
    exceptions.UnsupportedURLSchemeError: "unsupported scheme",
    exceptions.DownloadCancelledError: "too large",
    exceptions.DownloadFailedError: "connection lost",
}


def outcome_of(failure: Failure) -> tuple[PageState, str] | None:
    """Return how a page ended whose download failed; nothing when it was never asked for."""
    error = failure.value
    if isinstance(error, HttpError):
        status = error.response.status
        state = PageState.BLOCKED if status in BLOCKED_STATUSES else PageState.ERROR
        return state, f"http {status}"
    if isinstance(error, exceptions.IgnoreRequest):
        # By robots.txt, or because a redirect leads off the site: there is no page.
        return None
    reason = next((reason for kind, reason in _REASONS.items() if isinstance(error, kind)), type(error).__name__)
    return PageState.ERROR, reason
