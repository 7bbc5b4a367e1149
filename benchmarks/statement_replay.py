"""Replays the statements of crawls on PostgreSQL, many times over, and prints its load.

    python benchmarks/nodes.py DATABASE --record statements/
    python benchmarks/statement_replay.py DATABASE statements/ --times 10

`Recorder` is the extension that writes what a crawl sends from its main process, with the time; nodes.py adds it. Each
time is replayed in a schema of its own, by a connection per node, with the pauses of the original: ten times the rows,
indexes and commits, but no two copies wait for each other's rows.
"""

from __future__ import annotations

import argparse
import os
import pickle
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scrapy import signals
from sqlalchemy import create_engine, event, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.nodes import schema
else:  # a script imports the files beside it by bare name
    from nodes import schema

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from sqlalchemy import Connection

COMMIT = "commit"
SAMPLE_SECONDS = 0.5


class Recorder:
    """Writes statements with their parameters to the file that the variable STATEMENTS names."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.file = Path(os.environ["STATEMENTS"]).open("wb")  # noqa: SIM115 - closed with the process

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Begin when the database is open."""
        self = cls(crawler)
        crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
        return self

    def spider_opened(self) -> None:
        """Listen to the engine of the crawl."""
        from newsextract.crawl.extensions.database_writer import Database  # noqa: PLC0415 - not for the replay

        database = self.crawler.get_extension(Database)
        assert database is not None
        event.listen(database.engine, "before_cursor_execute", self._execute)
        event.listen(database.engine, "commit", lambda _connection: self._write(COMMIT, None, False))

    def _execute(self, _connection: Any, _cursor: Any, statement: str, given: Any, _context: Any, many: bool) -> None:
        self._write(statement, given, many)

    def _write(self, statement: str, given: Any, many: bool) -> None:
        pickle.dump((time.time(), statement, given, many), self.file)
        self.file.flush()  # a node is killed


def main() -> int:
    """Replay and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("statements", type=Path)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--speed", type=float, default=1.0, help="pauses are divided by this")
    parser.add_argument("--seconds", type=float, default=120.0, help="of the recorded time, at most")
    options = parser.parse_args()
    streams = [_read(path) for path in sorted(options.statements.glob("*.pickle"))]
    begin = min(stream[0][0] for stream in streams)
    streams = [[(at - begin, *rest) for at, *rest in stream if at - begin < options.seconds] for stream in streams]
    from newsextract.storage.database.connection import open_engine  # noqa: PLC0415 - not for the recorder

    with ExitStack() as stack:
        urls = [stack.enter_context(schema(options.database)) for _ in range(options.times)]
        for url in urls:
            open_engine(url).dispose()
        play(urls, streams, options)
    return 0


def play(urls: Sequence[str], streams: Sequence[Sequence[Any]], options: argparse.Namespace) -> None:
    """Replay each stream in each schema at the same time, and print what the server did meanwhile."""
    late: list[float] = []
    failed: Counter[str] = Counter()
    watch = create_engine(options.database, isolation_level="AUTOCOMMIT")
    with watch.connect() as connection:
        before, cpu_before, began = _counts(connection), _postgres_cpu(), time.monotonic()
        players = [
            threading.Thread(target=_play, args=(url, stream, began, options.speed, late, failed))
            for url in urls
            for stream in streams
        ]
        for player in players:
            player.start()
        waits: Counter[str] = Counter()
        cpu = _Cpu(cpu_before)
        while any(player.is_alive() for player in players):
            time.sleep(SAMPLE_SECONDS)
            cpu.sample()
            waits.update(_waits(connection))
        seconds = time.monotonic() - began
        time.sleep(1.5)  # the statistics of the server come a second later
        after = _counts(connection)
    watch.dispose()
    statements = len(urls) * sum(len(stream) for stream in streams)
    print(f"{len(urls)} x {len(streams)} connections, {statements} statements and commits in {seconds:.0f} s")
    print(f"CPU of PostgreSQL: {cpu.total / seconds:.2f} cores; of the replay: {time.process_time() / seconds:.2f}")
    for name in before:
        print(f"  {name}: {(after[name] - before[name]) / seconds:.1f} a second")
    late.sort()
    if late:
        print(f"late by (s): median {late[len(late) // 2]:.3f}, 99 % {late[int(len(late) * 0.99)]:.3f}")
    total = sum(waits.values())
    print(
        "busy connections wait for:", ", ".join(f"{name} {100 * n / total:.0f} %" for name, n in waits.most_common(6))
    )
    print("failed:", dict(failed.most_common(5)) or "none")


def _read(path: Path) -> list[tuple[Any, ...]]:
    found = []
    with path.open("rb") as file:
        while True:
            try:
                found.append(pickle.load(file))  # noqa: S301 - our own recording
            except (EOFError, pickle.UnpicklingError):  # a killed node may end in the middle
                return found


def _play(url: str, stream: Sequence[Any], began: float, speed: float, late: list[float], failed: Counter[str]) -> None:
    engine = create_engine(url)
    with engine.connect() as pooled:
        raw: Any = pooled.connection.driver_connection
        for at, statement, given, many in stream:
            wait = began + at / speed - time.monotonic()
            if wait > 0:
                time.sleep(wait)
            late.append(max(-wait, 0.0))
            try:
                if statement == COMMIT:
                    raw.commit()
                elif many:
                    raw.cursor().executemany(statement, given)
                else:
                    raw.execute(statement, given)
            except Exception as error:  # noqa: BLE001 - counted and printed
                failed[f"{type(error).__name__}: {str(error)[:80]}"] += 1
                raw.rollback()
    engine.dispose()


def _counts(connection: Connection) -> dict[str, int]:
    columns = "xact_commit, tup_inserted, tup_updated, tup_deleted, tup_fetched, deadlocks"
    query = f"select {columns} from pg_stat_database where datname = current_database()"  # noqa: S608 - no input
    counts = dict(connection.execute(text(query)).mappings().one())
    wal = connection.execute(text("select wal_bytes::bigint / 1024 as kb from pg_stat_wal")).scalar_one()
    return counts | {"WAL, kB": int(wal)}


def _waits(connection: Connection) -> list[str]:
    query = (
        "select coalesce(wait_event_type || ':' || wait_event, 'CPU') from pg_stat_activity "
        "where state = 'active' and pid <> pg_backend_pid() and datname = current_database()"
    )
    return list(connection.execute(text(query)).scalars())


def _postgres_cpu() -> dict[str, float]:
    """Return the CPU seconds of each process of PostgreSQL's."""
    ticks, found = os.sysconf("SC_CLK_TCK"), {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (path / "stat").read_text().rpartition(")")
        except OSError:
            continue  # it has just ended
        if "(postgres" in name:
            fields = rest.split()
            found[path.name] = (int(fields[11]) + int(fields[12])) / ticks
    return found


class _Cpu:
    """The CPU seconds of processes that come and go."""

    def __init__(self, before: dict[str, float]) -> None:
        self.last = before
        self.total = 0.0

    def sample(self) -> None:
        """Add what was used since the last sample."""
        now = _postgres_cpu()
        self.total += sum(seconds - self.last.get(pid, 0.0) for pid, seconds in now.items())
        self.last = now


if __name__ == "__main__":
    sys.exit(main())
