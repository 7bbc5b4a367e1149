"""The ledger of URLs: admission, claims, visits, and when each is due again."""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate
from threading import Barrier
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine, select
from sqlalchemy.exc import OperationalError

from newsextract.article import Article
from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.articles import row_of
from newsextract.storage.ledger import (
    Admission,
    Claim,
    Finding,
    Pending,
    Role,
    VisitRecord,
    address_id,
    admit,
    claim,
    pending,
    prune_daily,
    record,
    release,
)
from newsextract.storage.run_lock import SILENT_SECONDS, end_run, heartbeat
from newsextract.storage.schema import ledger, metadata
from tests.storage.ledger.ledger_samples import NOON, SITE, admitted, begun, entries, finding, known, recorded, visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from newsextract.storage.run_lock import Run


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def left(engine: Engine, now: datetime, most: int = 10) -> list[str]:
    with engine.begin() as connection:
        (found,) = pending(connection, [Pending(SITE, now, most)])
    return [entry.url.rpartition("/")[2] for entry in found]


def test_an_article_has_the_same_key_in_the_ledger_and_in_its_table() -> None:
    url = "http://www.news.example/a/?b=1"
    assert row_of(Article(url=url))["id"] == address_id("https://news.example/a?b=1")


def test_new_addresses_are_wanted_in_their_order_and_each_once(engine: Engine) -> None:
    found = [finding(name) for name in ("z", "a", "m", "a")]
    assert admitted(engine, NOON, *found) == ["z", "a", "m"]
    assert admitted(engine, NOON, *reversed(found)) == ["a", "m", "z"], "nobody has visited them yet"


def test_what_was_visited_is_left_out_until_it_is_due(engine: Engine) -> None:
    found = finding("a")
    admitted(engine, NOON, found)
    recorded(engine, visit(found, NOON, published=NOON))
    assert admitted(engine, NOON + HOUR / 3, found, finding("b")) == ["b"]
    assert admitted(engine, NOON + HOUR / 2, found) == ["a"]


def test_spellings_of_an_address_are_one_page_but_several_sources(engine: Engine) -> None:
    urls = ("https://news.example/feed", "http://www.news.example/feed")
    for role, count in ((Role.ARTICLE, 1), (Role.SOURCE, 2)):
        assert len(admitted(engine, NOON, *(Finding(url, SITE, role) for url in urls))) == count


def test_more_findings_than_fit_one_statement_are_all_written(engine: Engine) -> None:
    found = [finding(f"a{number}") for number in range(1201)]
    assert len(admitted(engine, NOON, *found)) == 1201
    with engine.begin() as connection:
        assert None not in entries(connection, [one.id for one in found])


def test_admissions_of_one_batch_are_answered_each_for_itself(engine: Engine) -> None:
    with engine.begin() as connection:
        both = admit(connection, [Admission((finding("a"),), NOON), Admission((finding("b"), finding("a")), NOON)])
    assert [len(wanted) for wanted in both] == [1, 2]


def test_a_source_that_tells_more_is_heard_and_one_that_tells_less_changes_nothing(engine: Engine) -> None:
    admitted(engine, NOON, finding("a", hints={"title": "A"}))
    admitted(engine, NOON, finding("a", listed=NOON, hints={"date": "2026-03-01"}))
    admitted(engine, NOON, finding("a", listed=NOON - DAY))
    entry = known(engine, finding("a").id)
    assert entry.hints == {"title": "A", "date": "2026-03-01"}
    assert entry.listed == NOON


def test_titles_are_kept_but_for_characters_that_no_text_has(engine: Engine) -> None:
    title = "Ça \N{PILE OF POO} 新闻 \0 \ud800"
    admitted(engine, NOON, finding("a", hints={"title": title}))
    assert known(engine, finding("a").id).hints == {"title": "Ça \N{PILE OF POO} 新闻  \ufffd"}


def test_a_newer_date_in_the_source_makes_an_article_due(engine: Engine) -> None:
    found = finding("a", listed=NOON - DAY)
    admitted(engine, NOON, found)
    recorded(engine, visit(found, NOON, published=NOON - 10 * DAY))
    later = NOON + HOUR
    assert admitted(engine, later, found) == []
    assert admitted(engine, later, finding("a", listed=NOON + HOUR / 2)) == ["a"]
    recorded(engine, visit(found, later, "unchanged"))
    assert admitted(engine, later + HOUR / 2, finding("a", listed=later + HOUR / 3)) == [], "it cried wolf"
    assert admitted(engine, later + HOUR, finding("a", listed=later + HOUR / 3)) == ["a"]


