"""Endless URLs are skipped, and no article's URL is."""

from __future__ import annotations

from datetime import date

import pytest

from newsextract.page.links import Link
from newsextract.sites import crawler_traps
from newsextract.sites.article_address import Candidate
from newsextract.sites.crawler_traps import (
    MAX_OF_SHAPE,
    MAX_SOURCES_WITHOUT_FIND,
    VISITS_WITHOUT_ARTICLE,
    TrapGuard,
    trap_of,
)
from newsextract.sites.frontier import MAX_LISTING_DEPTH, MAX_LISTINGS, Frontier
from tests.sites.frontiers import offer, take

TODAY = date(2026, 5, 14)
SITE = "https://example.com"

TRAPS = {
    "repeating path": ["/a/b/a/b/a/b/", "/news/news/news/news/", "/en/a/1/en/a/2/en/a/3", "/x/a/b/c/a/b/c/a/b/c/y"],
    "deep path": ["/" + "/".join(f"f{number}" for number in range(17))],
    "faceted search": [
        "/shop?color=red&color=blue&color=green&color=black",
        "/list?f[0]=a&f[1]=b&f[2]=c&f[3]=d",
        "/list?filter_color=a&filter_size=b&filter_brand=c&filter_price=d",
    ],
    "calendar": [
        "/2099/05/14/", "/1066/10/14", "/9999-12-31", "/events/2031/07/", "/en/calendar/2019-02", "/termine/2040/1/2/",
        "/day?date=2093-01-01", "/list?year=3000", "/events/?tribe-bar-date=2031-05-01", "/archive?date=20990101",
    ],
}  # fmt: skip

ARTICLES = """
    /2026/05/14/floods-close-three-alpine-passes.html /2016/12/12/12/ /2609-2/ /article/9876/2 /1789/07/14/
    /blogs/in-the-know/in-the-know/325006-trump-cruz-joke /news/news/detail/76066-erfurt /ethik/ethik/398805-von
    /story/sports/college/2023/12/12/former-star-jeff-hunter-keeps-busy/71885625007/ /2012/08/08/ /events/2026/05/14/
    /termine-whisky-tastings-januar-mai-2020-halle-saale/5805 /events/2019/05/14/a-night-in-the-museum
    /agenda/2019/05/51234 /a.html;jsessionid=B01BDCE4530EF0FB9BD52A2652C1F167.2_cid390 /?p=12345 /index.php?id=30&a=1
    /viewtopic.php?f=4&t=167&sid=58428beaa14598c2e02d93ad5c773e4d /news?year=2024&month=5 /date/1900-01-01
    /calendar/2025/11/ /index.php?id=30&tx_ttnews[year]=2012&tx_ttnews[month]=10&tx_ttnews[day]=3&tx_ttnews[tt_news]=477
    /book?title=a&title=b&title=c
""".split()


@pytest.mark.parametrize(("reason", "path"), [(reason, path) for reason, paths in TRAPS.items() for path in paths])
def test_names_the_trap(reason: str, path: str) -> None:
    assert trap_of(SITE + path, TODAY) == reason


@pytest.mark.parametrize("path", ARTICLES)
def test_lets_pass(path: str) -> None:
    assert trap_of(SITE + path, TODAY) is None


def test_leaves_out_what_is_like_many_that_gave_no_article() -> None:
    guard = TrapGuard("example.com")
    urls = [f"{SITE}/item/{number}?view=day" for number in range(MAX_OF_SHAPE + 10)]
    for url in urls[:VISITS_WITHOUT_ARTICLE]:
        assert guard.admit(url)
        guard.note_visit(url, is_article=False)
    assert sum(map(guard.admit, urls[VISITS_WITHOUT_ARTICLE:])) == MAX_OF_SHAPE - VISITS_WITHOUT_ARTICLE
    assert guard.counts == {"too many alike": 10}
    assert guard.admit(f"{SITE}/other/1")


def test_one_article_lets_all_like_it_pass() -> None:
    guard = TrapGuard("example.com")
    for number in range(MAX_OF_SHAPE * 2):
        assert guard.admit(f"{SITE}/item/{number}")
        guard.note_visit(f"{SITE}/item/{number}", is_article=number == 7)


def test_reads_no_sitemaps_that_name_only_sitemaps_without_end() -> None:
    frontier = Frontier("example.com")
    opened = 0
    while opened < MAX_SOURCES_WITHOUT_FIND * 2 and frontier.sources.open(f"{SITE}/{opened}.xml"):
        frontier.sources.close()
        opened += 1
    assert opened == MAX_SOURCES_WITHOUT_FIND
    assert frontier.guard.counts == {"sitemaps without end": 1}


def test_a_frontier_says_what_its_bounds_cut() -> None:
    frontier = Frontier("example.com")
    sections = [Link(f"{SITE}/section-{'abcdefghij'[n % 10]}{'abcdefghijklmnopqrstuvwxyz'[n // 10]}/", "World")
                for n in range(MAX_LISTINGS + 9)]  # fmt: skip
    assert len(frontier.sort_links(sections, 1)[0]) == MAX_LISTINGS
    assert frontier.sort_links([Link(f"{SITE}/far/", "Far")], MAX_LISTING_DEPTH + 1) == ([], [])
    assert frontier.guard.counts == {"listing limit": 9, "depth limit": 1}


def test_a_frontier_takes_from_sitemaps_what_links_may_not_give() -> None:
    frontier = Frontier("example.com")
    url = f"{SITE}/news/news/news/news/floods-close-three-alpine-passes.html"
    assert frontier.sort_links([Link(url, "Floods close three Alpine passes")], 1) == ([], [])
    offer(frontier, [Candidate(url, "sitemap")])
    assert [candidate.url for candidate in take(frontier)] == [url]


def test_sitemaps_that_each_list_a_page_end_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawler_traps, "MAX_SOURCES", 3)
    guard = TrapGuard("a.example")
    assert [guard.admit_source(f"https://a.example/{number}.xml") for number in range(4)] == [True, True, True, False]
