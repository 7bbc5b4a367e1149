"""A request keeps its `Visit`; parts of the spider without a spider; linked versions; pages that reserve their use."""

from __future__ import annotations

import json
import pickle
import sqlite3
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response
from scrapy.utils.request import request_from_dict
from scrapy.utils.test import get_crawler

from newsextract import cli
from newsextract.crawl.outcome import UNWRITTEN, Outcome
from newsextract.crawl.pipelines import EXPORTED, STORED
from newsextract.crawl.requests import RequestMaker, Visit, note, visit_of
from newsextract.crawl.second_readings import MOST_WITHOUT_ARTICLE
from newsextract.crawl.spider import NewsSpider
from newsextract.crawl.spider_ledger import LeavesUnwritten, SpiderLedger
from newsextract.reading.notices import PageState
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import Frontier
from newsextract.storage.database_thread import GivenUp
from newsextract.storage.ledger import UNCHANGED, Entry, Finding, Role, VisitRecord
from newsextract.storage.rows import content_hash
from tests.scrapy_runs import Reply, html, listing, moved, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Run, Scrapy, TinySite, TinyWeb


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


@pytest.mark.parametrize(("end", "is_new", "state", "role"), [
    (Outcome(PageState.ARTICLE), True, "article", Role.ARTICLE),
    (Outcome(PageState.LISTING, "home page"), True, "listing", Role.LISTING),
    (STORED, True, "duplicate", Role.ARTICLE),
    (STORED, False, UNCHANGED, Role.ARTICLE),
    (EXPORTED, False, "article", Role.ARTICLE),
    # The reason is for people: the same words from somewhere else are no article that the database has.
    (Outcome(PageState.DROPPED, STORED.reason), False, "dropped", Role.LISTING),
    (Outcome(PageState.DUPLICATE, EXPORTED.reason), False, UNCHANGED, Role.LISTING),
])  # fmt: skip
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


CHOOSY = """
from newsextract import create_extractor
from newsextract.page.page import PageError

class Choosy:
    name = "choosy"

    def extract(self, page):
        if "BROKEN" in str(page.html):
            raise PageError("broken", "a page that cannot be read")
        return create_extractor("mss").extract(page)
"""

PATHS = [f"/2026/05/20/a-bridge-opens-after-many-years-{number}.html" for number in range(12)]


def bare(*links: str) -> Reply:
    """Return a page without text that links versions of itself."""
    return html(f"<html><head><title>Bridge</title>{''.join(links)}</head><body><p>Soon.</p></body></html>".encode())


def amp(path: str) -> str:
    return f'<link rel="amphtml" href="{path}">'


def printed(path: str) -> str:
    return f'<link rel="alternate" media="print" href="{path}">'


def canonical(path: str) -> str:
    return f'<link rel="canonical" href="{path}">'


@pytest.fixture(scope="module")
def webs(tiny_web: TinyWeb) -> dict[str, TinySite]:
    foreign = tiny_web({"/amp": html(story(9))})
    return {
        "all": tiny_web({
            "/": html(listing(*PATHS[:4])),
            PATHS[0]: bare(printed("/print0"), amp("/amp0")),
            "/amp0": html(story(0, head=canonical(PATHS[0]))),
            PATHS[1]: bare(printed("/print1"), amp("/amp1")),
            "/amp1": moved(PATHS[1]),  # as where AMP was given up
            "/print1": html(story(1)),
            PATHS[2]: bare(amp("/amp2")),
            "/amp2": html(story(2, head=canonical("/somewhere-else"))),
            PATHS[3]: html(story(3, head=amp("/amp3"))),
            "/amp3": html(story(4)),
        }),
        "broken": tiny_web({
            "/": html(listing(*PATHS[:2])),
            PATHS[0]: bare(amp("/amp0"), printed("/print0")),
            "/amp0": html(b"<p>BROKEN</p>" + story(0)),
            "/print0": html(story(0)),
            PATHS[1]: bare(amp("/amp1")),
            "/amp1": html(b"<p>BROKEN</p>" + story(0)),
        }),
        "not allowed": tiny_web({
            "/robots.txt": Reply(b"User-agent: *\nDisallow: /amp"),
            "/": html(listing(*PATHS[:3])),
            PATHS[0]: bare(amp("/amp0")),
            "/amp0": html(story(0)),
            PATHS[1]: bare(amp(f"{foreign.home}amp")),
            PATHS[2]: bare(printed("/print")),
            "/print": moved(f"{foreign.home}amp"),
        }),
        "shared": tiny_web({
            "/": html(listing(*PATHS)), **dict.fromkeys(PATHS, bare(amp("/amp"))), "/amp": html(story(1)),
        }),
        "many": tiny_web({
            "/": html(listing(*PATHS)), **{path: bare(amp(f"/amp{path}")) for path in PATHS},
            **{f"/amp{path}": html(story(number)) for number, path in enumerate(PATHS)},
        }),
    }  # fmt: skip


