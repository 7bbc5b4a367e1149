"""The thread that writes, and what databases do when they are away or busy."""

from __future__ import annotations

import logging
import multiprocessing
import socket
import sqlite3
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from newsextract.article import Article
from newsextract.storage import database as stalled_writers
from newsextract.storage.articles import put_articles
from newsextract.storage.database import StorageError, limit_stalls, make_engine, open_engine
from newsextract.storage.database_thread import DatabaseThread
from newsextract.storage.revisions import Stored
from tests.article_store import ArticleStore
from tests.conftest import own_database
from tests.newsroom.delivery.messages import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from sqlalchemy import Engine


# A tiny proxy on loopback that tests can cut.


class Cable:
    """Passes bytes on to a server until it is cut; then refuses connections until it is repaired."""

    def __init__(self, host: str, port: int) -> None:
        self.target = (host, port)
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._listener: socket.socket | None = None
        self.port = 0
        self.mend()

    def mend(self) -> None:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(16)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        if self._listener is not None:
            _close(self._listener)
            self._listener = None
        for pair in self._pairs:
            for end in pair:
                _close(end)
        self._pairs.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, _ = listener.accept()
                server = socket.create_connection(self.target)
                if listener is not self._listener:
                    _close(client)
                    _close(server)
                    return
                self._pairs.append((client, server))
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=_pump, args=(source, sink), daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while received := source.recv(65536):
            sink.sendall(received)
    _close(source)
    _close(sink)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


# All writing in one thread, through errors and outages.

PORTS = {"postgresql": 5432, "mysql": 3306}


def article(number: int) -> Article:
    return Article(url=f"https://a.example/{number}", headline=f"Headline {number}", articleBody="Text. " * 50)


def lengths(_connection: Connection, words: Sequence[str]) -> list[int]:
    return [len(word) for word in words]


@pytest.fixture(params=["postgresql", "mariadb"])
def cut_off(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Engine, Cable]]:
    """A database behind a cable."""
    with own_database(request.param, tmp_path) as url:
        parsed = make_url(url)
        cable = Cable(parsed.host or "127.0.0.1", parsed.port or PORTS[parsed.get_backend_name()])
        engine = open_engine(parsed.set(host="127.0.0.1", port=cable.port).render_as_string(hide_password=False))
        yield engine, cable
        engine.dispose()
        cable.cut()


def test_an_outage_costs_nothing_but_time(cut_off: tuple[Engine, Cable], caplog: pytest.LogCaptureFixture) -> None:
    engine, cable = cut_off
    thread = DatabaseThread(engine)
    assert thread.submit(put_articles, article(0)).result(100) is Stored.NEW
    cable.cut()
    futures = [thread.submit(put_articles, article(number)) for number in range(1, 500)]
    wait_until(lambda: thread.is_waiting)
    time.sleep(1)
    assert not any(future.done() for future in futures)
    cable.mend()
    assert {future.result(100) for future in futures} == {Stored.NEW}
    assert not thread.is_waiting
    assert thread.close(100)
    assert ArticleStore(engine).count() == 500
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert [message.split(",")[0].split(" after")[0] for message in warnings] == [
        "the database is away or busy", "the database is back",
    ]  # fmt: skip


@pytest.mark.parametrize("cut_off", ["postgresql"], indirect=True)
def test_patience_ends_when_the_crawl_is_stopped(cut_off: tuple[Engine, Cable]) -> None:
    engine, cable = cut_off
    thread = DatabaseThread(engine)
    cable.cut()
    asked = thread.submit(put_articles, article(1))
    wait_until(lambda: thread.is_waiting)
    thread.hurry()
    with pytest.raises(StorageError, match=r"for \d+ s nothing was stored: "):
        asked.result(30)
    with pytest.raises(StorageError):
        thread.submit(put_articles, article(2)).result(100)
    cable.mend()
    assert thread.submit(put_articles, article(3)).result(100) is Stored.NEW
    assert thread.close(100)


