"""A request keeps its `Visit`, and the parts of the spider work without a spider."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response
from scrapy.utils.request import request_from_dict
from scrapy.utils.test import get_crawler

from newsextract.crawl.outcome import UNWRITTEN, Outcome
from newsextract.crawl.pipelines import EXPORTED, STORED
from newsextract.crawl.requests import (
    RequestMaker,
    Visit,
    content_hash,
    note,
    visit_of,
)
from newsextract.crawl.spider import NewsSpider
from newsextract.crawl.spider_ledger import LeavesUnwritten, SpiderLedger
from newsextract.reading.notices import PageState
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import Frontier
from newsextract.storage.database_thread import GivenUp
from newsextract.storage.ledger import UNCHANGED, Entry, Finding, Role, VisitRecord

HOME, SITE = "https://example.com/", "example.com"
STORY = f"{HOME}2026/05/20/the-mayor-opens-a-new-bridge.html"
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)


class Callbacks:
    """Takes responses, and does nothing with them."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None


def known_before(url: str, body: bytes | None = None) -> Entry:
    unknown: dict[str, Any] = dict.fromkeys(Entry.__slots__)
    hashed = content_hash(body) if body else None
    finding = Finding(url, SITE, Role.ARTICLE)
    return Entry(**{**unknown, "id": finding.id, "url": url, "visited": NOON, "etag": '"v1"', "content_hash": hashed})


def maker(*known: Entry, callbacks: Any = None) -> RequestMaker:
    ledger = SpiderLedger(_known={entry.id: entry for entry in known})
    return RequestMaker(callbacks or Callbacks(), ledger.known, 10_000)


def frontier_with_hints() -> Frontier:
    frontier = Frontier(SITE)
    frontier.filter([Candidate(STORY, "feed", NOON, "A bridge", published="2026-05-20", depth=2)])
    return frontier


def test_a_visit_survives_a_queue_on_disk() -> None:
    spider = NewsSpider.from_crawler(get_crawler(NewsSpider), sites=HOME)
    request = maker(known_before(STORY), callbacks=spider).candidate(
        Candidate(STORY, "feed", NOON, "A bridge", is_revisit=True), frontier_with_hints()
    )
    stored = pickle.dumps(request.to_dict(spider=spider))
    back = request_from_dict(pickle.loads(stored), spider=spider)  # noqa: S301 - our own
    assert visit_of(back) == visit_of(request)
    assert (back.callback, back.errback) == (spider.parse_page, spider.download_failed)
    assert visit_of(back).finding.hints == {"title": "A bridge", "date": "2026-05-20"}
    assert back.headers["If-None-Match"] == b'"v1"'
    assert back.meta["handle_httpstatus_list"] == [304]


def test_a_visit_goes_along_with_redirects_and_each_request_keeps_its_own() -> None:
    crawler: Any = get_crawler(NewsSpider)
    crawler.spider = crawler._create_spider(sites=HOME)
    first = maker().candidate(Candidate(STORY, "feed"), Frontier(SITE))
    middleware = RedirectMiddleware.from_crawler(crawler)
    moved = middleware.process_response(first, Response(STORY, status=301, headers={"Location": "/elsewhere"}))
    assert isinstance(moved, Request)
    assert (moved.url, visit_of(moved)) == (f"{HOME}elsewhere", visit_of(first))
    note(moved, found_new=True)
    assert (visit_of(first).found_new, visit_of(moved).found_new) == (False, True)
    assert visit_of(moved).url == STORY


class Written:
    """A database that records what it is sent."""

    def __init__(self) -> None:
        self.records: list[VisitRecord] = []

    def record(self, _connection: Any, _visits: Any) -> None:
        raise AssertionError("an operation is sent, and not called")

    def send(self, _operation: Any, record: VisitRecord) -> None:
        self.records.append(record)


@pytest.mark.parametrize(
    ("end", "is_new", "state", "role"),
    [
        (Outcome(PageState.ARTICLE), True, "article", Role.ARTICLE),
        (Outcome(PageState.LISTING, "home page"), True, "listing", Role.LISTING),
        (STORED, True, "duplicate", Role.ARTICLE),
        (STORED, False, UNCHANGED, Role.ARTICLE),
        (EXPORTED, False, "article", Role.ARTICLE),
        # The reason is for people: the same words from somewhere else are no article that the database has.
        (Outcome(PageState.DROPPED, STORED.reason), False, "dropped", Role.LISTING),
        (Outcome(PageState.DUPLICATE, EXPORTED.reason), False, UNCHANGED, Role.LISTING),
    ],
)
def test_the_ledger_goes_by_fields_and_not_by_words(end: Outcome, is_new: bool, state: str, role: Role) -> None:
    database: Any = Written()
    asked = Visit(Finding(STORY, SITE, Role.LISTING), is_new=is_new)
    SpiderLedger(database).page_ended(asked, end)
    (record,) = database.records
    assert (record.state, record.role, record.reason) == (state, role, end.reason or None)


def test_a_page_whose_links_cannot_be_recorded_is_left_to_the_next_run() -> None:
    ended: list[Any] = []
    visits: Any = SimpleNamespace(end=lambda *end: ended.append(end))
    requests = [maker().listing(HOME, SITE, 0), maker().source("sitemaps", f"{HOME}sitemap.xml", SITE)]
    for request in requests:
        response = Response(request.url, request=request)
        assert LeavesUnwritten(visits).process_spider_exception(response, GivenUp("the disk is full")) == ()
        assert LeavesUnwritten(visits).process_spider_exception(response, ValueError()) is None
    assert ended == [(requests[0], UNWRITTEN)]
