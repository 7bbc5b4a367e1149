"""Lanes: one worker each, a killable process or a thread, with its queue of tasks."""

from __future__ import annotations

import logging
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import RLock, Thread
from typing import TYPE_CHECKING, Protocol

from pebble import ProcessExpired, ProcessPool

from newsextract.crawl.workers import worker
from newsextract.crawl.workers.worker_answers import TooSlow, WorkerDied
from newsextract.processes.killable_processes import WorkerContext

if TYPE_CHECKING:
    from concurrent.futures import Future

    from newsextract.crawl.workers.worker_answers import Answer, ReaderPlan
    from newsextract.crawl.workers.worker_job import Job

TASKS_AHEAD = 2
"""Tasks sent to a process: the current one and the next, so that it never waits."""

LONG_SECONDS = 1.0
"""Seconds after which the tasks behind a slow page go to other workers; one page in a thousand is so slow."""

MOST_ATTEMPTS = 3
"""Workers that may die, one after the other, before or on starting a task; then the task fails."""

PRELOADED = "newsextract.crawl.workers.preloaded"

logger = logging.getLogger(__name__)


class Lane(Protocol):
    """One worker and its queue; tasks are done in the order of submission."""

    @property
    def started(self) -> int:
        """How many processes were started."""
        ...

    @property
    def killed(self) -> int:
        """How many were killed because they were too slow."""
        ...

    @property
    def died(self) -> int:
        """How many ended on their own."""
        ...

    @property
    def backlog(self) -> int:
        """How many tasks have no answer yet."""
        ...

    def submit(self, job: Job) -> None:
        """Queue a task."""
        ...

    def relieve(self, now: float) -> list[Job]:
        """Remove and return the tasks behind a slow one, for other workers; `now` is a time of the monotonic clock."""
        ...

    @property
    def is_stuck(self) -> bool:
        """Whether its task was slow when `relieve` was last called."""
        ...

    def close(self) -> None:
        """End the worker; its queue must be empty."""
        ...


class ThreadLane:
    """A worker that is a thread of this process: starts at once and shares everything, and cannot be killed."""

    started = killed = died = 0
    is_stuck = False

    def __init__(self, plan: ReaderPlan) -> None:
        self.backlog = 0
        self._executor = ThreadPoolExecutor(1, "newsextract", worker.start_here, (plan,))

    def submit(self, job: Job) -> None:
        """Append a task to the queue."""
        self.backlog += 1
        sent = self._executor.submit(worker.run, job.task, *job.arguments)
        sent.add_done_callback(partial(self._done, job))

    def _done(self, job: Job, sent: Future[Answer]) -> None:
        self.backlog -= 1
        error = sent.exception()
        job.end(sent.result() if error is None else WorkerDied(str(error)))

    def relieve(self, now: float) -> list[Job]:  # noqa: ARG002 - there is no other worker
        """Return an empty list: there is only this thread."""
        return []

    def close(self) -> None:
        """End the thread."""
        self._executor.shutdown(wait=False)


class ProcessLane:
    """A worker that is a process; it is replaced when it was killed, died, or has done many tasks.

    If pebble's pool of one process loses its process between tasks, it stops working and forgets the tasks sent to
    it; so it is sent few tasks, and replaced.
    """

    def __init__(self, plan: ReaderPlan, most_tasks: int) -> None:
        self.killed = self.died = 0
        self._context = WorkerContext(PRELOADED)
        self._make = partial(
            ProcessPool,
            max_workers=1,
            max_tasks=most_tasks,
            initializer=worker.start_process,
            initargs=(plan,),
            context=self._context,
        )
        self._pool = self._make()
        self._starter: Thread | None = None
        self._is_running = False
        self._lock = RLock()
        self._waiting: deque[Job] = deque()
        self._sent: dict[Job, Future[Answer]] = {}
        self._running: Job | None = None
        self._running_since = 0.0
        self._lent: Job | None = None
        """The sent task that another worker was given too."""
        self.is_stuck = False

    @property
    def started(self) -> int:
        """How many processes were started."""
        return self._context.started

    @property
    def backlog(self) -> int:
        """How many tasks have no answer yet."""
        return len(self._waiting) + len(self._sent)

    def submit(self, job: Job) -> None:
        """Append a task to the queue."""
        with self._lock:
            self._waiting.append(job)
            self._send()

    def relieve(self, now: float) -> list[Job]:
        """Return the tasks behind a slow one; a task that the process was sent already is done by both."""
        with self._lock:
            running = next((job for job, sent in self._sent.items() if sent.running()), None)
            if running is not self._running:
                self._running, self._running_since = running, now
            self.is_stuck = running is not None and now - self._running_since >= LONG_SECONDS
            if not self.is_stuck:
                return []
            sent = [job for job in self._sent if job not in (running, self._lent) and not job.is_bound]
            waiting = [job for job in self._waiting if not job.is_bound]
            self._lent = sent[0] if sent else self._lent
            self._waiting = deque(job for job in self._waiting if job.is_bound)
            return [*sent, *waiting]

    def close(self) -> None:
        """End the process."""
        _end(self._pool)

    def _start(self) -> None:
        """Start the pool in a thread, because its process takes time to import its modules."""
        if self._starter is None:
            self._starter = Thread(target=self._run, args=(self._pool,), daemon=True)
            self._starter.start()

    def _run(self, pool: ProcessPool) -> None:
        with suppress(RuntimeError, OSError):  # the first task will raise it again
            _ = pool.active  # reading the property starts the pool
        with self._lock:
            self._is_running = True
            self._send()

    def _send(self) -> None:
        while self._waiting and len(self._sent) < TASKS_AHEAD:
            if not self._is_running:
                self._start()
                return
            job = self._waiting.popleft()
            if job.answer.done():
                continue  # done by another worker
            pool = self._pool
            try:
                sent = pool.schedule(worker.run, (job.task, *job.arguments), timeout=job.seconds)
            except (RuntimeError, OSError) as error:
                self._retry(job, pool, error)
            else:
                self._sent[job] = sent
                sent.add_done_callback(partial(self._done, job, pool))

    def _done(self, job: Job, pool: ProcessPool, sent: Future[Answer]) -> None:
        # This runs in one of pebble's threads.
        with self._lock:
            self._sent.pop(job, None)
            error = sent.exception()
            if error is None:
                job.end(sent.result())
            elif isinstance(error, TimeoutError):
                self.killed += 1
                job.end(TooSlow(f"more than {job.seconds:g} seconds"))
            elif isinstance(error, ProcessExpired):
                self.died += 1
                job.end(WorkerDied(f"exit code {error.exitcode}"))
            else:
                self._retry(job, pool, error)
            self._send()

    def _retry(self, job: Job, pool: ProcessPool, error: BaseException) -> None:
        """Give the task to another process, because its process ended before starting it."""
        if pool is self._pool:
            self.died += 1
            self._pool, self._starter, self._is_running = self._make(), None, False
            # Not in this thread, which the pool may wait for when it ends.
            Thread(target=_end, args=(pool,), daemon=True).start()
        job.attempts += 1
        if job.attempts < MOST_ATTEMPTS:
            self._waiting.appendleft(job)
        else:
            logger.error("no worker could take up a task: %s", error)
            job.end(WorkerDied(str(error)))


def _end(pool: ProcessPool) -> None:
    pool.stop()  # type: ignore[no-untyped-call] # pebble's
    pool.join()
