"""The parts of the Scrapy side, one by one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
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
from newsextract.extensions.crawl_delay import CrawlDelay
from newsextract.extensions.page_states import MAX_REASON_CHARS, PAGE_ROLE, PageStates, page_ended
from newsextract.outcome import PageState
from newsextract.page import Page
from newsextract.pipelines.dropping import PageDropped
from newsextract.pipelines.duplicates import DuplicatesPipeline
from newsextract.pipelines.extraction import ExtractionPipeline, reader_from_settings
from newsextract.sites.candidates import Candidate
from newsextract.sites.frontier import MAX_LISTING_DEPTH, MAX_LISTINGS, Frontier
from newsextract.sites.links import Link
from newsextract.sites.sitemaps import SitemapLink
from newsextract.spiders.failures import outcome_of, outcome_of_redirect
from newsextract.spiders.outbox import Outbox
from tests.scrapy_side.conftest import story

if TYPE_CHECKING:
    from newsextract.sites.candidates import Source

NOW = datetime(2026, 5, 20, tzinfo=UTC)
HOME = "https://example.com/"


def candidate(path: str, source: Source = "sitemap", *, days: int | None = None, title: str | None = None) -> Candidate:
    return Candidate(HOME + path, source, None if days is None else NOW - timedelta(days=days), title)


def paths(candidates: list[Candidate]) -> list[str]:
    return [candidate.url.removeprefix(HOME) for candidate in candidates]


def test_the_frontier_hands_out_the_newest_first_and_nothing_twice() -> None:
    frontier = Frontier("example.com")
    frontier.add([candidate("2026/a"), candidate("2026/b", days=2), candidate("2026/c", days=1), candidate("2026/c")])
    assert paths(frontier.take()) == ["2026/c", "2026/b", "2026/a"]
    frontier.add([candidate("2026/c/"), Candidate("http://www.example.com/2026/a?utm_source=x", "feed")])
    assert frontier.take() == []


def test_the_frontier_leaves_out_what_is_elsewhere_old_or_no_page() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=2))
    elsewhere = Candidate("https://other.example/a", "feed")
    frontier.add(
        [candidate("old", days=3), candidate("new", days=1), candidate("undated"), candidate("a.pdf"), elsewhere]
    )
    assert sorted(paths(frontier.take())) == ["new", "undated"]
    assert (frontier.skipped_old, frontier.skipped_off_site) == (1, 1)


def test_links_wait_for_the_dates_that_sources_know() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=2))
    frontier.open_source("sitemap")
    frontier.add([candidate("old", "links"), candidate("new", "links", title="Five words of a headline")])
    assert frontier.take() == []
    frontier.add([candidate("old", days=3), candidate("new", days=1)])
    (taken,) = frontier.take()
    assert (taken.url, taken.title, taken.date) == (HOME + "new", "Five words of a headline", NOW - timedelta(days=1))
    frontier.close_source()
    assert frontier.take() == []


def test_the_frontier_never_hands_out_more_than_may_become_articles() -> None:
    frontier = Frontier("example.com", limit=2)
    frontier.add([candidate(str(number)) for number in range(10)])
    assert len(frontier.take()) == 2
    assert frontier.take() == []
    assert not frontier.reserve()
    frontier.settle(was_candidate=True, is_article=False)
    assert len(frontier.take()) == 1
    for _ in range(2):
        frontier.settle(was_candidate=True, is_article=True)
    assert frontier.is_full
    assert frontier.take() == []


def test_sitemaps_are_read_newest_first_without_the_old() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=10))
    links = [SitemapLink(f"{days}", NOW - timedelta(days=days)) for days in (5, 1, 30)]
    frontier.add_sitemaps([*links, SitemapLink("undated")])
    assert frontier.take_sitemaps() == ["1", "5", "undated"]


def test_with_a_limit_the_sitemaps_of_an_index_are_read_one_by_one_as_needed() -> None:
    frontier = Frontier("a.example", limit=2)
    frontier.add_sitemaps(SitemapLink(f"https://a.example/{n}.xml") for n in range(3))
    assert frontier.take_sitemaps() == ["https://a.example/0.xml"]
    frontier.open_source("https://a.example/0.xml")
    assert frontier.take_sitemaps() == []  # until it has been read
    frontier.add([Candidate("https://a.example/a-long-story-of-today.html", "sitemap")])
    frontier.close_source()
    assert len(frontier.take()) == 1
    assert frontier.take_sitemaps() == ["https://a.example/1.xml"]  # one article is not enough
    frontier.settle(was_candidate=True, is_article=True)
    frontier.add([Candidate("https://a.example/another-long-story-of-today.html", "sitemap")])
    assert len(frontier.take()) == 1
    assert frontier.take_sitemaps() == []  # that may be the second


def test_the_frontier_remembers_what_feeds_say_of_addresses_that_are_on_their_way() -> None:
    frontier = Frontier("example.com")
    frontier.add([candidate("a", days=1)])
    assert frontier.take()
    frontier.add([Candidate("http://www.example.com/a/", "feed", title="A", published="2026-05-19")])
    assert frontier.take() == []
    assert frontier.hints_of(HOME + "a") == {"title": "A", "date": "2026-05-19"}
    assert frontier.hints_of(HOME + "b") == {}


def test_a_further_page_is_no_candidate_any_more() -> None:
    frontier = Frontier("example.com")
    frontier.add([candidate("a"), candidate("a/2")])
    assert frontier.claim_part(HOME + "a/2")
    assert not frontier.claim_part(HOME + "a/2/")
    assert (frontier.is_part(HOME + "a/2"), frontier.is_part(HOME + "a")) == (True, False)
    assert paths(frontier.take()) == ["a"]


def test_candidates_that_list_count_as_listings() -> None:
    frontier = Frontier("example.com")
    assert not frontier.open_listing(MAX_LISTING_DEPTH + 1)
    assert all(frontier.open_listing(1) for _ in range(MAX_LISTINGS))
    assert not frontier.open_listing(1)


def test_listings_are_bounded() -> None:
    frontier = Frontier("example.com")
    links = [Link(f"{HOME}section{number}", "Section") for number in range(MAX_LISTINGS + 50)]
    assert len(frontier.sort_links(links, 1)) == MAX_LISTINGS
    assert Frontier("example.com").sort_links(links, 9) == []


def failed(error: Exception, **meta: Any) -> tuple[Failure, Request]:
    return Failure(error), Request(HOME, meta=meta)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("error", "state", "reason"),
    [
        (HttpError(HtmlResponse(HOME, status=500)), "error", "http 500"),
        (HttpError(HtmlResponse(HOME, status=451)), "blocked", "http 451"),
        (exceptions.DownloadTimeoutError(), "error", "timeout"),
        (exceptions.CannotResolveHostError(), "error", "host not found"),
        (exceptions.DownloadCancelledError(), "error", "too large"),
        (IgnoreRequest("exceeded DOWNLOAD_MAXSIZE"), "error", "too large"),
        (IgnoreRequest("max redirections reached"), "error", "too many redirects"),
        (IgnoreRequest("because of a middleware"), "error", "ignored"),
        (OSError("disk"), "error", "OSError"),
    ],
)
def test_every_failure_has_a_state_and_a_short_reason(error: Exception, state: str, reason: str) -> None:
    assert outcome_of(*failed(error)) == (state, reason)


def test_what_robots_txt_forbids_was_never_asked_for() -> None:
    assert outcome_of(*failed(IgnoreRequest("Forbidden by robots.txt"))) is None
    after = outcome_of(*failed(IgnoreRequest("Forbidden by robots.txt"), redirect_times=1))
    assert after == (PageState.BLOCKED, "redirects to what robots.txt forbids")


def test_a_redirect_that_returns_is_a_loop() -> None:
    there, back = "https://example.com/a", "https://example.com/b"
    assert outcome_of_redirect(Request(there, meta={"redirect_urls": [there, back]})) == ("error", "redirect loop")
    assert outcome_of_redirect(Request(there, meta={"redirect_urls": [back]}))[0] is PageState.DUPLICATE


def test_the_outbox_sends_in_a_row_what_sending_brings_about() -> None:
    sent: list[str] = []
    engine = SimpleNamespace()
    outbox = Outbox(SimpleNamespace(engine=engine))  # type: ignore[arg-type]

    def crawl(request: Request) -> None:
        sent.append(request.url)
        if len(sent) < 5000:
            outbox.send([Request(f"{HOME}{len(sent)}")])

    engine.crawl = crawl
    outbox.send([Request(HOME)])
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

    def note(state: PageState, reason: str) -> None:
        ended.append((state, reason))

    crawler.signals.connect(note, signal=page_ended)
    page = Page("", HOME)
    response = HtmlResponse(HOME, request=Request(HOME, meta={PAGE_ROLE: "candidate"}))
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
    with pytest.raises(PageDropped) as caught:
        pipeline.process_item(item)
    return caught.value.state, caught.value.reason


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


def test_extraction_leaves_other_items_alone_and_chooses_by_site() -> None:
    settings = Settings({"NEWSEXTRACT_EXTRACTOR": "mss", "NEWSEXTRACT_SITE_EXTRACTORS": {"www.example.com": "eatiht"}})
    pipeline = ExtractionPipeline(reader_from_settings(settings))
    used = {
        url: pipeline.process_item(Page(story(), url)).extraction.extractor
        for url in ("https://sport.example.com/a-b-c-d-e", "https://example.org/a-b-c-d-e")
    }
    assert list(used.values()) == ["eatiht", "mss"]
    assert pipeline.process_item({"their": "item"}) == {"their": "item"}
    assert dropped(pipeline, Page("", HOME)) == (PageState.EMPTY, "no main content")
    assert dropped(pipeline, Page(story(), HOME)) == (PageState.LISTING, "home page")
