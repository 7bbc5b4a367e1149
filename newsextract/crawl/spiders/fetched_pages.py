"""Makes pages from responses: counts every fetched page, and ends those that do not become an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from scrapy.http import HtmlResponse

from newsextract.crawl.extensions.page_states import page_arrived, page_failed
from newsextract.crawl.futures import answer_of
from newsextract.crawl.page_end import PageEnd, unanswered, unread
from newsextract.crawl.page_responses import page_of
from newsextract.crawl.visit import NOT_MODIFIED, note_received, request_of
from newsextract.page.page import Page, PageError
from newsextract.processes.pool import Unanswered
from newsextract.reading.notices import PageState

if TYPE_CHECKING:
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.signalmanager import SignalManager

    from newsextract.crawl.extensions.waiting_texts import WaitingTexts
    from newsextract.crawl.spiders.host_files import Reservations
    from newsextract.sites.frontier import Frontier

_T = TypeVar("_T")


@dataclass(frozen=True)
class FetchedPages:
    """Makes pages from responses, and signals the end of responses that are not pages."""

    signals: SignalManager
    reservations: Reservations
    max_page_bytes: int
    texts: WaitingTexts | None = None

    def page(self, response: Response, frontier: Frontier) -> Page | None:
        """Return the page of a response with its known hints; `None` if it is not a page, which ends it."""
        self.signals.send_catch_log(page_arrived)
        request, visit = request_of(response), note_received(response)
        if self.texts is not None:
            self.texts.move(visit.url, response.url)
        if visit.is_unchanged:
            reason = "not modified" if response.status == NOT_MODIFIED else "same bytes"
            self.end(request, PageEnd(PageState.UNCHANGED, reason))
            return None
        reason = "not HTML"
        if isinstance(response, HtmlResponse):
            told = frontier.hints_of(visit.url) or visit.finding.hints
            try:
                reserved = self.reservations.values(response.url)
                return page_of(response, self.max_page_bytes, told=told, tdm_reservation=reserved)
            except PageError as error:
                reason = error.reason
        self.end(request, unread(reason))
        return None

    async def answer(self, request: Request, asked: Future[_T]) -> _T | None:
        """Return a worker's answer about a page; `None` if there is none, and then the page's end is signalled."""
        try:
            return await answer_of(asked)
        except Unanswered as error:
            self.end(request, unanswered(error))
            return None

    def count_and_end(self, request: Request, end: PageEnd) -> None:
        """Count a page that cannot be read, and end it."""
        self.signals.send_catch_log(page_arrived)
        self.end(request, end)

    def count(self) -> None:
        """Count a page that was fetched, well or badly."""
        self.signals.send_catch_log(page_arrived)

    def end(self, request: Request, end: PageEnd) -> None:
        """End a page that was counted and does not become an item."""
        self.signals.send_catch_log(page_failed, request=request, end=end)
