"""How visits end, and the requests that are sent then."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from scrapy import Request
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.spidermiddlewares.httperror import HttpError
from twisted.python.failure import Failure

from newsextract.crawl.outcome import (
    FORBIDDEN,
    Outcome,
    RobotsUnknown,
    of_failure,
    unread,
)
from newsextract.crawl.requests import VISIT, Visit
from newsextract.crawl.scrapy_versions import Cancelled, HostNotFound
from newsextract.crawl.visits import MAX_REASON_CHARS
from newsextract.page.page import Page
from newsextract.reading.notices import PageState
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.ledger import Finding, Role
from tests.crawl.parts import parts

HOME = "https://example.com/"


def failed(error: Exception, **meta: Any) -> tuple[Failure, Request]:
    return Failure(error), Request(HOME, meta=meta)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("error", "state", "reason", "retry"),
    [
        (HttpError(HtmlResponse(HOME, status=500)), "error", "http 500", RetryPolicy.TRANSIENT),
        (HttpError(HtmlResponse(HOME, status=404)), "error", "http 404", RetryPolicy.PERMANENT),
        (HttpError(HtmlResponse(HOME, status=451)), "blocked", "http 451", RetryPolicy.REFUSED),
        (HttpError(HtmlResponse(HOME, status=429)), "blocked", "http 429", RetryPolicy.TRANSIENT),
        (HostNotFound(), "error", "host not found", None),
        (Cancelled(), "error", "too large", RetryPolicy.PERMANENT),
        (RobotsUnknown("a.example", "robots.txt: http 503"), "error", "robots.txt: http 503", None),
        (IgnoreRequest("exceeded DOWNLOAD_MAXSIZE"), "error", "too large", RetryPolicy.PERMANENT),
        (IgnoreRequest("max redirections reached"), "error", "too many redirects", RetryPolicy.PERMANENT),
        (IgnoreRequest("because of a middleware"), "error", "ignored", None),
        (OSError("disk"), "error", "OSError", None),
    ],
)
def test_every_failure_has_a_state_a_short_reason_and_a_patience(
    error: Exception, state: str, reason: str, retry: RetryPolicy | None
) -> None:
    assert of_failure(*failed(error)) == Outcome(PageState(state), reason, retry=retry)


def test_every_page_ends_once_with_few_and_short_reasons() -> None:
    with parts() as own:
        visits = own.visits
        ended: list[tuple[str, PageState, str]] = []
        visits.notes.append(lambda site, _, outcome: ended.append((site, outcome.state, outcome.reason)))
        page = Page("", HOME)
        visit = Visit(Finding(HOME, "example.com", Role.ARTICLE))
        response = HtmlResponse(HOME, request=Request(HOME, meta={VISIT: visit}))
        for error in (*(DropItem(f"no picture: https://example.com/{n}") for n in range(3)), DropItem("x" * 500)):
            asyncio.run(visits.item_dropped(page, response, error))
        asyncio.run(visits.item_dropped({"their": "item"}, response, DropItem("theirs")))
        visits.item_scraped({"made of": "an article"}, response)
        visits.item_error(page, response, failed(KeyError("a"))[0])
        visits.end(Request(HOME), FORBIDDEN)
        visits.end(Request("https://www.other.example/a"), unread("too large"))
        assert ended == [
            *[("example.com", PageState.DROPPED, "no picture")] * 3,
            ("example.com", PageState.DROPPED, "x" * MAX_REASON_CHARS),
            ("example.com", PageState.ARTICLE, ""),
            ("example.com", PageState.ERROR, "pipeline: KeyError"),
            ("other.example", PageState.ERROR, "too large"),
        ]
        stats = own.stats.get_stats()
        states = [count for name, count in stats.items() if name.startswith("newsextract/state/")]
        assert stats["newsextract/pages"] == sum(states) == len(ended)
        assert (stats["newsextract/candidates"], stats["newsextract/candidates/failed"]) == (6, 1)