def test_a_page_that_turns_out_to_be_a_section_is_due_as_one(engine: Engine) -> None:
    page, section = finding("sport"), finding("sport", Role.LISTING, found_in="links", depth=1)
    admitted(engine, NOON, page)
    assert recorded(engine, visit(page, NOON, "listing")).next_visit is None
    assert admitted(engine, NOON + DAY, page) == []
    assert admitted(engine, NOON + DAY, section) == ["sport"]
    assert known(engine, page.id).role is Role.LISTING
    recorded(engine, visit(section, NOON + DAY, "listing"))
    assert admitted(engine, NOON + DAY, page, section) == []


def test_an_article_stays_one_even_if_a_page_links_it_like_a_section(engine: Engine) -> None:
    recorded(engine, visit(finding("a"), NOON, article_id="1" * 32))
    assert admitted(engine, NOON, finding("a", Role.LISTING)) == []
    assert known(engine, finding("a").id).role is Role.ARTICLE


@pytest.mark.parametrize("role", [Role.LISTING, Role.SOURCE])
def test_listings_and_sources_are_wanted_by_their_own_rhythm(engine: Engine, role: Role) -> None:
    found = finding("politics", role, found_in="sitemap", depth=2)
    assert admitted(engine, NOON, found) == ["politics"]
    recorded(engine, visit(found, NOON, "listing"))
    assert admitted(engine, NOON + HOUR * 0.9, found) == []
    assert admitted(engine, NOON + HOUR, found) == ["politics"]


def test_what_earlier_runs_left_comes_newest_first_and_before_revisits(engine: Engine) -> None:
    admitted(engine, NOON, finding("undated"), finding("old", listed=NOON - DAY), finding("new", listed=NOON + HOUR))
    admitted(engine, NOON, finding("section", Role.LISTING), finding("read"))
    recorded(engine, visit(finding("read"), NOON, published=NOON))
    assert left(engine, NOON) == ["new", "undated", "old"]
    assert left(engine, NOON + HOUR) == ["new", "undated", "old", "read"]
    assert left(engine, NOON + HOUR, most=2) == ["new", "undated"]


def test_pruning_forgets_old_pages_but_no_article_and_nothing_recent(engine: Engine) -> None:
    recorded(engine, visit(finding("shop"), NOON - 500 * DAY, "other"))
    recorded(engine, visit(finding("article"), NOON - 500 * DAY, article_id="1" * 32))
    recorded(engine, visit(finding("thread"), NOON, "other"))
    with engine.begin() as connection:
        assert prune_daily(connection, [NOON]) == [1]
        gone, article, thread = entries(connection, [finding(name).id for name in ("shop", "article", "thread")])
    assert gone is None
    assert article
    assert thread


def test_what_a_living_run_holds_is_not_left_for_others(engine: Engine) -> None:
    admitted(engine, NOON, finding("a"), finding("b"))
    with engine.begin() as connection:
        claim(connection, [Claim(begun(engine).id, (finding("a").id,), NOON)])
    assert left(engine, NOON) == ["b"]
    assert set(left(engine, NOON + HOUR)) == {"a", "b"}, "that run has been silent for an hour"


A = finding("a")


def test_the_first_visit_writes_what_it_found(engine: Engine) -> None:
    admitted(engine, NOON, A)
    validators = {"etag": '"1"', "last_modified": "Sun, 01 Mar 2026 12:00:00 GMT"}
    found = {"content_hash": "c" * 32, "article_id": "d" * 32}
    entry = recorded(engine, visit(A, NOON, status=200, published=NOON - 4 * HOUR, changed=True, **validators, **found))
    assert (entry.etag, entry.last_modified) == tuple(validators.values())
    assert (entry.state, entry.content_hash, entry.article_id) == ("article", *found.values())
    assert (entry.date_published, entry.visited, entry.next_visit) == (NOON - 4 * HOUR, NOON, NOON + 2 * HOUR)
    assert not entry.is_new


