"""The engine without Ray: worker processes on this machine, each with its own pipe.

They share nothing, no lock and no queue: whichever is killed, at whatever moment, takes only its own task with it, and
that goes to a new one. `concurrent.futures` gives up the whole pool, and pebble's workers may have no processes of
their own, which these need for their pages.
"""

from __future__ import annotations

import signal
from collections import deque
from contextlib import suppress
from multiprocessing import connection
from typing import TYPE_CHECKING, Any

from newsextract.archives.engine.single_thread import use_one_thread
from newsextract.archives.engine.worker_events import MOST_ATTEMPTS, Failed, Finished, Progressed
from newsextract.processes.killable_processes import WorkerContext
from newsextract.processes.orphans import end_with_parent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

    from newsextract.archives.engine.worker_events import Event, Tasks, Work

PRELOADED = "newsextract.archives.engine.file_reading"


class ProcessEngine:
    """Runs tasks in `jobs` worker processes."""

    def __init__(self, jobs: int) -> None:
        use_one_thread()
        self.jobs = jobs
        self._context = WorkerContext(PRELOADED)

    def run(self, work: Work, tasks: Tasks) -> Iterator[Event]:
        """Run each task once; see `Engine`."""
        waiting = deque((number, 1) for number in range(len(tasks)))
        workers: list[_Worker] = []
        try:
            while waiting or any(worker.task for worker in workers):
                workers = [worker for worker in workers if not worker.is_dead]
                while len(workers) < min(self.jobs, len(waiting) + sum(worker.task is not None for worker in workers)):
                    workers.append(_Worker(self._context, work))
                for worker in workers:
                    if worker.task is None and waiting:
                        worker.give(*waiting[0], tasks[waiting.popleft()[0]])
                for worker in _ready(workers):
                    yield from self._take(worker, waiting)
        finally:
            for worker in workers:
                worker.end()

    def _take(self, worker: _Worker, waiting: deque[tuple[int, int]]) -> Iterator[Event]:
        """Yield what a worker has to say; put its task back if it has died."""
        assert worker.task is not None  # noqa: S101 - only those with a task are asked
        number, attempt = worker.task
        try:
            event = worker.pipe.recv()
        except (EOFError, OSError):
            worker.end()
            if attempt < MOST_ATTEMPTS:
                waiting.appendleft((number, attempt + 1))
            else:
                yield Failed(number, f"{attempt} workers died on it, one after the other")
            return
        if not isinstance(event, Progressed):
            worker.task = None
        yield event

    def close(self) -> None:
        """Do nothing: `run` ends its workers."""


class _Worker:
    """A process and its pipe; `task` is the number of its task and the how manieth attempt at it this is."""

    def __init__(self, context: WorkerContext, work: Work) -> None:
        self.pipe, theirs = context.Pipe()
        self.task: tuple[int, int] | None = None
        self.is_dead = False
        # Not a daemon: those may have no processes of their own.
        self._process = context.Process(target=serve, args=(theirs, work), daemon=False)
        self._process.start()
        theirs.close()

    def give(self, number: int, attempt: int, task: Any) -> None:
        """Hand a task over; if the worker has died, its pipe will say so."""
        self.task = (number, attempt)
        with suppress(OSError):
            self.pipe.send((number, task))

    def end(self) -> None:
        """Kill it; its own processes end with it."""
        self.is_dead, self.task = True, None
        self.pipe.close()
        self._process.kill()
        self._process.join()


def _ready(workers: list[_Worker]) -> list[_Worker]:
    """Return the workers that have something to say; waits for one."""
    busy = {worker.pipe: worker for worker in workers if worker.task is not None}
    return [busy[pipe] for pipe in connection.wait(list(busy)) if isinstance(pipe, connection.Connection)]


def serve(pipe: Connection, work: Work) -> None:
    """Be a worker: do each task that comes, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all: the run's own process ends the workers
    use_one_thread()
    end_with_parent()
    with suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            number, task = pipe.recv()
            pipe.send(_done(work, number, task, pipe))


def _done(work: Work, number: int, task: Any, pipe: Connection) -> Event:
    def tell(told: Any) -> None:
        pipe.send(Progressed(number, told))

    try:
        return Finished(number, work(task, tell))
    except (BrokenPipeError, ConnectionResetError):
        raise
    except Exception as error:  # noqa: BLE001 - a fault in one file may not lose the others
        return Failed(number, f"{type(error).__name__}: {error}")
