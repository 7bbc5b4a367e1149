"""Both engines run each task once, whatever happens to their workers."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("brotli", reason="wants the extra `archive`")
pytest.importorskip("pyarrow", reason="wants the extra `archive`")

import pyarrow.parquet as pq

from newsextract.__main__ import main
from newsextract.archives.engine.process_engine import ProcessEngine
from newsextract.archives.engine.worker_events import Failed, Finished, Progressed
from tests.archives.archive_pages import capture, write_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def double(task: int, tell: Callable[[Any], None]) -> int:
    """Return twice the number, and tell it before."""
    tell(task)
    return task * 2


def die_once(path: str, _: Callable[[Any], None]) -> str:
    """Kill the worker at the first attempt, which leaves a file."""
    if not os.path.exists(path):  # noqa: PTH110 - tasks are plain values
        with open(path, "w", encoding="utf-8"):  # noqa: PTH123 - likewise
            os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def die(_: Any, __: Callable[[Any], None]) -> None:
    """Kill the worker."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail(_: Any, __: Callable[[Any], None]) -> None:
    """Raise an error."""
    raise ValueError("of this task alone")


def test_each_task_is_done_and_tells(tmp_path: Path) -> None:
    assert tmp_path.exists()
    events = list(ProcessEngine(2).run(double, [1, 2, 3]))
    assert {event.number: event.value for event in events if isinstance(event, Finished)} == {0: 2, 1: 4, 2: 6}
    assert {event.number: event.told for event in events if isinstance(event, Progressed)} == {0: 1, 1: 2, 2: 3}


def test_a_task_whose_worker_dies_goes_to_another(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    assert list(ProcessEngine(1).run(die_once, paths)) == [Finished(0, "done"), Finished(1, "done")]


def test_a_task_that_kills_every_worker_fails_alone() -> None:
    (failed,) = ProcessEngine(1).run(die, [0])
    assert isinstance(failed, Failed)
    assert "3 workers died" in failed.message


def test_an_error_fails_its_task() -> None:
    assert list(ProcessEngine(1).run(fail, [0])) == [Failed(0, "ValueError: of this task alone")]


def test_ray_gives_the_rows_that_processes_give(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="wants the extra `archive`")
    write_archive(tmp_path / "in" / "a.warc.gz", [capture(number) for number in range(3)])
    write_archive(tmp_path / "in" / "b.warc.gz", [capture(number) for number in range(3, 5)])
    found = {}
    for engine in ("processes", "ray"):
        folder = tmp_path / engine
        assert main(["archive", str(tmp_path / "in"), "-o", str(folder), "--engine", engine, "--jobs", "1"]) == 0
        tables = sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith("_"))
        found[engine] = {
            str(path.relative_to(folder)): pq.read_table(path, partitioning=None).to_pylist() for path in tables
        }
    assert found["processes"] == found["ray"]
    assert len(found["ray"]) == 6


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "127.0.0.1:99999999", "nonsense"])
def test_an_address_without_a_cluster_is_said_at_once(
    tmp_path: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ray", reason="wants the extra `archive`")
    write_archive(tmp_path / "a.warc.gz", [capture(1)])
    assert main(["archive", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "--address", address]) == 2
    assert f"no Ray at {address}: --address is that of a running cluster" in capsys.readouterr().err


def test_a_ray_that_does_not_start_is_said_with_what_does_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ray = pytest.importorskip("ray", reason="wants the extra `archive`")

    def fail_to_start(**_: Any) -> None:
        raise Exception("The current node timed out during startup.")  # noqa: TRY002 - as Ray does

    monkeypatch.setattr(ray, "init", fail_to_start)
    write_archive(tmp_path / "a.warc.gz", [capture(1)])
    assert main(["archive", str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "out"), "--engine", "ray"]) == 2
    told = capsys.readouterr().err
    assert "no Ray on this machine; --engine processes does without it" in told
    assert "timed out during startup" in told
