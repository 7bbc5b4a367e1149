"""The engine without Ray: worker processes on this machine, each of which may be killed at whatever moment."""

from __future__ import annotations

from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from newsextract.archives.engine.worker_events import Failed, Finished, Progressed
from newsextract.processes.limits import use_one_thread
from newsextract.processes.pool import ATTEMPTS, Crashed, WorkerPool, report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Future

    from newsextract.archives.engine.worker_events import Event, Tasks, Work

PRELOADED = "newsextract.archives.engine.file_reading"


class ProcessEngine:
    """Runs tasks in `jobs` worker processes."""

    def __init__(self, jobs: int) -> None:
        use_one_thread()
        self.jobs = jobs

    def run(self, work: Work, tasks: Tasks) -> Iterator[Event]:
        """Run each task once; see `Engine`."""
        events: SimpleQueue[Event] = SimpleQueue()
        waiting = iter(range(len(tasks)))
        # Workers that are no daemons, as each starts the process for its pages.
        pool = WorkerPool(f"{__name__}:FileWorker", work, processes=self.jobs, preload=(PRELOADED,), daemon=False)

        def start_next() -> None:
            if (number := next(waiting, None)) is not None:
                sent = pool.submit("do", tasks[number], on_progress=lambda told: events.put(Progressed(number, told)))
                sent.add_done_callback(lambda done: events.put(_end(number, done)))

        try:
            for _ in range(self.jobs):
                start_next()
            for _ in range(len(tasks)):
                while isinstance(event := events.get(), Progressed):
                    yield event
                start_next()
                yield event
        finally:
            pool.stop()

    def close(self) -> None:
        """Do nothing: `run` ends its workers."""


class FileWorker:
    """Does tasks in a worker process."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def do(self, task: Any) -> Any:
        """Do a task, and report how far it is."""
        return self._work(task, report)


def _end(number: int, done: Future[Any]) -> Finished | Failed:
    error = done.exception()
    if error is None:
        return Finished(number, done.result())
    if isinstance(error, Crashed):
        return Failed(number, f"{ATTEMPTS} workers died on it, one after the other")
    return Failed(number, f"{type(error).__name__}: {error}")
