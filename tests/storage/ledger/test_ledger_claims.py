from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import TYPE_CHECKING, TypeVar

import pytest
from sqlalchemy.exc import OperationalError

from newsextract.storage.ledger import Claim, claim, release
from newsextract.storage.run_lock import SILENT_SECONDS, end_run, heartbeat
from tests.storage.ledger.ledger_samples import NOON, admitted, begun, finding, recorded, visit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime

    from sqlalchemy import Engine

    from newsextract.storage.run_lock import Run

T = TypeVar("T")

HOUR = timedelta(hours=1)
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