@pytest.fixture(scope="module")
def versions(crawl: Scrapy, webs: dict[str, TinySite], tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("versions")
    (folder / "choosy.py").write_text(CHOOSY)
    homes = ",".join(site.home for site in webs.values())
    run = crawl(folder, homes, "-s", "NEWSEXTRACT_EXTRACTOR=choosy.Choosy")
    assert run.adds_up()
    assert "error" not in run.states
    return run


def read(run: Run, site: TinySite) -> dict[str, str]:
    """Return the articles of a site by their paths, with where the text is from where that is another page."""
    warned = {
        "/" + line["url"].split("/", 3)[3]: "".join(
            warning.rpartition("/")[2]
            for warning in line["extraction"]["warnings"]
            if "the version that it links" in warning
        )
        for line in run.lines
        if line["url"].startswith(site.home)
    }
    return dict(sorted(warned.items()))


def test_reads_amp_else_print_and_keeps_the_address_of_the_page(versions: Run, webs: dict[str, TinySite]) -> None:
    assert read(versions, webs["all"]) == {PATHS[0]: "amp0", PATHS[1]: "print1", PATHS[3]: ""}
    assert not {"/amp3", "/print0"} & set(webs["all"].log)
    from_versions = versions.stats["newsextract/linked_versions/articles"]
    assert versions.reasons["article/from a linked version"] == from_versions == 2 + 1 + 1 + len(PATHS)


def test_goes_on_after_a_version_that_cannot_be_read(versions: Run, webs: dict[str, TinySite]) -> None:
    assert read(versions, webs["broken"]) == {PATHS[0]: "print0"}


def test_robots_txt_and_the_owner_count_for_versions_too(versions: Run, webs: dict[str, TinySite]) -> None:
    assert read(versions, webs["not allowed"]) == {}
    assert "/amp0" not in webs["not allowed"].log
    assert versions.stats["newsextract/linked_versions/failed/IgnoreRequest"] == 1


def test_a_version_that_several_pages_link_is_asked_for_once(versions: Run, webs: dict[str, TinySite]) -> None:
    assert (len(read(versions, webs["shared"])), webs["shared"].log.count("/amp")) == (1, 1)


def test_versions_that_are_under_way_are_not_in_vain(versions: Run, webs: dict[str, TinySite]) -> None:
    assert len(read(versions, webs["many"])) == len(PATHS)


def test_a_site_whose_versions_are_no_articles_is_given_up(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    paths = [f"/2026/05/20/a-bridge-opens-after-many-years-{number}.html" for number in range(60)]
    site = tiny_web({"/": html(listing(*paths)), **{path: bare(amp(f"/amp{path}")) for path in paths}})
    run = crawl(tmp_path, site.home, "-s", "CONCURRENT_REQUESTS=2")
    # Those under way when the eighth has ended are asked for, too.
    assert MOST_WITHOUT_ARTICLE <= run.stats["newsextract/linked_versions/asked"] < len(paths) / 2
    assert not run.lines


OPEN, CLOSED, TAGGED, MINED = (f"/2026/05/{day}/the-mayor-opens-a-new-bridge.html" for day in (20, 21, 22, 23))
ROBOTS = b"User-agent: *\nDisallow: /search\nContent-Signal: search=yes\n\nUser-agent: GPTBot\nDisallow: /2026/05/21/"
FREE = b"User-agent: *\nDisallow: /search\n"
QUIET = ("-s", "NEWSEXTRACT_WORKERS=0", "-s", "NEWSEXTRACT_MESSAGES=output/all.jsonl")
AGAIN = (
    "update ledger set next_visit = '2020-01-01T00:00:00+00:00', date_visited = '2026-05-20T00:00:09+00:00'",
    "update articles set date_downloaded = '2026-05-20T00:00:00+00:00'",
    "update rights set date_first_seen = '2026-05-20T00:00:00+00:00', date_last_seen = '2026-05-20T00:00:00+00:00'",
)


def routes(robots: bytes, **headers: str) -> dict[str, Any]:
    tdmrep = json.dumps([{"location": "/2026/05/23/", "tdm-reservation": 1}]).encode()
    return {
        "/robots.txt": Reply(robots),
        **({"/.well-known/tdmrep.json": Reply(tdmrep)} if robots == ROBOTS else {}),
        "/": html(listing(OPEN, CLOSED, TAGGED, MINED)),
        TAGGED: html(story(3), **headers),
        **{path: html(story(number)) for number, path in ((1, OPEN), (2, CLOSED), (4, MINED))},
    }


def history(folder: Path, address: str) -> list[tuple[str, str, bool]]:
    """Return what was said at addresses that end so, by source, and whether the last crawl still heard it."""
    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        query = "select source, statement, date_last_seen > '2026-05-21' from rights where address like ? order by 1, 3"
        return [(source, said, bool(is_new)) for source, said, is_new in database.execute(query, [f"%{address}"])]


def exported(folder: Path, *arguments: str) -> set[str]:
    database, target = str(folder / "output" / "newsextract.db"), folder / "articles.jsonl"
    assert cli.main(["export", database, "-o", str(target), "--overwrite", *arguments]) == 0
    return {"/" + json.loads(line)["url"].split("/", 3)[3] for line in target.read_text("utf-8").splitlines()}


@pytest.fixture(scope="module")
def crawled(crawl: Scrapy, tiny_web: TinyWeb, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TinySite]:
    web = tiny_web(routes(ROBOTS, X_Robots_Tag="noai"))
    folder = tmp_path_factory.mktemp("rights")
    only = ("-s", "NEWSEXTRACT_DELIVERY_RIGHTS=train-ai")
    run = crawl(folder, web.home, *QUIET, *only)
    assert run.states["article"] == 4
    assert [count for name, count in run.stats.items() if name.endswith("/left_out/noai in header")] == [1]
    return folder, web


def test_what_is_reserved_is_left_out_and_counted(
    crawled: tuple[Path, TinySite], capsys: pytest.CaptureFixture[str]
) -> None:
    folder, web = crawled
    assert exported(folder) == exported(folder, "--rights", "search") == {OPEN, CLOSED, TAGGED, MINED}
    capsys.readouterr()
    assert exported(folder, "--rights", "train-ai") == {OPEN}
    told = capsys.readouterr().err
    assert "3 left out, where train-ai is reserved" in told
    for reason in ("AI crawlers disallowed in robots.txt", "noai in header", "tdm-reservation: 1 in tdmrep.json"):
        assert f"1 by {reason}" in told
    delivered = [json.loads(line) for line in (folder / "output" / "all.jsonl").read_text("utf-8").splitlines()]
    assert [message["article"]["url"] for message in delivered] == [f"{web.home[:-1]}{OPEN}"]
    assert web.log.count("/robots.txt") == 1


def test_the_ledger_knows_what_was_said_when(crawled: tuple[Path, TinySite], crawl: Scrapy) -> None:
    folder, web = crawled
    kept = "user-agent: *\ncontent-signal: search=yes\n\nuser-agent: gptbot\ndisallow: /2026/05/21/"
    file = '{"location": "/2026/05/23/", "tdm-reservation": "1"}'
    site = [("robots.txt", kept), ("tdmrep.json", file)]
    assert history(folder, web.name) == [(*each, True) for each in site]
    assert history(folder, TAGGED) == [("header", "x-robots-tag: noai", True)]
    assert history(folder, CLOSED) == []

    with sqlite3.connect(folder / "output" / "newsextract.db") as database:
        for statement in AGAIN:
            database.execute(statement)
    web.routes = routes(FREE)
    crawl(folder, web.home, *QUIET)
    # The texts are the same, and no article is new: their rights are, all the same.
    assert exported(folder, "--rights", "train-ai") == {OPEN, CLOSED, TAGGED, MINED}
    both = [(*each, False) for each in site] + [(name, "", True) for name, _ in site]
    assert history(folder, web.name) == sorted(both, key=lambda row: (row[0], row[2]))
    assert history(folder, TAGGED) == [("header", "x-robots-tag: noai", False), ("header", "", True)]