def test_a_page_that_has_not_changed_keeps_all_but_its_times(engine: Engine) -> None:
    before = recorded(engine, visit(A, NOON, etag="1", article_id="d" * 32, content_hash="c" * 32, published=NOON))
    after = recorded(engine, visit(A, NOON + HOUR, "unchanged", status=304))
    same = ("state", "article_id", "content_hash", "etag", "date_published", "first_seen")
    assert [getattr(after, name) for name in same] == [getattr(before, name) for name in same]
    assert (after.visited, after.unchanged) == (NOON + HOUR, 1)


def test_unchanged_visits_stretch_the_wait_and_a_change_ends_that(engine: Engine) -> None:
    recorded(engine, visit(A, NOON, published=NOON - 8 * HOUR))
    quiet = recorded(engine, visit(A, NOON + 8 * HOUR, "unchanged"))
    assert quiet.next_visit == NOON + 24 * HOUR
    changed = recorded(engine, visit(A, NOON + 24 * HOUR, changed=True))
    assert (changed.unchanged, changed.next_visit) == (0, NOON + 32 * HOUR)


def test_a_failure_keeps_what_was_known_and_success_forgets_the_failures(engine: Engine) -> None:
    recorded(engine, visit(A, NOON, etag="1", article_id="d" * 32, published=NOON))
    failed = recorded(engine, visit(A, NOON + HOUR, "error", reason="timeout", etag="2"))
    assert (failed.state, failed.failures, failed.etag, failed.article_id) == ("error", 1, "1", "d" * 32)
    assert failed.next_visit == NOON + HOUR
    again = recorded(engine, visit(A, NOON + 2 * HOUR, "unchanged"))
    assert (again.state, again.failures, again.unchanged) == ("article", 0, 1)


def test_a_home_page_is_never_given_up_and_asked_for_in_every_run_while_its_server_is_away(engine: Engine) -> None:
    home = finding("", Role.LISTING, found_in=None, depth=0)
    for times in range(12):
        entry = recorded(engine, visit(home, NOON + times * DAY, "error", reason="timeout"))
        assert entry.next_visit == NOON + times * DAY
    gone = recorded(engine, visit(home, NOON + 12 * DAY, "error", reason="http 404", retry=RetryPolicy.PERMANENT))
    assert gone.next_visit == NOON + 12 * DAY + 6 * HOUR


def test_a_listing_that_nobody_admitted_is_recorded_too(engine: Engine) -> None:
    entry = recorded(engine, visit(finding("x", Role.LISTING, found_in="links"), NOON, "listing", changed=True))
    assert (entry.role, entry.first_seen, entry.interval_seconds) == (Role.LISTING, NOON, 3600)


def test_texts_that_do_not_fit_their_column_do_not_stop_the_batch(engine: Engine) -> None:
    entry = recorded(engine, visit(A, NOON, reason="r" * 500, last_modified="m" * 500))
    assert (entry.state, entry.last_modified) == ("article", None)


def test_a_visit_is_counted_once_however_often_it_is_recorded(engine: Engine) -> None:
    batch = [visit(A, NOON, published=NOON), visit(A, NOON + HOUR, "unchanged"), visit(finding("b"), NOON, "error")]
    recorded(engine, *batch)
    before = rows(engine)
    recorded(engine, *batch)
    assert rows(engine) == before


def test_a_visit_older_than_the_one_on_record_changes_nothing(engine: Engine) -> None:
    recorded(engine, visit(A, NOON, etag="new"))
    assert recorded(engine, visit(A, NOON - HOUR, etag="old")).etag == "new"


def rows(engine: Engine) -> list[object]:
    with engine.begin() as connection:
        return list(connection.execute(select(ledger).order_by(ledger.c.id)))


STATES = ("article", "unchanged", "error", "blocked", "empty", "other", "listing", "duplicate", "dropped", "read")
visits = st.builds(
    lambda name, role, **known: visit(finding(name, role), **known),
    st.sampled_from("abc"),
    st.sampled_from(Role),
    at=st.timedeltas(-90 * DAY, 90 * DAY).map(NOON.__add__),
    state=st.sampled_from(STATES),
    published=st.none() | st.just(NOON),
    changed=st.booleans(),
)


