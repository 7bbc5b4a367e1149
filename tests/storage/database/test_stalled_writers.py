"""A crawl that stands still in the middle of a transaction does not hold up the others for ever."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text

from newsextract.storage.database import stalled_writers
from newsextract.storage.database.connection import open_engine
from newsextract.storage.database.database_thread import DatabaseThread
from newsextract.storage.database.stalled_writers import limit_stalls
from tests.conftest import own_database

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SHORT = {
    "postgresql": "SET idle_in_transaction_session_timeout = '1s'",
    "mysql": "/*M!100300 SET SESSION idle_transaction_timeout = 1 */",
}
TAKE = text("update locks set name = name where name = 'a'")


@pytest.mark.server
@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_its_locks_are_released_and_it_repeats_its_work(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stalled_writers, "_LIMITS", _SHORT)
    attempts: list[float] = []

    def stall_at_first(connection: Connection, jobs: Sequence[str]) -> Sequence[str]:
        attempts.append(time.monotonic())
        connection.execute(TAKE)
        if len(attempts) == 1:
            time.sleep(3)
        connection.execute(TAKE)
        return jobs

    def take(connection: Connection, jobs: Sequence[str]) -> list[float]:
        connection.execute(TAKE)
        return [time.monotonic()] * len(jobs)

    with own_database(kind, tmp_path) as url:
        engines = [open_engine(url), open_engine(url)]
        with engines[0].begin() as connection:
            connection.execute(text("insert into locks (name) values ('a')"))
        for engine in engines:
            limit_stalls(engine)
        stalled, other = (DatabaseThread(engine) for engine in engines)
        is_done = stalled.submit(stall_at_first, "done")
        while not attempts:
            time.sleep(0.01)
        time.sleep(0.2)
        taken = other.submit(take, "").result(30)
        assert taken - attempts[0] < 2.8, "it waited for the end of the stall"
        assert is_done.result(30) == "done"
        assert len(attempts) == 2
        assert stalled.close(30)
        assert other.close(30)
        for engine in engines:
            engine.dispose()


def test_sqlite_is_left_as_it_is(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/a.db")
    limit_stalls(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select 1")).scalar_one() == 1
    engine.dispose()
