"""One thread that does all writing to a database, in batches, and waits while the database is away.

Whoever submits work keeps few jobs under way, as Scrapy does with its items: that bounds the queue and the memory.

An operation may be run again with the same arguments, even after it was committed: when a connection breaks while a
transaction ends, nobody can tell whether it did. So operations must be idempotent, and what they return is that of the
last time. Within a batch, jobs of one operation are done together, where the first of them stands: whoever needs an
order between operations waits for the first one's end. An operation that is marked with `alone` shares no transaction
with others.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import wraps
from itertools import groupby
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from newsextract.storage.database import StorageError, is_passing, writing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection, Engine


A = TypeVar("A")
R = TypeVar("R")
F = TypeVar("F", bound="Callable[..., Any]")
Operation: TypeAlias = "Callable[[Connection, Sequence[A]], Sequence[R]]"
"""Processes a batch of arguments in the caller's transaction, and returns a result for each."""

_FIRST_PAUSE_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 4.0
_LEAST_PATIENCE_SECONDS = 1.0
_REST_RATIO, _LONGEST_REST_SECONDS = 10.0, 0.2
"""Rest after a batch, in times of what it took, and at most: a transaction costs as much as some articles in it, so
few large ones are cheaper than many small ones."""
_LAST_WORDS_SECONDS = 5.0
"""Seconds in which a running attempt may notice that the caller no longer waits."""

_ALONE: set[Any] = set()

logger = logging.getLogger(__name__)


def alone(operation: F) -> F:
    """Mark an operation that holds a lock for which other crawls wait: it gets transactions of its own.

    In a batch it would hold the lock until everything else in the batch is written.
    """
    _ALONE.add(operation)
    return operation


def each(operation: Callable[[Connection, A], R]) -> Callable[[Connection, Sequence[A]], list[R]]:
    """Make an operation of a function that does one job, which does those of a batch one by one."""

    @wraps(operation)
    def done(connection: Connection, arguments: Sequence[A]) -> list[R]:
        return [operation(connection, argument) for argument in arguments]

    return done


class GivenUp(StorageError):  # noqa: N818 - the name says that it is an error
    """The database has been away for too long."""


@dataclass(frozen=True, eq=False)
class _Job:
    operation: Operation[Any, Any]
    argument: Any
    future: Future[Any] = field(default_factory=Future)


