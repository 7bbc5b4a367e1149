"""What is left to visit on a site, in which order and when again, and the traps that crawlers are led into."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.page.links import Link
from newsextract.sites import frontier
from newsextract.sites.article_address import Candidate
from newsextract.sites.frontier import (
    MAX_LISTING_DEPTH,
    MAX_LISTINGS,
    MAX_OF_SHAPE,
    MAX_SOURCES_WITHOUT_FIND,
    VISITS_WITHOUT_ARTICLE,
    WINDOW,
    Frontier,
    TrapGuard,
    trap_of,
)
from newsextract.sites.sitemaps import SitemapLink
from newsextract.sites.visit_schedule import (
    ARTICLE_LIFE,
    MIN_ARTICLE_WAIT,
    RetryPolicy,
    is_due_by_source,
    next_article_visit,
    next_failed_visit,
    next_listing_interval,
)
from tests.sites.frontiers import offer, take

if TYPE_CHECKING:
    from newsextract.sites.article_address import Source


NOW = datetime(2026, 5, 20, tzinfo=UTC)
HOME = "https://example.com/"


def candidate(path: str, source: Source = "sitemap", *, days: int | None = None, title: str | None = None) -> Candidate:
    return Candidate(HOME + path, source, None if days is None else NOW - timedelta(days=days), title)


def paths(candidates: list[Candidate]) -> list[str]:
    return [candidate.url.removeprefix(HOME) for candidate in candidates]


def sitemaps(frontier: Frontier) -> list[str]:
    return [link.url for link in frontier.take_sitemaps()]


def test_the_frontier_hands_out_the_newest_first_and_nothing_twice() -> None:
    frontier = Frontier("example.com")
    offer(
        frontier, [candidate("2026/a"), candidate("2026/b", days=2), candidate("2026/c", days=1), candidate("2026/c")]
    )
    assert paths(take(frontier)) == ["2026/c", "2026/b", "2026/a"]
    offer(frontier, [candidate("2026/c/"), Candidate("http://www.example.com/2026/a?utm_source=x", "feed")])
    assert take(frontier) == []


def test_the_frontier_leaves_out_what_is_elsewhere_old_or_no_page() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=2))
    elsewhere = Candidate("https://other.example/a", "feed")
    offer(
        frontier,
        [candidate("old", days=3), candidate("new", days=1), candidate("undated"), candidate("a.pdf"), elsewhere],
    )
    assert sorted(paths(take(frontier))) == ["new", "undated"]


def test_links_wait_for_the_dates_that_sources_know() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=2))
    frontier.sources.open("sitemap")
    offer(frontier, [candidate("old", "links"), candidate("new", "links", title="Five words of a headline")])
    assert take(frontier) == []
    offer(frontier, [candidate("old", days=3), candidate("new", days=1)])
    (taken,) = take(frontier)
    assert (taken.url, taken.title, taken.date) == (HOME + "new", "Five words of a headline", NOW - timedelta(days=1))
    frontier.sources.close()
    assert take(frontier) == []


def test_the_frontier_never_hands_out_more_than_may_become_articles() -> None:
    frontier = Frontier("example.com", limit=2)
    offer(frontier, [candidate(str(number)) for number in range(10)])
    assert len(take(frontier)) == 2
    assert take(frontier) == []
    assert not frontier.reserve()
    frontier.release(HOME, held_place=True, is_article=False)
    assert len(take(frontier)) == 1
    for _ in range(2):
        frontier.release(HOME, held_place=True, is_article=True)
    assert frontier.is_full
    assert take(frontier) == []


def test_sitemaps_are_read_newest_first_without_the_old() -> None:
    frontier = Frontier("example.com", since=NOW - timedelta(days=10))
    links = [SitemapLink(f"{days}", NOW - timedelta(days=days)) for days in (5, 1, 30)]
    frontier.sources.add_sitemaps([*links, SitemapLink("undated")], frontier.since)
    assert sitemaps(frontier) == ["1", "5", "undated"]


def test_a_further_page_is_no_candidate_any_more() -> None:
    frontier = Frontier("example.com")
    offer(frontier, [candidate("a"), candidate("a/2")])
    assert frontier.claim_part(HOME + "a/2")
    assert not frontier.claim_part(HOME + "a/2/")
    assert (frontier.is_part(HOME + "a/2"), frontier.is_part(HOME + "a")) == (True, False)
    assert paths(take(frontier)) == ["a"]


def test_candidates_that_list_count_as_listings() -> None:
    frontier = Frontier("example.com")
    assert not frontier.open_listing(MAX_LISTING_DEPTH + 1, HOME)
    assert all(frontier.open_listing(1, HOME) for _ in range(MAX_LISTINGS))
    assert not frontier.open_listing(1, HOME)


def test_listings_are_bounded() -> None:
    frontier = Frontier("example.com")
    links = [Link(f"{HOME}section{number}", "Section") for number in range(MAX_LISTINGS + 50)]
    listings, candidates = frontier.sort_links(links, 1)
    assert (len(listings), candidates) == (MAX_LISTINGS, [])
    assert Frontier("example.com").sort_links(links, 9) == ([], [])


def test_what_is_new_comes_before_what_was_seen() -> None:
    frontier = Frontier("example.com")
    offer(frontier, [candidate("2026/seen", days=0), candidate("2026/new", days=9)], known=[HOME + "2026/seen"])
    assert [(each.url.removeprefix(HOME), each.is_revisit) for each in take(frontier)] == [
        ("2026/new", False),
        ("2026/seen", True),
    ]


def test_what_is_not_due_or_somebody_elses_is_not_visited() -> None:
    frontier = Frontier("example.com")
    wanted = frontier.filter([candidate("due"), candidate("not-due"), candidate("taken")])
    frontier.queue.add(wanted, {HOME + "due": False, HOME + "taken": False})
    asked = frontier.queue.take_best(WINDOW, with_links=True)
    assert frontier.queue.is_waiting
    frontier.queue.make_ready(asked, {HOME + "due"})
    assert (paths(frontier.take()), frontier.queue.is_waiting) == (["due"], False)


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

times = st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - hypothesis adds it
origins = st.sampled_from(["feed", "news_sitemap", "home", "links", "sitemap", None])
counts = st.integers(0, 10_000)


@given(times, st.none() | times, times, origins, counts, st.booleans())
def test_an_article_is_never_due_in_the_past_nor_soon_nor_beyond_its_life(
    now: datetime, published: datetime | None, first_seen: datetime, found_in: str | None, unchanged: int, changed: bool
) -> None:
    again = next_article_visit(now, published, first_seen, found_in=found_in, unchanged=unchanged, changed=changed)
    if again is not None:
        assert MIN_ARTICLE_WAIT <= again - now <= ARTICLE_LIFE


@given(times, st.timedeltas(timedelta(0), timedelta(days=20)), counts)
def test_more_visits_without_a_change_never_bring_the_next_one_nearer(
    now: datetime, age: timedelta, unchanged: int
) -> None:
    first, second = (
        next_article_visit(now, now - age, now, found_in="feed", unchanged=times, changed=False)
        for times in (unchanged, unchanged + 1)
    )
    assert second is None or (first is not None and first <= second)


@pytest.mark.parametrize(("found_in", "hours"), [("feed", 0.5), ("home", 0.5), ("sitemap", 24), ("links", 24)])
def test_undated_articles_count_from_when_they_were_seen_but_those_of_archives_wait_a_day(
    found_in: str, hours: float
) -> None:
    again = next_article_visit(NOON, None, NOON, found_in=found_in, unchanged=0, changed=False)
    assert again == NOON + hours * HOUR


@pytest.mark.parametrize(
    ("found_in", "depth", "hours"), [("links", 0, 6), ("feed", 1, 6), ("news_sitemap", 1, 6), ("links", 1, 168)]
)
def test_a_listing_that_has_died_is_visited_at_its_longest_interval(found_in: str, depth: int, hours: int) -> None:
    seconds = None
    for _ in range(20):
        seconds = next_listing_interval(seconds, changed=False, found_in=found_in, depth=depth)
    assert seconds == hours * 3600


@pytest.mark.parametrize(("retry", "tries"), [
    (RetryPolicy.of_state("error"), 10), (RetryPolicy.of_state("blocked"), 4),
    (RetryPolicy.of_state("empty"), 1), (RetryPolicy.of_state("other"), 0),
    (RetryPolicy.of_state("duplicate"), 0), (RetryPolicy.of_state("part"), 0),
    (RetryPolicy.of_status(503), 10), (RetryPolicy.of_status(429), 10), (RetryPolicy.of_status(403), 4),
    (RetryPolicy.of_status(404), 2), (RetryPolicy.of_status(410), 2),
])  # fmt: skip
def test_what_failed_is_tried_again_as_often_as_its_reason_deserves(retry: RetryPolicy, tries: int) -> None:
    visits = [next_failed_visit(NOON, failures, retry) for failures in range(1, 13)]
    assert [visit is not None for visit in visits] == [True] * tries + [False] * (12 - tries)


def test_the_run_after_a_timeout_tries_at_once_and_after_a_404_the_next_day() -> None:
    assert next_failed_visit(NOON, 1, RetryPolicy.TRANSIENT) == NOON
    assert next_failed_visit(NOON, 1, RetryPolicy.of_status(404)) == NOON + DAY


def test_a_source_that_cries_wolf_is_believed_less_and_less() -> None:
    visited, visits, unchanged = NOON, 0, 0
    for half_hours in range(1, 2 * 24 * 14):
        now = NOON + half_hours * HOUR / 2
        if is_due_by_source(now, visited, unchanged, now):
            visited, visits, unchanged = now, visits + 1, unchanged + 1
    assert visits == 9


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
    monkeypatch.setattr(frontier, "MAX_SOURCES", 3)
    guard = TrapGuard("a.example")
    assert [guard.admit_source(f"https://a.example/{number}.xml") for number in range(4)] == [True, True, True, False]
