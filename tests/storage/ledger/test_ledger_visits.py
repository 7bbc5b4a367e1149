from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, select

from newsextract.sites.visit_schedule import RetryPolicy
from newsextract.storage.ledger import Role, VisitRecord, record
from newsextract.storage.schema import ledger, metadata
from tests.storage.ledger.ledger_samples import NOON, admitted, finding, known, recorded, visit

if TYPE_CHECKING:
    from sqlalchemy import Engine

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
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