class DatabaseThread:
    """Runs submitted jobs, up to `most` in one transaction; a job that cannot be done fails alone.

    While the database is away, the jobs wait, `patience_seconds` at most in all; then they fail with `StorageError`,
    and each later batch is tried for a second: on a full disk, now and then a short one succeeds.
    """

    def __init__(self, engine: Engine, *, patience_seconds: float = 600.0, most: int = 200) -> None:
        self.engine = engine
        self.patience_seconds = patience_seconds
        self._waited_seconds = 0.0
        self.most = most
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._away_since: float | None = None
        self._is_told = False
        self._is_lost = False
        self._is_closed = False
        self._lock = threading.Lock()
        self._is_closing = threading.Event()
        self._given_up = threading.Event()
        # A daemon, so that the program can exit while a connection hangs.
        self._thread = threading.Thread(target=self._work, name="newsextract-database", daemon=True)
        self._thread.start()

    @property
    def is_waiting(self) -> bool:
        """Whether the database is away, and jobs wait for it."""
        return self._away_since is not None

    def submit(self, operation: Callable[[Connection, Sequence[A]], Sequence[R]], argument: A) -> Future[R]:
        """Queue the operation with this argument, in a batch with other jobs of the same operation."""
        job = _Job(operation, argument)
        with self._lock:
            if self._is_closed:
                job.future.set_exception(StorageError("the database is closed already"))
            else:
                self._queue.put(job)
        return job.future

    def hurry(self) -> None:
        """Wait no longer for a database that is away: the crawl was stopped, and its pages stay due."""
        self.patience_seconds = 0.0

    def close(self, timeout: float | None = None) -> bool:
        """Finish the submitted jobs and end; return whether all was done within `timeout` seconds.

        Jobs that are not finished by then fail with `StorageError`.
        """
        with self._lock:
            if not self._is_closed:
                self._is_closed = True
                self._queue.put(None)
                self._is_closing.set()
        self._thread.join(timeout)
        if not self._thread.is_alive():
            return not self._given_up.is_set()
        self._given_up.set()
        self._thread.join(_LAST_WORDS_SECONDS)
        return False

    def closing(self, timeout: float | None = None) -> Future[bool]:
        """Close without waiting: the future has what `close` returns."""
        future: Future[bool] = Future()
        threading.Thread(target=lambda: future.set_result(self.close(timeout)), daemon=True).start()
        return future

    def _work(self) -> None:
        is_last = False
        while not is_last:
            jobs, is_last = self._next()
            jobs = [job for job in jobs if job.future.set_running_or_notify_cancel()]
            started = time.monotonic()
            # In their order, those of an operation that is alone apart from the others.
            for _, some in groupby(jobs, key=lambda job: job.operation if job.operation in _ALONE else None):
                self._run(list(some))
            if jobs:
                self._is_closing.wait(min(_REST_RATIO * (time.monotonic() - started), _LONGEST_REST_SECONDS))

    def _next(self) -> tuple[list[_Job], bool]:
        """Return the queued jobs, at least one unless the thread is closing, and whether they are the last."""
        jobs = []
        job = self._queue.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) == self.most:
                break
            try:
                job = self._queue.get_nowait()
            except Empty:
                break
        return jobs, job is None

    def _run(self, jobs: Sequence[_Job]) -> None:
        """Run the jobs together, or one by one if that fails, and resolve their futures in order."""
        try:
            results = self._done_at_last(jobs)
        except GivenUp as error:
            for job in jobs:
                job.future.set_exception(error)
        except Exception as error:  # noqa: BLE001 - of whatever kind, it goes to whom the job belongs to
            if len(jobs) == 1:
                jobs[0].future.set_exception(error)
            else:
                for job in jobs:
                    self._run([job])
        else:
            for job, result in zip(jobs, results, strict=True):
                job.future.set_result(result)

    def _done_at_last(self, jobs: Sequence[_Job]) -> list[Any]:
        """Return the results of the jobs, retrying while the database is away."""
        pause = _FIRST_PAUSE_SECONDS
        while True:
            try:
                results = self._attempt(jobs)
            except Exception as error:
                if not is_passing(error):
                    raise
                self._wait(error, pause)
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
            else:
                self._note_return()
                return results

    def _attempt(self, jobs: Sequence[_Job]) -> list[Any]:
        results: dict[_Job, Any] = {}
        groups: dict[Operation[Any, Any], list[_Job]] = {}
        for job in jobs:
            groups.setdefault(job.operation, []).append(job)
        with writing(self.engine) as connection:
            for operation, group in groups.items():
                found = operation(connection, [job.argument for job in group])
                if len(found) != len(group):
                    raise ValueError(f"{operation} returned {len(found)} results for {len(group)} jobs")
                results.update(zip(group, found, strict=True))
        return [results[job] for job in jobs]

    def _wait(self, error: Exception, pause: float) -> None:
        """Wait for the database, or raise `GivenUp` when that has taken too long."""
        now = time.monotonic()
        cause = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        least = min(self.patience_seconds, _LEAST_PATIENCE_SECONDS)
        patience = max(self.patience_seconds - self._waited_seconds, least)
        if self._away_since is None:
            self._away_since = now  # not told yet: two crawls that undo one another succeed at the next attempt
        elif not self._is_told and not self._is_lost:
            self._is_told = True
            told = "the database is away or busy, what is to be stored waits up to %.0f s: %s"
            logger.warning(told, patience, cause)
        left = self._away_since + patience - now
        jittered = pause * random.uniform(0.5, 1)  # noqa: S311 - only so that several crawlers do not come at once
        if left <= 0 or self._given_up.wait(min(left, jittered)):
            if not self._is_lost:
                self._is_lost = True
                logger.error("nothing is stored until the database is back; the next run reads it again: %s", cause)
            raise GivenUp(f"for {now - self._away_since:.0f} s nothing was stored: {cause}") from error

    def _note_return(self) -> None:
        if self._away_since is None:
            return
        seconds = time.monotonic() - self._away_since
        self._waited_seconds += seconds
        if self._is_told:
            logger.warning("the database is back after %.1f s", seconds)
        self._away_since, self._is_told = None, False
