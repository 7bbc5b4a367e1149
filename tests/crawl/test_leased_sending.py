"""What is looked at when a request is sent: its host's lease, and whose delay a redirect waits for."""

from __future__ import annotations

import asyncio
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, cast

import pytest
from scrapy import Request
from scrapy.core.downloader import Downloader, Slot
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from newsextract.crawl.leased_downloader import LeasedDownloader
from newsextract.crawl.middlewares.leased_hosts import LeasedHosts
from newsextract.crawl.middlewares.left_hosts import LeaseLost
from newsextract.crawl.middlewares.redirects import MetaRefreshes, Redirects
from newsextract.crawl.visit import VISIT, Visit
from newsextract.storage.ledger.ledger_rows import Finding, Role
from tests.scrapy_runs import Reply, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Scrapy, TinyWeb

PAGE = "https://news.example/1"


class Gate:
    """The leases of a run."""

    def __init__(self, *opens: str) -> None:
        self.opens = set(opens)

    def is_open(self, host: str) -> bool:
        return host in self.opens


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The URLs that Scrapy's downloader sends."""
    urls: list[str] = []

    async def send(_self: Downloader, _slot: Slot, request: Request) -> Response:
        urls.append(request.url)
        return Response(request.url)

    monkeypatch.setattr(Downloader, "_download", send)
    return urls


def downloader_with(gate: Gate | None, refusing: LeasedHosts | None = None) -> LeasedDownloader:
    crawler: Any = get_crawler()
    crawler.get_extension = lambda _kind: gate
    crawler.get_downloader_middleware = lambda _kind: refusing
    # Without the handlers of Scrapy's, which need a reactor.
    downloader = object.__new__(LeasedDownloader)
    downloader.crawler = crawler
    return downloader


def request_at(host: str) -> Request:
    return Request(PAGE, meta={"download_slot": host})


def test_a_request_whose_lease_was_lost_while_it_waited_is_not_sent_but_queued(sent: list[str]) -> None:
    gate = Gate("news.example")
    downloader = downloader_with(gate)
    request = request_at("news.example")
    asyncio.run(downloader._download(Slot(1, 0.5, 0.0), request))
    assert sent == [PAGE]
    gate.opens.clear()
    with pytest.raises(LeaseLost) as lost:
        asyncio.run(downloader._download(Slot(1, 0.5, 0.0), request))
    assert sent == [PAGE]
    again = LeasedHosts(get_crawler()).process_exception(request, lost.value)
    assert again is not None
    assert (again.url, again.dont_filter) == (PAGE, True)
    assert LeasedHosts(get_crawler()).process_exception(request, ValueError()) is None


def test_a_request_for_a_site_that_another_run_has_got_is_not_sent_though_its_host_is_free(sent: list[str]) -> None:
    refusing = LeasedHosts(get_crawler())
    downloader = downloader_with(Gate("news.example"), refusing)
    request = request_at("news.example")
    request.meta[VISIT] = Visit.to(Finding(PAGE, "news.example", Role.ARTICLE), None)
    asyncio.run(downloader._download(Slot(1, 0.5, 0.0), request))
    refusing.sites_given_back.add("news.example")
    with pytest.raises(LeaseLost):
        asyncio.run(downloader._download(Slot(1, 0.5, 0.0), request))
    assert sent == [PAGE]


def test_without_a_database_everything_is_sent(sent: list[str]) -> None:
    asyncio.run(downloader_with(None)._download(Slot(1, 0.5, 0.0), request_at("news.example")))
    assert sent == [PAGE]


def test_a_redirect_waits_for_the_host_that_it_leads_to() -> None:
    crawler = get_crawler()
    asked = Request("https://news.example/robots.txt", meta={"download_slot": "news.example"})
    for target, host in (("https://www.news.example/robots.txt", "www.news.example"), ("/r", "news.example")):
        moved = Response(asked.url, 301, {"Location": target})
        found = cast("Request", Redirects.from_crawler(crawler).process_response(asked, moved))
        assert found.meta["download_slot"] == host
    page = b'<meta http-equiv=refresh content="0; url=https://m.news.example/">'
    refreshed = MetaRefreshes.from_crawler(crawler).process_response(asked, HtmlResponse(asked.url, body=page))
    assert cast("Request", refreshed).meta["download_slot"] == "m.news.example"
    bare = Request(asked.url)  # of a spider that leaves slots to Scrapy
    moved = Response(asked.url, 301, {"Location": "https://www.news.example/"})
    found = cast("Request", Redirects.from_crawler(crawler).process_response(bare, moved))
    assert "download_slot" not in found.meta


def test_the_first_page_waits_a_whole_delay_from_the_answer_of_robots_txt(
    tmp_path: Path, crawl: Scrapy, tiny_web: TinyWeb
) -> None:
    arrived: list[float] = []
    path = "/2026/05/20/the-mayor-opens-the-bridge.html"
    site = tiny_web({})

    def rules(_path: str) -> Reply:
        # Arrives late, as after a slow lookup of the host's name: the log says when it is answered.
        sleep(0.3)
        arrived.append(monotonic())
        return Reply(b"", 404)

    def home(_path: str) -> Reply:
        arrived.append(monotonic())
        return html(listing(path))

    site.routes = {"/robots.txt": rules, "/": home, path: html(story(1))}
    slowly = ("-s", "DOWNLOAD_DELAY=0.5", "-s", "DOWNLOAD_DELAY_JITTER=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
    run = crawl(tmp_path, site.home, *slowly)
    assert run.states["article"] == 1, run.err
    assert arrived[1] - arrived[0] > 0.45
