"""A site over two weeks, with a run every half hour."""

from __future__ import annotations

import random
from bisect import bisect
from datetime import datetime, timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

from sqlalchemy import Engine, create_engine

from newsextract.storage.ledger import Admission, Finding, Role, admit, record
from newsextract.storage.schema import metadata
from tests.storage.ledger.ledger_samples import NOON, finding, visit

if TYPE_CHECKING:
    from collections.abc import Callable

HOUR = timedelta(hours=1)
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