def test_a_lock_of_another_is_waited_for(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path}/a.db")
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout=50")
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None, check_same_thread=False)
    other.execute("begin exclusive")
    thread = DatabaseThread(engine)
    future = thread.submit(put_articles, article(1))
    wait_until(lambda: thread.is_waiting)
    other.execute("rollback")
    assert future.result(100) is Stored.NEW
    assert thread.close(100)
    other.close()


@pytest.fixture(params=["postgresql", "mariadb"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """A database that locks rows."""
    with own_database(request.param, tmp_path) as url:
        engine = open_engine(url)
        yield engine
        engine.dispose()


def test_after_a_deadlock_the_writing_is_repeated_in_silence(server: Engine, caplog: pytest.LogCaptureFixture) -> None:
    both_hold_one = threading.Barrier(2)
    attempts: list[str] = []

    def in_turn(connection: Connection, names: Sequence[str]) -> Sequence[str]:
        attempts.append(names[0])
        for name in names[0]:
            connection.execute(text("update locks set name = name where name = :name"), {"name": name})
            if len(attempts) <= 2 and name == names[0][0]:
                both_hold_one.wait(100)
        return names

    with server.begin() as connection:
        connection.execute(text("insert into locks (name) values ('a'), ('b')"))
    threads = [DatabaseThread(server), DatabaseThread(server)]
    futures = [thread.submit(in_turn, names) for thread, names in zip(threads, ("ab", "ba"), strict=True)]
    assert [future.result(100) for future in futures] == ["ab", "ba"]
    assert len(attempts) == 3, "one was undone, and did it again"
    assert all(thread.close(100) for thread in threads)
    assert not caplog.records


def test_only_the_bad_job_fails(store: ArticleStore) -> None:
    def insert(connection: Connection, ids: Sequence[str]) -> list[str]:
        row = text("insert into stories (id, date_first_seen, day) values (:id, 'now', 0)")
        for name in ids:
            connection.execute(row, {"id": name})
        return list(ids)

    thread = DatabaseThread(store.engine)
    blocked = threading.Event()
    thread.submit(lambda _, jobs: [blocked.wait(100) for _job in jobs], None)
    good = [thread.submit(insert, f"{number}") for number in range(5)]
    bad = thread.submit(insert, "3")
    fine = thread.submit(lengths, "three")
    short: Future[int] = thread.submit(lambda _c, _jobs: [], "no result")
    blocked.set()
    assert [future.result(100) for future in good] == [str(number) for number in range(5)]
    assert isinstance(bad.exception(100), DBAPIError)
    assert fine.result(100) == 5
    assert isinstance(short.exception(100), ValueError)
    assert thread.close(100)
    with store.engine.connect() as connection:
        assert connection.execute(text("select count(*) from stories")).scalar_one() == 5
    with pytest.raises(StorageError, match="closed already"):
        thread.submit(lengths, "late").result(1)


def test_jobs_are_done_in_batches_and_in_their_order(tmp_path: Path) -> None:
    batches: list[list[int]] = []

    def note(_connection: Connection, jobs: Sequence[int]) -> Sequence[int]:
        batches.append(list(jobs))
        return jobs

    thread = DatabaseThread(open_engine(f"sqlite:///{tmp_path}/a.db"), most=4)
    blocked = threading.Event()
    first = thread.submit(lambda _, jobs: [blocked.wait(100) for _job in jobs], None)
    wait_until(first.running)
    futures = [thread.submit(note, number) for number in range(6)]
    cancelled = thread.submit(note, 99)
    assert cancelled.cancel()
    blocked.set()
    assert [future.result(100) for future in futures] == list(range(6))
    assert thread.closing().result(100)
    assert batches == [[0, 1, 2, 3], [4, 5]]


# Several processes that open a new SQLite file at the same moment.

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


# A crawl that stands still in the middle of a transaction does not hold up the others for ever.

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
