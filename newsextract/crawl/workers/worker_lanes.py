"""Workers one by one, each with the tasks that wait for it: a process that can be killed, or a thread."""

from __future__ import annotations

import logging
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from threading import RLock, Thread
from typing import TYPE_CHECKING, Any, Protocol

from pebble import ProcessExpired, ProcessPool

from newsextract.crawl.workers import worker
from newsextract.crawl.workers.worker_answers import TooSlow, WorkerDied
from newsextract.crawl.workers.worker_processes import WorkerContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from newsextract.crawl.workers.worker_answers import Answer, ReaderPlan

TASKS_AHEAD = 2
"""Tasks that a process is sent: the one it does and the next, so that it need not wait for it."""

MOST_ATTEMPTS = 3
"""Workers that may end, one after the other, before or as they take up a task; then it is given up."""

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class Job:
    """A task on its way to an answer."""

    task: Callable[..., Any]
    arguments: tuple[Any, ...]
    seconds: float | None = None
    """Allowed from when a worker takes it up; `None` for no limit."""
    answer: Future[Any] = field(default_factory=Future)
    attempts: int = 0

    def end(self, found: Answer | Exception) -> None:
        """Hand over what came of it."""
        if isinstance(found, Exception):
            self.answer.set_exception(found)
            return
        for line in found.log:
            logging.getLogger(line.logger).log(line.level, "%s", line.message)
        if found.error is not None:
            self.answer.set_exception(found.error)
        else:
            self.answer.set_result(found.value)


class Lane(Protocol):
    """One worker and what waits for it; tasks are done in the order in which they come."""

    @property
    def started(self) -> int:
        """The processes that were started."""
        ...

    @property
    def killed(self) -> int:
        """Those that were ended as they were too slow."""
        ...

    @property
    def died(self) -> int:
        """Those that ended on their own."""
        ...

    @property
    def backlog(self) -> int:
        """The tasks that have no answer yet."""
        ...

    def submit(self, job: Job) -> None:
        """Queue a task."""
        ...

    def close(self) -> None:
        """End the worker, which has nothing to do any more."""
        ...


class ThreadLane:
    """A worker that is a thread of this process: starts at once and shares everything, and cannot be killed."""

    started = killed = died = 0

    def __init__(self, plan: ReaderPlan) -> None:
        self.backlog = 0
        self._executor = ThreadPoolExecutor(1, "newsextract", worker.start_here, (plan,))

    def submit(self, job: Job) -> None:
        """Queue a task behind those before it."""
        self.backlog += 1
        sent = self._executor.submit(worker.run, job.task, *job.arguments)
        sent.add_done_callback(partial(self._done, job))

    def _done(self, job: Job, sent: Future[Answer]) -> None:
        self.backlog -= 1
        error = sent.exception()
        job.end(sent.result() if error is None else WorkerDied(str(error)))

    def close(self) -> None:
        """End the thread."""
        self._executor.shutdown(wait=False)


class ProcessLane:
    """A worker that is a process, replaced when it was killed, died, or has done many tasks.

    The pool of one process that pebble keeps cannot go on once its process has ended without a task, and forgets what
    was sent to it; so it is sent little, and made anew.
    """

    def __init__(self, plan: ReaderPlan, most_tasks: int) -> None:
        self.killed = self.died = 0
        self._context = WorkerContext()
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
        self._sent: set[Job] = set()

    @property
    def started(self) -> int:
        """The processes that were started."""
        return self._context.started

    @property
    def backlog(self) -> int:
        """The tasks that have no answer yet."""
        return len(self._waiting) + len(self._sent)

    def submit(self, job: Job) -> None:
        """Queue a task behind those before it."""
        with self._lock:
            self._waiting.append(job)
            self._send()

    def close(self) -> None:
        """End the process."""
        _end(self._pool)

    def _start(self) -> None:
        """Start the pool in a thread: its process is there when it has imported what it needs."""
        if self._starter is None:
            self._starter = Thread(target=self._run, args=(self._pool,), daemon=True)
            self._starter.start()

    def _run(self, pool: ProcessPool) -> None:
        with suppress(RuntimeError, OSError):  # which the first task will meet again
            _ = pool.active  # asking for it starts it
        with self._lock:
            self._is_running = True
            self._send()

    def _send(self) -> None:
        while self._waiting and len(self._sent) < TASKS_AHEAD:
            if not self._is_running:
                self._start()
                return
            job = self._waiting.popleft()
            pool = self._pool
            try:
                sent = pool.schedule(worker.run, (job.task, *job.arguments), timeout=job.seconds)
            except (RuntimeError, OSError) as error:
                self._retry(job, pool, error)
            else:
                self._sent.add(job)
                sent.add_done_callback(partial(self._done, job, pool))

    def _done(self, job: Job, pool: ProcessPool, sent: Future[Answer]) -> None:
        # In a thread of pebble's.
        with self._lock:
            self._sent.discard(job)
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
        """Give the task to another process: the one it was meant for ended before it began."""
        if pool is self._pool:
            self.died += 1
            self._pool, self._starter, self._is_running = self._make(), None, False
            # Not here: this may be a thread that the pool waits for as it ends.
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
