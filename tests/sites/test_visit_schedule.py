from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.sites.visit_schedule import (
    ARTICLE_LIFE,
    MIN_ARTICLE_WAIT,
    RetryPolicy,
    is_due_by_source,
    next_article_visit,
    next_failed_visit,
    next_listing_interval,
)

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


@pytest.mark.parametrize(
    ("retry", "tries"),
    [
        (RetryPolicy.of_state("error"), 10),
        (RetryPolicy.of_state("blocked"), 4),
        (RetryPolicy.of_state("empty"), 1),
        (RetryPolicy.of_state("other"), 0),
        (RetryPolicy.of_state("duplicate"), 0),
        (RetryPolicy.of_state("part"), 0),
        (RetryPolicy.of_status(503), 10),
        (RetryPolicy.of_status(429), 10),
        (RetryPolicy.of_status(403), 4),
        (RetryPolicy.of_status(404), 2),
        (RetryPolicy.of_status(410), 2),
    ],
)
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