@settings(deadline=None, max_examples=30)
@given(st.lists(visits, max_size=8, unique_by=lambda one: (one.id, one.at.replace(microsecond=0))))
def test_any_batch_may_be_repeated_and_plans_nothing_in_the_past(batch: list[VisitRecord]) -> None:
    memory = create_engine("sqlite://")
    metadata.create_all(memory)
    with memory.begin() as connection:
        record(connection, batch)
    once = rows(memory)
    with memory.begin() as connection:
        record(connection, batch)
    assert rows(memory) == once
    for one in batch:
        entry = known(memory, one.id)
        assert entry.visited is not None
        assert entry.next_visit is None or entry.next_visit >= entry.visited
    memory.dispose()


T = TypeVar("T")

SILENT = timedelta(seconds=SILENT_SECONDS)
FOUND = [finding(name) for name in "abc"]
IDS = [found.id for found in FOUND]


@pytest.fixture
def first(engine: Engine) -> Run:
    """Begin a run on a ledger with three new addresses."""
    admitted(engine, NOON, *FOUND)
    return begun(engine)


def claimed(engine: Engine, run: Run, ids: Iterable[str], now: datetime = NOON) -> set[str]:
    with engine.begin() as connection:
        (taken,) = claim(connection, [Claim(run.id, tuple(ids), now)])
    return taken


def test_what_one_run_holds_another_does_not_get(engine: Engine, first: Run) -> None:
    second = begun(engine)
    assert claimed(engine, first, IDS[:2]) == set(IDS[:2])
    assert claimed(engine, second, IDS) == {IDS[2]}
    assert claimed(engine, first, IDS) == set(IDS[:2]), "a claim may be repeated"


def test_what_is_released_is_free_again_but_only_its_holder_can_release_it(engine: Engine, first: Run) -> None:
    second = begun(engine)
    claimed(engine, first, IDS)
    with engine.begin() as connection:
        release(connection, [(second.id, IDS), (first.id, IDS[:1])])
    assert claimed(engine, second, IDS) == {IDS[0]}


def test_claims_of_runs_that_ended_do_not_count(engine: Engine, first: Run) -> None:
    claimed(engine, first, IDS)
    with engine.begin() as connection:
        end_run(connection, [(first.id, "finished", {}, NOON)])
    assert claimed(engine, begun(engine), IDS) == set(IDS)


def test_claims_of_a_run_that_is_silent_do_not_count(engine: Engine, first: Run) -> None:
    claimed(engine, first, IDS)
    second = begun(engine)
    later = NOON + SILENT + timedelta(seconds=1)
    assert claimed(engine, second, IDS, NOON + SILENT) == set()
    assert claimed(engine, second, IDS, later) == set(IDS)


def test_a_heartbeat_keeps_the_claims(engine: Engine, first: Run) -> None:
    claimed(engine, first, IDS)
    with engine.begin() as connection:
        assert heartbeat(connection, [(first.id, NOON + SILENT)]) == [True]
    assert claimed(engine, begun(engine), IDS, NOON + 2 * SILENT) == set()


def test_what_another_run_has_visited_since_the_admission_is_not_taken(engine: Engine, first: Run) -> None:
    second = begun(engine)
    claimed(engine, first, IDS[:1])
    recorded(engine, visit(FOUND[0], NOON, published=NOON))
    assert claimed(engine, second, IDS[:2]) == {IDS[1]}
    assert claimed(engine, second, IDS[:1], NOON + HOUR) == {IDS[0]}, "it is due again"


def test_an_article_that_its_source_made_due_is_taken_once(engine: Engine, first: Run) -> None:
    old = visit(FOUND[0], NOON, published=NOON - timedelta(days=10))
    recorded(engine, old)
    later = NOON + HOUR
    assert claimed(engine, first, IDS[:1], later) == set()
    assert admitted(engine, later, finding("a", listed=NOON + HOUR / 2)) == ["a"]
    second = begun(engine)
    assert claimed(engine, first, IDS[:1], later) == {IDS[0]}
    recorded(engine, visit(FOUND[0], later, "unchanged"))
    assert claimed(engine, second, IDS[:1], later) == set()


