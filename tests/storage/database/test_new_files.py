"""Several processes that open a new SQLite file at the same moment."""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING

from newsextract.storage.database.connection import make_engine

if TYPE_CHECKING:
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

FILES = 60
"""One of them in ten fails, where a process does not wait for the others."""


def open_all(folder: Path, start: Barrier) -> None:
    for number in range(FILES):
        engine = make_engine(f"sqlite:///{folder / str(number)}.db")
        start.wait()
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT 1 FROM sqlite_master").all()
        engine.dispose()


def test_all_may_set_up_a_new_file_at_once(tmp_path: Path) -> None:
    forks = multiprocessing.get_context("fork")
    start = forks.Barrier(3, timeout=60)
    processes = [forks.Process(target=open_all, args=(tmp_path, start)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
