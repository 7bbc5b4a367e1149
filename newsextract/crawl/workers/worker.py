"""One worker: a thread of the crawl's process, or a separate process that ends with it."""

from __future__ import annotations

import logging
import pickle
import signal
import threading
import traceback
from importlib import import_module
from multiprocessing import util
from typing import TYPE_CHECKING, Any

from newsextract.crawl.workers.worker_answers import Answer, LogLine, WorkerError
from newsextract.processes.garbage_collection import collect_rarely, give_back
from newsextract.processes.orphans import end_with_parent

if TYPE_CHECKING:
    from newsextract.crawl.workers.worker_answers import ReaderPlan
    from newsextract.crawl.workers.worker_tasks import Bench

MAX_LINES = 100
"""Most log lines kept per task."""

TASKS_PER_TRIM = 32
"""Tasks after which a worker process gives freed memory back; it takes some milliseconds."""

GRACE_SECONDS = 5
"""Seconds in which a worker whose crawl was killed can save what it has learned."""

_BEFORE_ALL_ELSE = 100
"""Priority among the finalizers that `multiprocessing` runs at the end of a process."""


class _Here(threading.local):
    """Holds this thread's bench, because the pool has no place for it."""

    bench: Bench | None = None
    kept: _KeptLines | None = None
    is_busy: bool = False
    done: int = 0


_here = _Here()


class _KeptLines(logging.Handler):
    """Collects log lines for the parent process."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[LogLine] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.lines) < MAX_LINES:
            self.lines.append(LogLine(record.name, record.levelno, record.getMessage()))

    def take(self) -> tuple[LogLine, ...]:
        """Return the lines since the last call."""
        lines, self.lines = tuple(self.lines), []
        return lines


def _tasks() -> Any:
    # The crawl's own process, which imports this module too, reads no page.
    return import_module("newsextract.crawl.workers.worker_tasks")


def start_here(plan: ReaderPlan) -> None:
    """Turn this thread into a worker."""
    _here.bench = _tasks().Bench(plan)


def start_process(plan: ReaderPlan) -> None:
    """Turn this process into a worker.

    Ctrl-C and the stopping of a service go to all processes of a group: the crawl ends in order, and its workers last.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    collect_rarely()
    end_with_parent(GRACE_SECONDS)
    _here.kept = _KeptLines()
    logging.getLogger().addHandler(_here.kept)
    start_here(plan)
    # A process that is recycled ends between two tasks.
    util.Finalize(None, _save_at_end, exitpriority=_BEFORE_ALL_ELSE)


def run(task: str, *arguments: Any) -> Answer:
    """Run a task of `worker_tasks` with this thread's bench; the answer, also of an error, can be pickled."""
    assert _here.bench is not None  # noqa: S101 - the pool starts its workers
    _here.is_busy = True
    try:
        value, error = getattr(_tasks(), task)(_here.bench, *arguments), None
    except BaseException as caught:  # noqa: BLE001 - an extractor may even call sys.exit: the crawl is told, and goes on
        value, error = None, _portable(caught)
    _here.is_busy = False
    _here.done += 1
    if _here.kept is not None and _here.done % TASKS_PER_TRIM == 0:
        give_back()
    return Answer(value, error, _here.kept.take() if _here.kept else ())


def _portable(error: BaseException) -> Exception:
    """Return the error in a form that can be pickled, with its traceback."""
    told = "".join(traceback.format_exception(error))
    try:
        if isinstance(pickle.loads(pickle.dumps(error)), Exception):  # noqa: S301 - our own bytes
            error.add_note(told)
            return error  # type: ignore[return-value]  # it is one, as its copy is
    except Exception:  # noqa: BLE001 - whatever its class does when it is taken apart or put together
        told = f"{told}(it cannot be pickled)"
    portable = WorkerError(f"{type(error).__name__}: {error}")
    portable.add_note(told)
    return portable


def _save_at_end() -> None:
    if _here.bench is not None and not _here.is_busy:
        _tasks().save(_here.bench)