def test_crawlers_that_want_the_same_at_once_never_visit_it_twice(engine: Engine) -> None:
    crawlers, rounds = 4, 5
    found = {one.id: one for one in (finding(f"x{number}") for number in range(200))}
    admitted(engine, NOON, *found.values())
    barrier = Barrier(crawlers)

    def crawl(run: Run, seed: int) -> list[str]:
        visited: list[str] = []
        for number in range(rounds):
            wanted = random.Random(seed + number).sample(list(found), 80)  # noqa: S311 - an order, no secret
            barrier.wait()
            taken = persistently(partial(claimed, engine, run, wanted))
            visited += taken
            if number % 2:  # the others keep their claims
                visits = [visit(found[key], NOON, published=NOON) for key in taken]
                persistently(partial(recorded, engine, *visits) if visits else set)
        return list(dict.fromkeys(visited))

    with ThreadPoolExecutor(crawlers) as pool:
        visited = list(pool.map(crawl, [begun(engine) for _ in range(crawlers)], range(0, 1000, 100)))
    counts = Counter(key for one in visited for key in one)
    assert set(counts.values()) == {1}, "an address was given to two crawlers"
    assert len(counts) > 150


def persistently(batch: Callable[[], T]) -> T:
    """Repeat the batch after a deadlock, as the writer of a crawl does."""
    for _ in range(5):
        try:
            return batch()
        except OperationalError:
            continue
    return batch()


FORTNIGHT = timedelta(days=14)


def visits_of(found: Finding, state: str, last_change: Callable[[datetime], datetime]) -> list[tuple[datetime, bool]]:
    """Return when runs visited an address and whether they found a change, given when it last changed at a time."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    visited: list[tuple[datetime, bool]] = []
    now = NOON
    while now <= NOON + FORTNIGHT:
        is_changed = bool(visited) and last_change(now) > visited[-1][0]
        if visit_if_due(engine, found, now, state if is_changed or not visited else "unchanged"):
            visited.append((now, is_changed))
        now += HOUR / 2
    engine.dispose()
    return visited


def visit_if_due(engine: Engine, found: Finding, now: datetime, state: str) -> bool:
    with engine.begin() as connection:
        if not admit(connection, [Admission((found,), now)])[0]:
            return False
        published = NOON if found.role is Role.ARTICLE else None
        record(connection, [visit(found, now, state, changed=state != "unchanged", published=published)])
    return True


def test_an_article_that_never_changes_is_fetched_seven_times() -> None:
    visited = visits_of(finding("a"), "article", lambda _: NOON)
    hours = [(time - NOON) / HOUR for time, _ in visited]
    assert hours == [0, 0.5, 1, 2, 3, 15, 75]


def test_an_article_that_changes_in_its_first_hours_is_seen_so_within_the_hour() -> None:
    def last_change(now: datetime) -> datetime:
        return NOON + int((min(now, NOON + 3 * HOUR) - NOON) / (HOUR * 0.75)) * HOUR * 0.75

    visited = visits_of(finding("a"), "article", last_change)
    times = [time for time, _ in visited]
    for change in (NOON + number * HOUR * 0.75 for number in range(1, 5)):
        assert min(time for time in times if time >= change) - change <= HOUR
    assert len(visited) < 15


def section(name: str) -> Finding:
    return finding(name, Role.LISTING, found_in="links", depth=1)


def test_a_section_that_gets_an_article_an_hour_is_visited_about_hourly() -> None:
    chance = random.Random(0)  # noqa: S311 - news comes when it comes
    gaps = (chance.expovariate(1.0) for _ in range(1000))
    articles = [NOON + hours * HOUR for hours in accumulate(gaps)]
    visited = visits_of(section("busy"), "listing", lambda now: articles[max(bisect(articles, now) - 1, 0)])
    assert 0.8 * FORTNIGHT < len(visited) * HOUR < 1.25 * FORTNIGHT


def test_a_section_that_has_died_is_visited_nine_times_and_then_weekly() -> None:
    visited = [time for time, _ in visits_of(section("dead"), "listing", lambda _: NOON)]
    assert len(visited) == 9
    assert visited[-1] - visited[-2] > timedelta(days=5)


def test_a_front_page_that_lives_is_looked_at_by_every_run() -> None:
    home = finding("", Role.LISTING, found_in=None, depth=0)
    assert len(visits_of(home, "listing", lambda now: now)) == 2 * FORTNIGHT / HOUR + 1
