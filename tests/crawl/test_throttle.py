"""The network of a crawl: the pace of hosts, rests, connections, and addresses that are refused."""

from __future__ import annotations

import os
import sqlite3
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from time import monotonic
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot
from scrapy.http import Response
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from twisted.internet.defer import Deferred, succeed
from twisted.web.client import HTTPConnectionPool

from newsextract.crawl.outcome import HostIsBusy, HostIsSilent, HostRests
from newsextract.crawl.requests import VISIT, Visit
from newsextract.crawl.scrapy_versions import STEADY, UNREACHABLE, HostNotFound
from newsextract.crawl.spider_arguments import SpiderArguments
from newsextract.crawl.throttle import (
    LONGEST_DELAY_SECONDS,
    MOST_FAILURES,
    Throttle,
    asked_seconds,
    bound_idle_connections,
    open_limit,
)
from newsextract.sites.site import Limits, Site
from newsextract.storage.ledger import Finding, Role
from newsextract.tools.crawl import NOTHING_READ, SITES_UNREACHED, check_sites
from tests.scrapy_runs import NOWHERE, STORY, Reply, html, listing, moved, story

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from twisted.internet.interfaces import IReactorCore

    from tests.scrapy_runs import Routes, Run, Scrapy, TinySite, TinyWeb


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
URL = "https://a.example/story.html"
RANDOM: dict[str, Any] = dict.fromkeys(STEADY, 0.5)
TIMEOUT = next(kind for kind, reason in UNREACHABLE.items() if reason == "timeout")()


@pytest.mark.parametrize(("header", "seconds"), [
    (" 7 ", 7),
    (format_datetime(NOON + timedelta(seconds=90), usegmt=True), 90),
    (format_datetime(NOON - timedelta(days=1), usegmt=True), 0),
    ("9" * 400, 86400),
    *((text, 0) for text in ("-5", "1.5", "²", "soon", "")),
])  # fmt: skip
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
    ("asked", "applied"), [(None, 0.5), (0.0, 0.5), (0.2, 0.5), (3.0, 3.0), (float("inf"), 0.5), (float("nan"), 0.5)]
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


PATHS = [f"/2026/05/{day}/a-bridge-of-five-words.html" for day in range(10, 16)]
STORIES = {path: html(story(number)) for number, path in enumerate(PATHS)}


class Clocked:
    """Routes that note when each is asked for, and give other answers to the first requests for some."""

    def __init__(self, routes: Routes, first: dict[str, list[Reply]]) -> None:
        self.asked: list[tuple[float, str]] = []
        self.first = defaultdict(list, first)
        self.known = routes

    @property
    def routes(self) -> Routes:
        return {"*": self.answer}

    def answer(self, path: str) -> Reply:
        self.asked.append((monotonic(), path))
        if self.first[path]:
            return self.first[path].pop(0)
        found = self.known.get(path, NOWHERE)
        return found if isinstance(found, Reply) else found(path)

    def gap_after(self, path: str) -> float:
        """Return the seconds between the first request for a path and the one after it, whatever it asks for."""
        times = [time for time, _ in self.asked]
        number = [each for _, each in self.asked].index(path)
        return times[number + 1] - times[number]


def busy(status: int, after: str) -> Reply:
    return Reply(b"later", status, {"Content-Type": "text/html", "Retry-After": after})


def one_by_one(crawl: Scrapy, folder: Path, sites: str, *more: str) -> Run:
    # With a delay, as Scrapy counts the requests under way only a moment later.
    slowly = ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "-s", "DOWNLOAD_DELAY=0.02", "-s", "RETRY_TIMES=2")
    return crawl(folder, sites, *slowly, *more)


