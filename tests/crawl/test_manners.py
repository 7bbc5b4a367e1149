"""What hosts ask of us: pauses, fewer requests, and to stay away while their rules are not known."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING

from newsextract.tools.crawl import NOTHING_READ, SITES_UNREACHED
from tests.scrapy_runs import NOWHERE, Reply, html, listing, story

if TYPE_CHECKING:
    from pathlib import Path

    from tests.scrapy_runs import Routes, Run, Scrapy, TinyWeb

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


DRIPPING = {
    "/robots.txt": "error: timeout (1)",
    "/rss": "",
    PATHS[0]: "error: timeout (1)",
}


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
