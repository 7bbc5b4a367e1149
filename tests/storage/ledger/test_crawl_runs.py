"""Runs of a crawl: their sites, what is left when one dies, and articles that are removed."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Barrier
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select
from sqlalchemy.exc import OperationalError

from newsextract.newsroom.health.figures import (
    Look,
    SiteFigures,
    SiteRun,
    looks,
    put_site_runs,
    recent_runs,
    seen_sites,
)
from newsextract.storage.ledger import record
from newsextract.storage.removals import TO_FRONT_PAGE, last_removals
from newsextract.storage.run_lock import (
    SILENT_SECONDS,
    LastVisit,
    Run,
    SiteVisit,
    boot_of,
    complete_site,
    end_run,
    heartbeat,
    is_alive,
    last_visits,
    living_runs,
    revive,
    start_site,
    sweep,
)
from newsextract.storage.schema import runs
from tests.storage.ledger.ledger_samples import NOON, SITE, begin, begun, finding, known, visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine

    from newsextract.storage.ledger import VisitRecord
    from newsextract.storage.removals import Removal


COMMAND = "c" * 32
SILENT = timedelta(seconds=SILENT_SECONDS)
LATER = NOON + timedelta(seconds=30)


def new_run(command: str = COMMAND) -> Run:
    return Run.here("news", command, {"sites": "sites.yml"}, job="job1")


@pytest.fixture
def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_run_that_is_going_is_returned_instead_of_beginning_another(engine: Engine) -> None:
    first = begun(engine, command=COMMAND)
    other = begin(engine, new_run())
    assert other == replace(first, started=NOON)
    assert begin(engine, new_run("another")) is None


def test_beginning_may_be_repeated(engine: Engine) -> None:
    run = new_run()
    assert begin(engine, run) is None
    assert begin(engine, run) is None


def test_a_command_may_run_again_when_it_has_ended(engine: Engine) -> None:
    first = begun(engine, command=COMMAND)
    with engine.begin() as connection:
        end_run(connection, [(first.id, "finished", {"pages": 3, "start_time": NOON}, LATER)])
        row = connection.execute(select(runs)).mappings().one()
    assert (row["reason"], row["stats"]["pages"], row["exclusive"]) == ("finished", 3, None)
    assert begin(engine, new_run()) is None


def test_a_run_that_was_taken_for_dead_goes_on_unless_another_took_its_place(engine: Engine) -> None:
    late = NOON + SILENT + timedelta(seconds=1)
    for has_successor in (False, True):
        first = replace(new_run(str(has_successor)), host="elsewhere")
        assert begin(engine, first, NOON) is None
        with engine.begin() as connection:
            assert sweep(connection, late) == [first.id]
            assert heartbeat(connection, [(first.id, late)]) == [False]
        if has_successor:
            assert begin(engine, replace(first, id="2" * 32), late) is None
        with engine.begin() as connection:
            assert revive(connection, [(first, late)]) == [not has_successor]
            assert (first.id in living_runs(connection, late)) is not has_successor


BOOTS = {"unknown": "", "now": boot_of(os.getpid()), "earlier": "another start of the host"}


@pytest.mark.parametrize("boot", BOOTS.values(), ids=BOOTS)
def test_a_run_whose_process_is_gone_does_not_hold_back_the_next(engine: Engine, dead_process: int, boot: str) -> None:
    first = replace(new_run(), pid=dead_process, boot=boot)
    assert begin(engine, first) is None
    assert begin(engine, new_run()) is None
    with engine.begin() as connection:
        died = connection.execute(select(runs.c.reason).where(runs.c.id == first.id)).scalar_one()
        assert died == "died"
        assert heartbeat(connection, [(first.id, LATER)]) == [False]


def test_a_process_of_the_same_number_after_a_restart_is_another(engine: Engine) -> None:
    assert begin(engine, replace(new_run(), boot="another start of the host/1")) is None
    assert begin(engine, new_run()) is None


def test_a_run_of_another_host_holds_back_the_next_until_it_is_silent(engine: Engine, dead_process: int) -> None:
    assert begin(engine, replace(new_run(), host="elsewhere", pid=dead_process), NOON) is None
    assert begin(engine, new_run(), NOON + SILENT) is not None
    assert begin(engine, new_run(), NOON + SILENT + timedelta(seconds=1)) is None


def test_of_several_that_begin_at_once_one_wins_and_the_others_are_told(engine: Engine) -> None:
    barrier = Barrier(4)

    def compete(run: Run) -> Run | None:
        barrier.wait()
        while True:
            try:
                return begin(engine, run)
            except OperationalError:  # a deadlock is a reason to repeat the batch
                continue

    with ThreadPoolExecutor(4) as pool:
        for number in range(5):
            competitors = [new_run(f"command {number}") for _ in range(4)]
            answers = list(pool.map(compete, competitors))
            winner = competitors[answers.index(None)]
            assert [answer and answer.id for answer in answers].count(winner.id) == 3


def test_a_process_is_alive_until_it_ends(dead_process: int) -> None:
    assert is_alive(os.getpid(), boot_of(os.getpid()))
    assert is_alive(os.getpid(), "")
    assert not is_alive(dead_process, boot_of(os.getpid()))


def test_a_site_is_complete_when_its_visit_came_to_its_end(engine: Engine) -> None:
    visit = SiteVisit(SITE, "1" * 32, NOON)
    with engine.begin() as connection:
        assert last_visits(connection, [SITE]) == [LastVisit()]
        start_site(connection, [visit])
        assert last_visits(connection, [SITE]) == [LastVisit(NOON, was_complete=False)]
        assert complete_site(connection, [replace(visit, now=LATER)]) == [True]
        assert last_visits(connection, [SITE]) == [LastVisit(NOON, was_complete=True)]
        start_site(connection, [replace(visit, run_id="2" * 32, now=NOON + SILENT)])
        assert last_visits(connection, [SITE]) == [LastVisit(NOON + SILENT, was_complete=False)]


def test_of_two_runs_on_a_site_only_the_later_one_completes_it(engine: Engine) -> None:
    first, second = (SiteVisit(SITE, digit * 32, NOON) for digit in "12")
    with engine.begin() as connection:
        start_site(connection, [first, second])
        assert complete_site(connection, [first, second]) == [False, True]


def a_run(number: int, site: str = "a.example", *, articles: int = 0, pages: int = 0) -> SiteRun:
    date = NOON + timedelta(minutes=number)
    return SiteRun(f"{number:032}", site, date, SiteFigures(states={"listing": number}, new=articles, articles=pages))


def put(engine: Engine, runs: Sequence[SiteRun]) -> None:
    with engine.begin() as connection:
        put_site_runs(connection, runs)


def test_rows_come_back_in_order_and_may_be_written_again(engine: Engine) -> None:
    runs = [a_run(2), a_run(1, articles=3, pages=4), a_run(1, "b.example")]
    put(engine, runs)
    put(engine, [replace(runs[0], problems=("silent", "dates gone"))])
    with engine.connect() as connection:
        found = recent_runs(connection, "a.example", 5)
        assert seen_sites(connection, NOON) == ["a.example", "b.example"]
    assert found == [runs[1], replace(runs[0], problems=("silent", "dates gone"))]


def test_runs_that_read_pages_are_found_behind_many_that_did_not(engine: Engine) -> None:
    put(engine, [a_run(number, articles=number % 10 == 0, pages=int(number % 10 == 0)) for number in range(40)])
    with engine.connect() as connection:
        found = recent_runs(connection, "a.example", 3)
        seen = looks(connection, "a.example")
    assert [int(run.run_id) for run in found] == [10, 20, 30, 37, 38, 39]
    assert len(seen) == 40
    assert seen[30] == Look(NOON + timedelta(minutes=30), 1)


def test_sites_not_seen_since_are_left_out(engine: Engine) -> None:
    put(engine, [a_run(1), a_run(9), a_run(2, "b.example")])
    with engine.connect() as connection:
        assert seen_sites(connection, NOON + timedelta(minutes=5)) == ["a.example"]


DAY = timedelta(days=1)
KEY = "1" * 32
STORY, MOBILE = finding("story"), finding("m/story")


def looked(engine: Engine, *visits: VisitRecord) -> list[Removal]:
    """Record visits, twice each, as a commit may be repeated."""
    found = []
    for each in visits:
        for _ in range(2):
            with engine.begin() as connection:
                found += record(connection, [each])
    return found


@pytest.mark.parametrize(
    ("state", "reason"),
    [("error", "http 404"), ("error", "http 410"), ("error", TO_FRONT_PAGE), ("empty", None), ("other", "short")],
)
def test_an_article_is_removed_by_a_second_look_a_day_later_and_restored_when_it_is_back(
    engine: Engine, state: str, reason: str | None
) -> None:
    there = visit(STORY, NOON, article_id=KEY)
    missed = [visit(STORY, NOON + hours * DAY / 24, state, reason=reason) for hours in (2, 5, 27, 60)]
    back = [visit(STORY, NOON + days * DAY) for days in (3, 4)]
    assert looked(engine, there, *missed[:2]) == []
    (gone,) = looked(engine, *missed[2:])
    assert (gone.article_id, gone.reason) == (KEY, reason if state == "error" else "shows no article")
    assert (gone.date_missed, gone.date_removed) == ("2026-03-01T14:00:00+00:00", "2026-03-02T15:00:00+00:00")
    (restored,) = looked(engine, *back)
    assert restored.date_restored == "2026-03-04T12:00:00+00:00"
    again = [visit(STORY, NOON + days * DAY, "error", reason="http 404") for days in (5, 6)]
    assert [each.date_restored for each in looked(engine, *again)] == [None]
    with engine.begin() as connection:
        assert last_removals(connection, [KEY, "2" * 32])[KEY]["date_missed"] == "2026-03-06T12:00:00+00:00"


@pytest.mark.parametrize("state", ["empty", "other"])
def test_a_page_without_its_article_is_looked_at_again_and_the_same_bytes_are_no_article_either(
    engine: Engine, state: str
) -> None:
    assert looked(engine, visit(STORY, NOON, article_id=KEY), visit(STORY, NOON + DAY, state)) == []
    assert known(engine, STORY.id).next_visit == NOON + 2 * DAY
    (gone,) = looked(engine, visit(STORY, NOON + 2 * DAY, "unchanged", reason="same bytes"))
    assert (gone.article_id, gone.reason) == (KEY, "shows no article")


@pytest.mark.parametrize("reason", ["another language", "thread, not wanted"])
def test_what_is_no_longer_wanted_is_not_removed(engine: Engine, reason: str) -> None:
    visits = [visit(STORY, NOON + days * DAY, "other", reason=reason) for days in (1, 3)]
    assert looked(engine, visit(STORY, NOON, article_id=KEY), *visits) == []
    assert looked(engine, visit(STORY, NOON + 5 * DAY, "unchanged", reason="same bytes")) == []


def test_trifles_remove_nothing(engine: Engine) -> None:
    assert looked(
        engine,
        visit(STORY, NOON, article_id=KEY),
        visit(STORY, NOON + DAY, "error", reason="http 404"),
        visit(STORY, NOON + 2 * DAY, "unchanged"),  # away for a moment
        visit(STORY, NOON + 3 * DAY, "error", reason="http 404"),
        visit(STORY, NOON + 4 * DAY, "error", reason="http 503"),  # says nothing
        visit(STORY, NOON + 5 * DAY, "blocked", reason="http 403"),
        visit(finding("never"), NOON, "error", reason="http 404"),  # was no article
        visit(finding("never"), NOON + DAY, "error", reason="http 404"),
    ) == []  # fmt: skip


def test_an_article_with_two_addresses_is_removed_when_both_are_gone(engine: Engine) -> None:
    there = [visit(each, NOON, article_id=KEY) for each in (STORY, MOBILE)]
    first, second = (
        [visit(each, NOON + days * DAY, "error", reason="http 410") for days in range(1, 4)] for each in (STORY, MOBILE)
    )
    assert looked(engine, *there, *first) == []
    assert [gone.article_id for gone in looked(engine, *second)] == [KEY]


def test_an_address_that_is_no_longer_watched_is_looked_at_once_more_when_another_is_gone(engine: Engine) -> None:
    there = [visit(each, NOON, article_id=KEY, published=NOON - 30 * DAY) for each in (STORY, MOBILE)]
    missed = [visit(STORY, NOON + days * DAY, "error", reason="http 404") for days in (1, 2)]
    assert looked(engine, *there) == []
    assert known(engine, MOBILE.id).next_visit is None
    assert looked(engine, *missed) == []
    assert known(engine, MOBILE.id).next_visit == NOON + 2 * DAY
    (gone,) = looked(engine, visit(MOBILE, NOON + 2.1 * DAY, "error", reason="http 404"))
    assert gone.article_id == KEY
