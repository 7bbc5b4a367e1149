"""What arrives: answers as pages, and the word to the bookkeepers on those that are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from scrapy.http import HtmlResponse

from newsextract.crawl.extensions.page_states import page_arrived, page_failed
from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_responses import HINTS, page_of
from newsextract.crawl.spiders.conditional_requests import NOT_MODIFIED, has_changed, note_answer
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.page import Page, PageError
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.signalmanager import SignalManager

    from newsextract.crawl.spiders.tdm_reservations import Reservations
    from newsextract.sites.frontier.frontier import Frontier

_T = TypeVar("_T")


@dataclass(frozen=True)
class Arrivals:
    """Makes the pages of answers; every page that arrives is counted, and ends here unless it becomes an item."""

    signals: SignalManager
    reservations: Reservations
    max_page_bytes: int

    def page(self, response: Response, frontier: Frontier) -> Page | None:
        """Return the page of an answer with what is known of it; one that is no page has then ended."""
        self.signals.send_catch_log(page_arrived)
        request = request_of(response)
        note_answer(response)
        if not has_changed(response):
            reason = "not modified" if response.status == NOT_MODIFIED else "same bytes"
            self.fail(request, PageState.UNCHANGED, reason)
            return None
        if hints := frontier.hints_of(request.meta.get("redirect_urls", [request.url])[0]):
            request.meta[HINTS] = hints
        reason = "not HTML"
        if isinstance(response, HtmlResponse):
            try:
                reserved = self.reservations.values(response.url)
                return page_of(response, self.max_page_bytes, tdm_reservation=reserved)
            except PageError as error:
                reason = error.reason
        self.fail(request, PageState.ERROR, reason)
        return None

    async def answer(self, request: Request, asked: Future[_T]) -> _T | None:
        """Return what a worker answers of a page; one of which it answers nothing has then ended."""
        try:
            return await answer_of(asked)
        except Unanswered as error:
            self.fail(request, PageState.ERROR, error.reason)
            return None

    def end(self, request: Request, state: PageState, reason: str) -> None:
        """Count a page of which there is nothing to read."""
        self.signals.send_catch_log(page_arrived)
        self.fail(request, state, reason)

    def fail(self, request: Request, state: PageState, reason: str) -> None:
        """End a page that was counted and becomes no item."""
        self.signals.send_catch_log(page_failed, request=request, state=state, reason=reason)


def request_of(response: Response) -> Request:
    """Return the request that led to the answer."""
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    return response.request
