"""Hosts that ask for fewer requests: what each answer changes."""

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

from newsextract.crawl.middlewares import busy_hosts
from newsextract.crawl.middlewares.busy_hosts import LONGEST_DELAY_SECONDS, BusyHosts, asked_seconds
from newsextract.crawl.middlewares.left_hosts import HostIsBusy

if TYPE_CHECKING:
    from collections.abc import Callable

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        (format_datetime(NOON + timedelta(seconds=90), usegmt=True), 90),
        (format_datetime(NOON - timedelta(days=1), usegmt=True), 0),
        ("9" * 400, 86400),
        ("-5", 0),
        ("1.5", 0),
        ("²", 0),
        ("soon", 0),
        ("", 0),
    ],
)
def test_reads_numbers_and_dates(header: str, seconds: float) -> None:
    assert asked_seconds(header.encode("latin-1"), NOON) == seconds


@pytest.fixture
def slot() -> Slot:
    return Slot(1, 0.0, 0.5)


@pytest.fixture
def hosts(slot: Slot, monkeypatch: pytest.MonkeyPatch) -> BusyHosts:
    crawler: Any = get_crawler()
    settings: dict[str, Any] = {}
    downloader = SimpleNamespace(slots={"a": slot}, per_slot_settings=settings, get_slot_key=lambda _: "a")
    crawler.engine = SimpleNamespace(downloader=downloader)
    monkeypatch.setattr(busy_hosts, "rest", lambda *_: None)
    return BusyHosts.from_crawler(crawler)


@pytest.fixture
def answer(hosts: BusyHosts, slot: Slot) -> Callable[..., float]:
    """Have the host answer, and return its delay."""

    def arrive(status: int, latency: float = 0.0, **headers: str) -> float:
        request = Request("http://a.example/", meta={"download_slot": "a", "download_latency": latency})
        hosts.response_downloaded(Response(request.url, status, headers=headers), request)
        return slot.delay

    return arrive


def test_each_429_doubles_the_delay_up_to_a_minute_and_then_the_host_is_left(
    hosts: BusyHosts, answer: Callable[..., float]
) -> None:
    assert [answer(429) for _ in range(7)] == [1, 2, 4, 8, 16, 32, LONGEST_DELAY_SECONDS]
    assert list(hosts.lines()) == ["a asked for fewer requests 7 times: slowed to 60 s between requests"]
    answer(429)
    assert hosts.left == {"a": None}
    with pytest.raises(HostIsBusy, match="left to the next run"):
        hosts.process_request(Request("http://a.example/b"))


def test_answers_to_requests_from_before_the_slowdown_count_once(answer: Callable[..., float]) -> None:
    assert answer(429) == 1
    assert [answer(429, latency=5.0) for _ in range(8)] == [1] * 8


def test_a_longer_crawl_delay_stays(slot: Slot, answer: Callable[..., float]) -> None:
    slot.delay = 90.0
    assert answer(429) == 90.0


def test_the_rests_of_a_run_make_an_hour_together(hosts: BusyHosts, answer: Callable[..., float]) -> None:
    answer(503, **{"Retry-After": "3000"})
    answer(503, **{"Retry-After": "3000"})
    assert not hosts.left, "the same rest, asked for twice"
    hosts.hosts["a"].rests_until = monotonic()
    answer(503, **{"Retry-After": "3000"})
    assert hosts.left["a"] is not None


def test_a_503_that_names_no_time_changes_nothing(hosts: BusyHosts, answer: Callable[..., float]) -> None:
    assert answer(503) == 0.0
    assert list(hosts.lines()) == []
