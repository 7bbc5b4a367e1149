"""A request keeps its `Visit`, and the parts of the spider work without a spider."""

from __future__ import annotations

import asyncio
import pickle
from concurrent.futures import Future
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response
from scrapy.utils.request import request_from_dict
from scrapy.utils.test import get_crawler

from newsextract.crawl.discovery import Discovery, NextVisits
from newsextract.crawl.outcome import Outcome
from newsextract.crawl.pipelines import EXPORTED, STORED
from newsextract.crawl.readers import Survey
from newsextract.crawl.requests import (
    Received,
    RequestMaker,
    RequestSender,
    Visit,
    content_hash,
    find_visit,
    note,
    note_received,
    visit_of,
)
from newsextract.crawl.spider import NewsSpider
from newsextract.crawl.spider_ledger import SpiderLedger
from newsextract.page.links import Link
from newsextract.reading.notices import PageState
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import Frontier
from newsextract.sites.site import Site
from newsextract.storage.ledger import UNCHANGED, Entry, Finding, Role, VisitRecord

HOME, SITE = "https://example.com/", "example.com"
STORY = f"{HOME}2026/05/20/the-mayor-opens-a-new-bridge.html"
NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
BODY = b"<p>The mayor opens a new bridge.</p>"


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


def test_a_visit_pickles() -> None:
    finding = Finding(STORY, SITE, Role.ARTICLE, "feed", 2, NOON, {"title": "A bridge"})
    visit = Visit(finding, is_new=False, known=Received(None, "hash", '"v1"'))
    assert pickle.loads(pickle.dumps(visit)) == visit  # noqa: S301 - our own
    with pytest.raises(AttributeError):
        visit.is_part = True  # type: ignore[misc]


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


def test_other_peoples_requests_make_no_visit() -> None:
    assert find_visit(Request(HOME, meta={"newsextract": True})) is None
    assert find_visit(None) is None


def test_requests_say_what_they_are_for() -> None:
    make, frontier = maker(), frontier_with_hints()
    visits = [
        visit_of(request)
        for request in (
            make.listing(HOME, SITE, 0),
            make.candidate(Candidate(STORY, "links", depth=3), frontier),
            make.part(f"{STORY}?page=2", SITE),
            make.source("feeds", f"{HOME}rss", SITE),
        )
    ]
    assert [visit.is_page for visit in visits] == [True, True, True, False]
    assert [visit.is_for_article for visit in visits] == [False, True, False, False]
    assert [visit.holds_place for visit in visits] == [False, True, False, False]
    assert [visit.is_of_home for visit in visits] == [True, False, False, False]
    assert [visit.finding.depth for visit in visits] == [0, 3, 1, 1]
    assert {visit.site for visit in visits} == {SITE}


@pytest.mark.parametrize(
    ("status", "body", "known", "is_unchanged"),
    [
        (200, BODY, None, False),
        (200, BODY, BODY, True),
        (200, BODY, b"<p>Another.</p>", False),
        (304, b"", BODY, True),
    ],
)
def test_a_response_is_compared_with_the_last(
    status: int, body: bytes, known: bytes | None, is_unchanged: bool
) -> None:
    make = maker(*([known_before(STORY, known)] if known else []))
    request = make.candidate(Candidate(STORY, "links"), Frontier(SITE))
    assert note_received(Response(STORY, status, body=body, request=request)).is_unchanged is is_unchanged
    assert visit_of(request).is_new is (known is None)


class Written:
    """A database that records what it is sent."""

    def __init__(self) -> None:
        self.records: list[VisitRecord] = []

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


def test_further_pages_are_not_recorded() -> None:
    database: Any = Written()
    ledger = SpiderLedger(database)
    part = Visit(Finding(STORY, SITE, Role.ARTICLE), is_part=True)
    ledger.page_ended(part, Outcome(PageState.PART, "joined to its article"))
    ledger.give_back(part)
    assert database.records == []


class Spiderless:
    """The parts of a crawl, none of which was given a spider."""

    def __init__(self) -> None:
        self.sent: list[Request] = []
        crawler: Any = get_crawler()
        crawler.engine = SimpleNamespace(crawl=self.sent.append)
        readers: Any = SimpleNamespace(read_feed=self.read_feed)
        self.make, self.frontier = maker(), Frontier(SITE, definition=Site(HOME, feeds=(f"{HOME}rss",)))
        ledger = SpiderLedger()
        self.next_visits = NextVisits(ledger, self.make, RequestSender(crawler))
        self.discovery = Discovery(crawler.stats, ledger, self.make, readers, self.next_visits)

    def read_feed(self, _body: bytes, _url: str, *, with_texts: bool) -> Future[Any]:
        found: Future[Any] = Future()
        assert with_texts
        found.set_result(SimpleNamespace(entries=(Candidate(STORY, "feed"),), trouble=None))
        return found

    async def first_requests(self) -> list[str]:
        site = self.frontier.definition
        assert site is not None
        return [
            request.url
            async for request in self.discovery.first_requests([site], {SITE: self.frontier}, with_files=True)
        ]


def test_the_start_asks_for_home_feeds_and_the_files_of_the_host() -> None:
    urls = asyncio.run(Spiderless().first_requests())
    assert urls == [HOME, f"{HOME}rss", f"{HOME}.well-known/tdmrep.json", f"{HOME}sitemap.xml"]


def test_a_feed_leads_to_its_articles() -> None:
    parts = Spiderless()
    request = parts.make.source("feeds", f"{HOME}rss", SITE)
    response = Response(request.url, body=b"<rss/>", request=request)
    asyncio.run(parts.discovery.read_feed(response, parts.frontier))
    assert [each.url for each in parts.sent] == [STORY]
    assert visit_of(request).found_new


def test_links_lead_to_sections_and_articles() -> None:
    parts = Spiderless()
    request = parts.make.listing(HOME, SITE, 0)
    survey = Survey((Link(f"{HOME}world/", "World"), Link(STORY, "The mayor opens a new bridge")), ())
    found = asyncio.run(parts.discovery.follow(survey, request, parts.frontier))
    assert [(each.url, visit_of(each).finding.role, visit_of(each).finding.depth) for each in found] == [
        (f"{HOME}world/", Role.LISTING, 1),
        (STORY, Role.ARTICLE, 1),
    ]
    assert visit_of(request).found_new
