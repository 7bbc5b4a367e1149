"""The pace of hosts: delays, rests, and hosts that are left to the next run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from newsextract.crawl.outcome import HostIsBusy, HostIsSilent, HostRests
from newsextract.crawl.requests import VISIT, Visit
from newsextract.crawl.scrapy_versions import STEADY, UNREACHABLE, HostNotFound
from newsextract.crawl.spider_arguments import SpiderArguments
from newsextract.crawl.throttle import LONGEST_DELAY_SECONDS, MOST_FAILURES, Throttle, asked_seconds
from newsextract.sites.site import Limits, Site
from newsextract.storage.ledger import Finding, Role

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://a.example/story.html"
RANDOM: dict[str, Any] = dict.fromkeys(STEADY, 0.5)
TIMEOUT = next(kind for kind, reason in UNREACHABLE.items() if reason == "timeout")()


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (" 7 ", 7),
        (format_datetime(NOON + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOON - timedelta(days=1), usegmt=True), 0),
        ("9" * 400, 86400),
        *((text, 0) for text in ("-5", "1.5", "²", "soon", "")),
    ],
)
def test_reads_numbers_and_dates(header: str, seconds: float) -> None:
    assert asked_seconds(header.encode("latin-1"), NOON) == seconds


@pytest.fixture
def slot() -> Slot:
    return Slot(1, 0.5, **RANDOM)


def throttle_of(slot: Slot, *sites: Site) -> Throttle:
    crawler: Any = get_crawler(settings_dict={"DOWNLOAD_DELAY": 0.5})
    crawler.spider = SimpleNamespace(arguments=SpiderArguments(sites))
    downloader = SimpleNamespace(
        slots={"a.example": slot},
        per_slot_settings={},
        get_slot_key=lambda request: request.meta.get("download_slot", "a.example"),
    )
    crawler.engine = SimpleNamespace(downloader=downloader)
    return Throttle.from_crawler(crawler)


@pytest.fixture
def throttle(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> Throttle:
    monkeypatch.setattr("asyncio.get_running_loop", lambda: SimpleNamespace(call_later=lambda *_: None))
    return throttle_of(slot)


def request(site: str = "a.example", role: Role = Role.ARTICLE, host: str = "a.example") -> Request:
    """Return a request of a site, to a host that may be another's."""
    return Request(URL, meta={VISIT: Visit(Finding(URL, site, role)), "download_slot": host})


@pytest.fixture
def answer(throttle: Throttle, slot: Slot) -> Callable[..., float]:
    """Let the host answer, and return its delay."""

    def arrive(status: int, latency: float = 0.0, **headers: str) -> float:
        asked = Request(URL, meta={"download_slot": "a.example", "download_latency": latency})
        throttle.response_downloaded(Response(URL, status, headers=headers), asked)
        return slot.delay

    return arrive


def test_each_429_doubles_the_delay_up_to_a_minute_and_then_the_host_is_left(
    throttle: Throttle, answer: Callable[..., float]
) -> None:
    assert [answer(429) for _ in range(7)] == [1, 2, 4, 8, 16, 32, LONGEST_DELAY_SECONDS]
    assert list(throttle.lines()) == ["a.example asked for fewer requests 7 times: slowed to 60 s between requests"]
    answer(429)
    assert throttle.left == {"a.example": None}
    with pytest.raises(HostIsBusy, match="left to the next run"):
        throttle.process_request(request())


def test_the_rests_of_a_run_make_an_hour_together(throttle: Throttle, answer: Callable[..., float]) -> None:
    assert answer(503) == 0.5, "no time is named"
    assert not list(throttle.lines())
    answer(503, **{"Retry-After": "3000"})
    answer(503, **{"Retry-After": "3000"})
    assert not throttle.left, "the same rest, asked for twice"
    waiting = request()
    with pytest.raises(HostRests):
        throttle.process_request(waiting)
    throttle.hosts["a.example"].rests_until = monotonic()
    throttle.process_request(waiting)
    answer(503, **{"Retry-After": "3000"})
    assert throttle.left["a.example"] is not None


def crawl_delay(seconds: float | None) -> Any:
    return SimpleNamespace(crawl_delay=lambda _agent: seconds)


@pytest.mark.parametrize(
    ("asked", "applied"),
    [(None, 0.5), (0.0, 0.5), (0.2, 0.5), (3.0, 3.0), (float("inf"), 0.5), (float("nan"), 0.5)],
)
def test_a_crawl_delay_slows_its_host_only(throttle: Throttle, slot: Slot, asked: float | None, applied: float) -> None:
    downloader = throttle.crawler.engine.downloader
    other = downloader.slots["b.example"] = Slot(1, 0.5, **RANDOM)
    throttle.robots_parsed(crawl_delay(asked), request())
    assert (slot.delay, other.delay) == (applied, 0.5)
    assert all(getattr(slot, name) == value for name, value in STEADY.items()) is (applied == asked)
    assert throttle.stats.get_value("newsextract/crawl_delays", 0) == (applied == asked)
    assert downloader.per_slot_settings.get("a.example", {}).get("delay", 0.5) == applied


def test_a_host_keeps_the_longest_delay_of_all_that_name_it(slot: Slot) -> None:
    throttle = throttle_of(
        slot,
        Site("https://a.example/", limits=Limits(delay=0.1, concurrency=3)),
        Site("https://b.example/", limits=Limits(delay=2.0, concurrency=1)),
        Site("https://c.example/", limits=Limits(delay=0.2)),
    )
    delays = []
    for site in ("a.example", "b.example", "c.example", "d.example"):
        throttle.process_request(request(site))
        delays.append(slot.delay)
    assert delays == [0.1, 2.0, 2.0, 2.0], "a site may be faster than the default, but no other site's request is"
    assert slot.concurrency == 1
    throttle.robots_parsed(crawl_delay(9.0), request())
    throttle.process_request(request("e.example"))
    assert slot.delay == 9.0
    by_slot = throttle.crawler.engine.downloader.per_slot_settings
    assert by_slot == {"a.example": {"delay": 9.0, **STEADY, "concurrency": 1}}
    throttle.process_request(request("b.example", host="sport.b.example"))
    assert by_slot["sport.b.example"] == {"delay": 2.0, "concurrency": 1}


def test_a_site_cannot_silence_the_host_of_another(throttle: Throttle) -> None:
    for _ in range(MOST_FAILURES):
        throttle.process_exception(request("b.example", Role.SOURCE), TIMEOUT)
    throttle.process_exception(request("c.example", Role.SOURCE), HostNotFound())
    throttle.process_request(request("a.example"))
    for site in ("b.example", "c.example"):
        with pytest.raises(HostIsSilent, match=r"https://a\.example does not answer"):
            throttle.process_request(request(site))
