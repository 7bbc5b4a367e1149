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
from tests.storage.ledger.ledger_samples import NOON, SITE, begin, begun

if TYPE_CHECKING:
    from sqlalchemy import Engine

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
