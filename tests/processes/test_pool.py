"""Worker processes: killed, replaced and recycled, without losing the work of others."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.processes.pool import Crashed, TooSlow, WorkerError, WorkerPool, in_order
from tests.newsroom.delivery.messages import wait_until
from tests.processes.misbehaving import UntoldError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TASKS = "tests.processes.misbehaving:Tasks"


def new_pool(folder: Path | str, processes: int = 1, **options: Any) -> WorkerPool:
    """Return a pool of tasks that need no reader."""
    return WorkerPool(TASKS, str(folder), processes=processes, preload=(), **options)


@pytest.fixture
def pool(tmp_path: Path) -> Iterator[WorkerPool]:
    pool = new_pool(tmp_path, 2, seconds=100)
    yield pool
    pool.stop()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_end(pid: int, seconds: float) -> bool:
    """Tell whether a process ends within the time limit."""
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not is_running(pid)


def test_a_task_over_its_time_ends_and_its_process_is_replaced(tmp_path: Path) -> None:
    with new_pool(tmp_path, seconds=1) as pool:
        before, _ = pool.submit("echo", 1).result(100)
        with pytest.raises(TooSlow, match="more than 1 seconds"):
            pool.submit("sleep").result(100)
        after, _ = pool.submit("echo", 2).result(100)
    assert before != after
    assert wait_for_end(before, 100)
    assert pool.counts() == {"started": 2, "killed": 1, "died": 0}


def test_keys_that_are_slow_hold_up_nobody_else(tmp_path: Path) -> None:
    with new_pool(tmp_path, seconds=2) as pool:
        slow = [pool.submit("sleep", key="slow") for _ in range(3)]
        with pytest.raises(TooSlow):
            slow[0].result(100)
        others = [pool.submit("echo", number, key="other") for number in range(5)]
        assert [other.result(100)[1] for other in others] == [0, 1, 2, 3, 4]
        assert not slow[2].done()
        pool.stop()


def test_a_crash_costs_one_task(pool: WorkerPool) -> None:
    asked = [pool.submit(*task, key="a") for task in (("echo", 1), ("die",), ("echo", 2), ("die", "once"))]
    assert asked[0].result(100)[1] == 1
    with pytest.raises(Crashed, match="exit code 3"):
        asked[1].result(100)
    assert asked[2].result(100)[1] == 2
    assert asked[3].result(100) == "done"  # a process that is killed from outside says nothing of its task
    assert pool.counts() == {"started": 5, "killed": 0, "died": 4}


def test_a_process_that_dies_idle_is_replaced(pool: WorkerPool) -> None:
    first, _ = pool.submit("echo", 1, key="a").result(100)
    os.kill(first, 9)
    assert pool.submit("echo", 2, key="a").result(100)[0] != first


@pytest.mark.parametrize("processes", [0, 1])
def test_errors_are_what_they_are_elsewhere(processes: int, tmp_path: Path) -> None:
    with new_pool(tmp_path, processes) as pool:
        with pytest.raises(KeyError, match="what it looked for") as caught:
            pool.submit("fail", "plainly").result(100)
        assert "misbehaving.py" in "".join(caught.value.__notes__)
        with pytest.raises((WorkerError, UntoldError), match="one thing and another"):
            pool.submit("fail", "untold").result(100)
        with pytest.raises(WorkerError, match="SystemExit"):
            pool.submit("fail", "exit").result(100)
        assert pool.submit("echo", 1).result(100)[1] == 1


def test_what_cannot_be_pickled_is_an_error_of_its_task(pool: WorkerPool) -> None:
    for task, argument in (("echo", lambda: None), ("fail", "lambda")):
        with pytest.raises((TypeError, AttributeError), match="pickle"):
            pool.submit(task, argument, key="a").result(100)
    assert pool.submit("echo", 1, key="a").result(100)[1] == 1
    assert pool.counts()["started"] == 1


def test_a_key_keeps_its_process_and_others_share_the_rest(pool: WorkerPool, tmp_path: Path) -> None:
    pids = [{pool.submit("echo", n, key=key).result(100)[0] for n in range(3)} for key in "abcdef"]
    assert all(len(each) == 1 for each in pids)
    assert len(set.union(*pids)) == 2
    busy = pool.submit("wait_for", "end", key="a")
    free = {pool.submit("echo", number).result(100)[0] for number in range(4)}
    (tmp_path / "end").touch()
    assert busy.result(100) not in free


def test_log_lines_come_before_the_answer(pool: WorkerPool, caplog: pytest.LogCaptureFixture) -> None:
    assert pool.submit("tell").result(100) == "told"
    assert "something odd" in caplog.text


def test_a_process_ends_when_it_is_replaced_and_at_the_end(tmp_path: Path) -> None:
    with new_pool(tmp_path, tasks_per_process=2) as pool:
        asked = [pool.submit("echo", number) for number in range(3)]
    pids = [answer.result(0)[0] for answer in asked]
    assert pids[0] == pids[1] != pids[2]
    assert not any(is_running(pid) for pid in pids)
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit("echo", 1)


def test_what_waits_when_work_is_refused_fails_and_what_has_begun_goes_on(tmp_path: Path) -> None:
    with new_pool(tmp_path) as pool:
        begun, *waiting = (pool.submit("wait_for", "go", key="one") for _ in range(3))
        wait_until(begun.running)
        pool.refuse(KeyError)
        (tmp_path / "go").touch()
        for answer in (*waiting, pool.submit("echo", 1)):
            with pytest.raises(KeyError):
                answer.result(0)
        assert begun.result(100)


def test_items_keep_their_order_and_few_wait(pool: WorkerPool) -> None:
    taken: list[int] = []

    def take(number: int) -> Any:
        taken.append(number)
        return pool.submit("echo", number)

    answers = in_order(take, range(9), 3)
    assert next(answers)[1].result(100)[1] == 0
    assert taken == [0, 1, 2, 3]
    assert [answer.result(100)[1] for _, answer in answers] == list(range(1, 9))
