"""The parts of the Scrapy side, one by one."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request, exceptions
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.test import get_crawler
from twisted.python.failure import Failure

from newsextract import read_article
from newsextract.crawl.extensions.crawl_delay import CrawlDelay
from newsextract.crawl.extensions.page_states import MAX_REASON_CHARS, PageStates, page_ended
from newsextract.crawl.middlewares.left_hosts import RobotsUnknown
from newsextract.crawl.page_end import PageDropped, PageEnd, unread
from newsextract.crawl.pipelines.article_extraction import ExtractionPipeline
from newsextract.crawl.pipelines.duplicates import DuplicatesPipeline
from newsextract.crawl.pipelines.reading_settings import readers_from_settings
from newsextract.crawl.spiders.fetch_failures import end_of_failure, end_of_redirect
from newsextract.crawl.spiders.request_making import RequestSender
from newsextract.crawl.visit import VISIT, Visit
from newsextract.page.page import Page
from newsextract.reading.notices import PageState
from newsextract.sites.site import ExtractorChoice, Site
from newsextract.sites.visit_schedule import Patience
from newsextract.storage.ledger.ledger import Finding, Role
from tests.scrapy_runs import story

if TYPE_CHECKING:
    from newsextract.article import Article

HOME = "https://example.com/"


def failed(error: Exception, **meta: Any) -> tuple[Failure, Request]:
    return Failure(error), Request(HOME, meta=meta)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("error", "state", "reason", "patience"),
    [
        (HttpError(HtmlResponse(HOME, status=500)), "error", "http 500", Patience.TRANSIENT),
        (HttpError(HtmlResponse(HOME, status=404)), "error", "http 404", Patience.LASTING),
        (HttpError(HtmlResponse(HOME, status=451)), "blocked", "http 451", Patience.REFUSED),
        (HttpError(HtmlResponse(HOME, status=429)), "blocked", "http 429", Patience.TRANSIENT),
        (exceptions.DownloadTimeoutError(), "error", "timeout", None),
        (exceptions.CannotResolveHostError(), "error", "host not found", None),
        (exceptions.DownloadCancelledError(), "error", "too large", Patience.LASTING),
        (RobotsUnknown("a.example", "robots.txt: http 503"), "error", "robots.txt: http 503", None),
        (IgnoreRequest("exceeded DOWNLOAD_MAXSIZE"), "error", "too large", Patience.LASTING),
        (IgnoreRequest("max redirections reached"), "error", "too many redirects", Patience.LASTING),
        (IgnoreRequest("because of a middleware"), "error", "ignored", None),
        (OSError("disk"), "error", "OSError", None),
    ],
)
def test_every_failure_has_a_state_a_short_reason_and_a_patience(
    error: Exception, state: str, reason: str, patience: Patience | None
) -> None:
    assert end_of_failure(*failed(error)) == PageEnd(PageState(state), reason, patience=patience)


def test_what_robots_txt_forbids_was_never_asked_for() -> None:
    assert end_of_failure(*failed(IgnoreRequest("Forbidden by robots.txt"))) is None
    after = end_of_failure(*failed(IgnoreRequest("Forbidden by robots.txt"), redirect_times=1))
    assert after == PageEnd(PageState.BLOCKED, "redirects to what robots.txt forbids")


def test_a_redirect_that_returns_is_a_loop() -> None:
    there, back = "https://example.com/a", "https://example.com/b"
    loop = end_of_redirect(Request(there, meta={"redirect_urls": [there, back]}))
    assert loop == unread("redirect loop")
    assert end_of_redirect(Request(there, meta={"redirect_urls": [back]})).state is PageState.DUPLICATE


def test_requests_are_sent_in_a_row_with_what_sending_brings_about() -> None:
    sent: list[str] = []
    engine = SimpleNamespace()
    crawler: Any = SimpleNamespace(engine=engine)
    sender = RequestSender(crawler)

    def crawl(request: Request) -> None:
        sent.append(request.url)
        if len(sent) < 5000:
            sender.send([Request(f"{HOME}{len(sent)}")])

    engine.crawl = crawl
    sender.send([Request(HOME)])
    assert len(sent) == 5000


class Robots:
    def __init__(self, delay: float | None) -> None:
        self.delay = delay

    def crawl_delay(self, _agent: str) -> float | None:
        return self.delay


@pytest.mark.parametrize(
    ("asked", "applied"),
    [(None, 0.5), (0.0, 0.5), (0.2, 0.5), (3.0, 3.0), (float("inf"), 0.5), (float("nan"), 0.5)],
)
def test_crawl_delay_slows_the_slot_of_its_host_only(asked: float | None, applied: float) -> None:
    slots = {"example.com": SimpleNamespace(delay=0.5, jitter=0.5), "b.example": SimpleNamespace(delay=0.5, jitter=0.5)}
    downloader = SimpleNamespace(
        slots=slots, per_slot_settings={}, get_slot_key=lambda request: request.meta["download_slot"]
    )
    counts: list[str] = []
    crawler: Any = SimpleNamespace(
        settings=Settings({"DOWNLOAD_DELAY": 0.5, "USER_AGENT": "newsextract"}),
        engine=SimpleNamespace(downloader=downloader),
        stats=SimpleNamespace(inc_value=counts.append),
    )
    robots: Any = Robots(asked)
    CrawlDelay(crawler).robots_parsed(robots, Request(HOME, meta={"download_slot": "example.com"}))
    assert slots["example.com"].delay == applied
    assert slots["b.example"].delay == 0.5
    assert counts == ["newsextract/crawl_delays"] * (applied == asked)
    assert downloader.per_slot_settings.get("example.com", {}).get("delay", 0.5) == applied


def test_page_states_keeps_the_reasons_few_and_short() -> None:
    crawler = get_crawler()
    states = PageStates.from_crawler(crawler)
    ended: list[tuple[PageState, str]] = []

    def note(end: PageEnd) -> None:
        ended.append((end.state, end.reason))

    crawler.signals.connect(note, signal=page_ended)
    page = Page("", HOME)
    response = HtmlResponse(
        HOME, request=Request(HOME, meta={VISIT: Visit(Finding(HOME, "example.com", Role.ARTICLE))})
    )
    for number in range(3):
        states.item_dropped(page, response, DropItem(f"no picture: https://example.com/{number}"))
    states.item_dropped(page, response, DropItem("x" * 500))
    states.item_dropped({"their": "item"}, response, DropItem("theirs"))
    states.item_scraped({"made of": "an article"}, response)
    states.item_error(page, response, failed(KeyError("a"))[0])
    assert ended == [
        *[(PageState.DROPPED, "no picture")] * 3,
        (PageState.DROPPED, "x" * MAX_REASON_CHARS),
        (PageState.ARTICLE, ""),
        (PageState.ERROR, "pipeline: KeyError"),
    ]


def dropped(pipeline: Any, item: Any) -> tuple[PageState, str]:
    async def handed_over() -> None:
        done = pipeline.process_item(item)
        if asyncio.iscoroutine(done):
            await done

    with pytest.raises(PageDropped) as caught:
        asyncio.run(handed_over())
    return caught.value.end.state, caught.value.end.reason


def test_duplicates_are_dropped_by_address_and_by_text() -> None:
    pipeline = DuplicatesPipeline()
    first = read_article(story(1), "https://example.com/a")
    pipeline.process_item(first)
    same_place = read_article(story(2), "http://www.example.com/a/?utm_medium=x")
    same_text = read_article(story(1), "https://example.com/b")
    assert dropped(pipeline, same_place) == (PageState.DUPLICATE, "same canonical URL")
    assert dropped(pipeline, same_text) == (PageState.DUPLICATE, "same text")
    elsewhere = read_article(story(1), "https://other.example/a")
    assert pipeline.process_item(elsewhere) is elsewhere
    assert pipeline.process_item({"their": "item"}) == {"their": "item"}


def test_a_canonical_url_makes_a_duplicate_only_on_the_same_site_and_of_the_same_text() -> None:
    def page(number: int, url: str, canonical: str) -> Article:
        return read_article(story(number, head=f'<link rel="canonical" href="https://{canonical}">'), f"https://{url}")

    pipeline = DuplicatesPipeline([Site("https://a.example/", more_starts=("https://b.test/",))])
    for new in (
        page(1, "a.example/1", "a.example/1"),
        page(1, "copies.example/1", "a.example/1"),
        page(2, "a.example/2", "a.example/1"),
        page(3, "a.example/3", "a.example/4"),
        page(4, "a.example/4", "a.example/3"),
    ):
        assert pipeline.process_item(new) is new
    for known in (page(1, "m.a.example/1", "a.example/1"), page(1, "b.test/1", "a.example/1")):
        assert dropped(pipeline, known) == (PageState.DUPLICATE, "same canonical URL")


def test_extraction_leaves_other_items_alone_and_chooses_by_site() -> None:
    named = Settings({"NEWSEXTRACT_EXTRACTOR": "mss", "NEWSEXTRACT_WORKERS": 0})
    sites = [Site("https://www.example.com/", extractor=ExtractorChoice("eatiht", {}))]
    pipeline = ExtractionPipeline(readers_from_settings(named, sites))
    used = {
        url: asyncio.run(pipeline.process_item(Page(story(), url))).extraction.extractor
        for url in ("https://sport.example.com/a-b-c-d-e", "https://example.org/a-b-c-d-e")
    }
    assert list(used.values()) == ["eatiht", "mss"]
    assert asyncio.run(pipeline.process_item({"their": "item"})) == {"their": "item"}
    assert dropped(pipeline, Page("", HOME)) == (PageState.EMPTY, "no main content")
    assert dropped(pipeline, Page(story(), HOME)) == (PageState.LISTING, "home page")