def test_nothing_is_asked_of_a_host_in_the_time_it_names(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    # One page is left after it, as a 429 costs a second for each.
    clocked = Clocked({"/": html(listing(*PATHS)), **STORIES}, {PATHS[1]: [busy(429, "1")]})
    site = tiny_web(clocked.routes)
    run = one_by_one(crawl, tmp_path, site.home)
    assert run.code == 0
    assert clocked.gap_after(PATHS[1]) >= 1
    assert run.states["article"] == len(PATHS)
    assert f"{site.name} asked for fewer requests 1 times: rested 1 s" in run.out


def test_robots_txt_is_asked_for_again_after_the_pause(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    clocked = Clocked({"/": html(listing(*PATHS)), **STORIES}, {"/robots.txt": [busy(503, "1")]})
    site = tiny_web(clocked.routes)
    run = one_by_one(crawl, tmp_path, site.home)
    assert clocked.gap_after("/robots.txt") >= 1
    assert run.states["article"] == len(PATHS)


def test_other_hosts_go_on_while_one_rests(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    # So many that the other host still has some when the first one rests, whichever home page is read first.
    many = [f"/2026/06/{day:02}/a-tunnel-of-{name}-words.html" for day in range(1, 31) for name in ("five", "nine")]
    stories = {path: html(story(number)) for number, path in enumerate(many)}
    resting = Clocked({"/": html(listing(*PATHS)), **STORIES}, {PATHS[-1]: [busy(503, "2")]})
    quick = Clocked({"/": html(listing(*many)), **stories}, {})
    sites = [tiny_web(resting.routes), tiny_web(quick.routes)]
    # The resting host has more requests waiting than there may be at once.
    run = one_by_one(crawl, tmp_path, ",".join(site.home for site in sites), "-s", "CONCURRENT_REQUESTS=3")
    assert run.states["article"] == len(PATHS) + len(many)
    assert resting.gap_after(PATHS[-1]) >= 2
    number = [path for _, path in resting.asked].index(PATHS[-1])
    (began, _), (ended, _) = resting.asked[number : number + 2]
    # More than could have been on their way.
    assert sum(began < time < ended for time, _ in quick.asked) >= 3


def test_a_host_that_asks_for_more_than_an_hour_is_left_to_the_next_run_and_then_until_it_is_time(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    clocked = Clocked({"/": html(listing(*PATHS)), **STORIES}, {PATHS[2]: [busy(429, "7200")]})
    site = tiny_web(clocked.routes)
    run = one_by_one(crawl, tmp_path, site.home)
    assert clocked.asked[-1][1] == PATHS[2]
    assert f"{site.name} asked for fewer requests 1 times: slowed to 1 s" in run.out
    assert "left to the next run, from 20" in run.out
    with sqlite3.connect(tmp_path / "output" / "newsextract.db") as database:
        (soonest,) = database.execute("select min(next_visit) from ledger").fetchone()
    assert datetime.fromisoformat(soonest) > datetime.now(UTC) + timedelta(hours=1.9)
    count = len(clocked.asked)
    assert one_by_one(crawl, tmp_path, site.home).code == 0
    assert len(clocked.asked) == count


def test_no_page_is_fetched_while_the_rules_of_its_host_are_out_of_reach(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    robots = Clocked({"/": html(listing(*PATHS)), **STORIES}, {"/robots.txt": [Reply(b"", 500)]})
    site = tiny_web(robots.routes)
    assert crawl(tmp_path, site.home).code == NOTHING_READ
    assert [path for _, path in robots.asked] == ["/robots.txt"]
    again = crawl(tmp_path, site.home)
    assert (again.code, again.states["article"]) == (0, len(PATHS))


def test_three_requests_at_once_wait_for_the_same_rules(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    rules = Reply(b"User-agent: *\nDisallow: /2026/", headers={})
    site = tiny_web({"/robots.txt": rules, "/": html(listing(*PATHS)), **STORIES})
    starts = ", ".join(f"{site.home}{path}" for path in ("", "2026/a/", "2026/b/", "2026/c/"))
    (tmp_path / "sites.yml").write_text(f"sites:\n  - start: [{starts}]\n")
    crawl(tmp_path, "sites.yml")
    assert site.log.count("/robots.txt") == 1
    assert [path for path in site.log if path.startswith("/2026/")] == []


def test_a_site_out_of_reach_is_due_again_at_once_and_the_exit_code_says_so(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    well = tiny_web({"/": html(listing(*PATHS)), **STORIES})
    away = tiny_web({"*": Reply(b"", 503)})
    (tmp_path / "sites.yml").write_text(
        f"defaults: {{schedule: 6h}}\nsites:\n  - start: {well.home}\n  - start: {away.home}\n"
    )
    assert crawl(tmp_path, "sites.yml").code == SITES_UNREACHED
    asked = len(well.log), len(away.log)
    again = crawl(tmp_path, "sites.yml")
    assert again.code == NOTHING_READ, "the other is not due"
    assert (len(well.log), len(away.log) > asked[1]) == (asked[0], True)


DRIPPING = {"/robots.txt": "error: timeout (1)", "/rss": "", PATHS[0]: "error: timeout (1)"}


def test_a_server_that_drips_costs_one_timeout(crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path) -> None:
    feed = '<link rel="alternate" type="application/rss+xml" href="/rss">'
    sites = {path: tiny_web({"/": html(listing(PATHS[0], head=feed)), **STORIES}) for path in DRIPPING}
    for path, site in sites.items():
        site.dripping.add(path)
    homes = ",".join(site.home for site in sites.values())
    run = crawl(tmp_path, homes, "-s", "DOWNLOAD_TIMEOUT=0.7", "-s", "RETRY_TIMES=2")
    troubles = {line.partition(": ")[0]: line for line in run.out.splitlines()}
    for path, site in sites.items():
        assert site.log.count(path) == 1
        assert DRIPPING[path] in troubles.get(site.name, "")


def test_a_request_that_this_machine_cannot_send_says_nothing_about_the_site(
    crawl: Scrapy, tiny_web: TinyWeb, tmp_path: Path
) -> None:
    site = tiny_web({"/": html(listing(*PATHS)), **STORIES})
    # As when no descriptor is left: "Couldn't bind"
    run = crawl(tmp_path, site.home, "-s", "DOWNLOAD_BIND_ADDRESS=203.0.113.1", "-s", "RETRY_TIMES=0")
    assert "this machine cannot send them" in run.err
    assert "allows everything" not in run.err
    assert run.states == {}
    assert len(crawl(tmp_path, site.home).lines) == len(PATHS)


resource: Any = pytest.importorskip("resource")


@pytest.fixture
def few_files() -> Iterator[int]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_crawl_takes_what_the_system_gives(few_files: int) -> None:
    if few_files == 1024:
        pytest.skip("the system gives no more")
    assert open_limit() > 1024
    assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == open_limit()


@pytest.mark.parametrize(("limit", "seconds"), [(1024, 8), (10_240, 85), (100_000, 240), (50, 1)])
def test_connections_of_many_hosts_that_are_done_with_end_before_the_limit_is_reached(
    limit: int, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("newsextract.crawl.throttle.open_limit", lambda: limit)
    monkeypatch.setattr(HTTPConnectionPool, "cachedConnectionTimeout", 240)
    bound_idle_connections()
    assert HTTPConnectionPool.cachedConnectionTimeout == seconds


ALLOWED = ("-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1")
NAMES = ("-s", "TWISTED_DNS_RESOLVER=tests.crawl.test_throttle.InsideResolver")


class InsideResolver:
    """A hostile name server: every name, IP addresses too, resolves to what the environment says."""

    def __init__(self, reactor: IReactorCore) -> None:
        self.reactor = reactor

    @classmethod
    def from_crawler(cls, _crawler: object, reactor: IReactorCore) -> InsideResolver:
        return cls(reactor)

    def install_on_reactor(self) -> None:
        from twisted.internet.interfaces import IResolverSimple
        from zope.interface import directlyProvides

        directlyProvides(self, IResolverSimple)
        self.reactor.installResolver(self)

    def getHostByName(self, name: str, _timeout: object = ()) -> Deferred[str]:  # noqa: N802
        return succeed(name if name[0].isdigit() else os.environ["INSIDE"])


@pytest.fixture(scope="module")
def inside(tiny_web: TinyWeb) -> TinySite:
    return tiny_web({"*": html(story())}, "127.0.0.2")


@pytest.fixture(scope="module")
def run(inside: TinySite, tiny_web: TinyWeb, crawl: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Run:
    secret = f"{inside.home}secret.xml"
    feed = f'<link rel="alternate" type="application/rss+xml" href="{inside.home}feed">'
    sitemaps = f"Sitemap: {secret}\nSitemap: /moved.xml\nSitemap: http://0x7f.2:{inside.server_port}/"
    outside = tiny_web(
        {
            "/": html(listing(STORY, "/2026/05/20/a-bridge-that-leads-far-inside.html", head=feed)),
            STORY: html(story()),
            "/2026/05/20/a-bridge-that-leads-far-inside.html": moved(f"{inside.home}story.html"),
            "/moved.xml": moved(f"{inside.home}other.xml"),
            "/.well-known/tdmrep.json": moved(f"{inside.home}tdmrep.json"),
            "/robots.txt": Reply(sitemaps.encode()),
        }
    )
    return crawl(tmp_path_factory.mktemp("inside"), outside.home, *ALLOWED)


def test_asks_nothing_of_an_address_that_is_not_allowed(run: Run, inside: TinySite) -> None:
    assert run.code == 0
    assert inside.log == []
    assert len(run.lines) == 1
    assert run.adds_up()


def test_counts_what_it_refuses(run: Run) -> None:
    assert run.stats["newsextract/sources/unread/private address"] == 4
    # And of the two hosts, off the site, the robots.txt.
    assert run.stats["newsextract/private_addresses/refused"] == 6
    assert run.reasons["error/redirects off the site"] == 1


def test_a_name_that_leads_inside_is_refused(crawl: Scrapy, tmp_path: Path, inside: TinySite) -> None:
    home = f"http://news.example:{inside.server_port}/"
    run = crawl(tmp_path, home, *ALLOWED, *NAMES, INSIDE="127.0.0.2")
    assert run.code == 1
    assert run.reasons == {"blocked/private address": 1}
    assert inside.log == []


def test_a_name_may_lead_to_an_allowed_address(crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb) -> None:
    site = tiny_web({"/": html(listing(STORY)), STORY: html(story())})
    home = f"http://news.example:{site.server_port}/"
    assert len(crawl(tmp_path, home, *ALLOWED, *NAMES, INSIDE="127.0.0.1").lines) == 1


def test_a_proxy_may_be_private_and_what_it_is_asked_for_may_not(
    crawl: Scrapy, tmp_path: Path, tiny_web: TinyWeb
) -> None:
    home = "http://news.example/"
    robots = b"Sitemap: http://192.168.0.1/sitemap.xml\nSitemap: http://127.0.0.1/sitemap.xml"
    proxy = tiny_web({home: html(listing()), f"{home}robots.txt": Reply(robots)})
    run = crawl(tmp_path, home, "-s", "NEWSEXTRACT_PRIVATE_ADDRESSES=0", http_proxy=proxy.home)
    assert run.stats["newsextract/pages"] == 1
    assert {path for path in proxy.log if not path.startswith(home)} == set()
    assert run.stats["newsextract/sources/unread/private address"] == 2


def test_a_start_page_that_is_private_is_an_error(scrapy: Scrapy, tmp_path: Path) -> None:
    home = "http://127.0.0.1:9/"
    run = scrapy(tmp_path, "crawl", "news", "-a", f"sites={home}", SCRAPY_SETTINGS_MODULE="settings.production")
    assert run.code == 2
    assert f"{home} is a private address" in run.err
    assert "NEWSEXTRACT_PRIVATE_ADDRESSES=127.0.0.1" in run.err


@pytest.mark.parametrize("home", ["http://localhost:9/", "http://0x7f.1:9/", "http://[::1]:9/", "http://2130706433/"])
def test_a_start_page_is_private_in_any_spelling(home: str) -> None:
    with pytest.raises(ValueError, match="is a private address"):
        check_sites([Site(home)], Settings())
    check_sites([Site(home)], Settings({"NEWSEXTRACT_PRIVATE_ADDRESSES": ["127.0.0.0/8", "::1"]}))
