"""A pool of killable processes: a task ends with its value, its error, `TooSlow` or `Crashed`, and costs no other task.

Each worker has a pipe of its own and shares no lock with others, so it can be killed at any moment. Tasks with the same
key go to the same worker, in order: so a site whose pages are too slow holds up no other, and a page's tree is at hand
for its next task. pebble's and the standard library's pools have one queue for all, no key, and workers that may start
no processes of their own.

Unanswered
├── TooSlow   the task took longer than it may, and its process was killed
└── Crashed   its process ended: a crash of a library, or the system was out of memory
"""

from __future__ import annotations

import ctypes
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from collections import deque
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from itertools import count
from multiprocessing import parent_process, util
from pathlib import Path
from threading import Condition, Lock, Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self, TypeVar
from zlib import crc32

from newsextract.processes.limits import collect_rarely, give_back, keep_freed, use_one_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.context import BaseContext
    from multiprocessing.process import BaseProcess

WARM_READER = "newsextract.processes.warm_reader"

START_SECONDS = 300.0
"""In which a process has to be ready: modules and weights take three seconds, on a busy machine many times that."""

TASKS_PER_PROCESS = 5000
"""Tasks after which a process is replaced: libraries do not give all memory back."""

TASKS_PER_TRIM = 32
"""Tasks after which a process gives freed memory back; it takes some milliseconds."""

TRIM_SECONDS = 10.0
"""Seconds after which the parent's process does so, too."""

ATTEMPTS = 3
"""Processes that may die on a task before it counts as crashed: one that is killed from outside says nothing of it."""

MAX_LINES = 100
"""Most log lines kept per task."""

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""

_Item = TypeVar("_Item")


class Unanswered(Exception):  # noqa: N818 - an end of a page, as `NoArticle` is
    """A task has no answer; `reason` is a short phrase, the same for every task of its kind."""

    reason = "unanswered"


class TooSlow(Unanswered):
    """The task took longer than it may."""

    reason = "too slow"


class Crashed(Unanswered):
    """The process ended while it did the task."""

    reason = "crashed"


class CannotStartError(RuntimeError):
    """No process can be started."""


class WorkerError(RuntimeError):
    """Replaces a worker's error that cannot be pickled; the message has the error's type and message."""


@dataclass(eq=False)
class _Job:
    number: int
    task: str
    arguments: tuple[Any, ...]
    seconds: float | None
    key: str | None
    answer: Future[Any] = field(default_factory=Future)

    def end(self, value: Any = None, error: BaseException | None = None) -> None:
        with suppress(InvalidStateError):  # given up by its caller
            if error is not None:
                self.answer.set_exception(error)
            else:
                self.answer.set_result(value)


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Any = None
    error: Exception | None = None
    log: tuple[tuple[str, int, str], ...] = ()


class WorkerPool:
    """Runs tasks in processes, which start when they are first needed; with none, in one thread of this process.

    `make` is "module:name" of what each worker calls with `arguments`; the public methods of what it returns are the
    tasks. Each is allowed `seconds` (`None`: no limit; a thread has none). `preload` are modules that processes share.
    """

    def __init__(
        self,
        make: str,
        *arguments: Any,
        processes: int,
        seconds: float | None = None,
        preload: Sequence[str] = (WARM_READER,),
        tasks_per_process: int = TASKS_PER_PROCESS,
    ) -> None:
        self._seconds = seconds
        self._numbers = count()
        self._lock = Lock()
        self._shared: deque[_Job] = deque()
        self._slow: set[str] = set()
        """Keys of tasks that were too slow: they share one more worker, and hold up nobody else."""
        self._refusal: Callable[[], Exception] | None = None
        self._is_closing = False
        self._closed: Future[None] = Future()
        self._next_trim = time.monotonic() + TRIM_SECONDS
        self._workers: list[_Worker] = []
        self._new: Callable[[], _Worker]
        if processes:
            use_one_thread()
            context = _context([make.partition(":")[0], *preload])
            self._new = partial(_Process, self._lock, make, arguments, context, tasks_per_process)
        else:
            self._new = partial(_Worker, self._lock, make, arguments)
        self._count = max(processes, 1)
        for _ in range(self._count):
            self._add()
        self._at_exit = util.Finalize(None, self.stop, exitpriority=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close().result()
        else:
            self.stop()

    def submit(self, task: str, *arguments: Any, key: str | None = None) -> Future[Any]:
        """Return the future of a task's answer; tasks with the same key are done by one worker, in order."""
        with self._lock:
            if self._is_closing:
                raise RuntimeError("the pool is closed")
            job = _Job(next(self._numbers), task, arguments, self._seconds, key)
            if self._refusal is not None:
                job.end(error=self._refusal())
            elif key is not None:
                worker = self._workers[self._count if key in self._slow else crc32(key.encode()) % self._count]
                worker.queue.append(job)
                worker.is_idle = False  # now, so that no shared task is left to it before it wakes
                worker.wake.notify()
            else:
                self._shared.append(job)
                if idle := next((worker for worker in self._workers if worker.is_idle), None):
                    idle.is_idle = False
                    idle.wake.notify()
        return job.answer

    def refuse(self, error: Callable[[], Exception]) -> None:
        """Let what waits fail, and what is submitted from now on; what has begun goes on."""
        with self._lock:
            self._refusal = error
            queues = (self._shared, *(worker.queue for worker in self._workers))
            waiting = [job for queue in queues for job in queue]
            for queue in queues:
                queue.clear()
        for job in waiting:
            job.end(error=error())

    def close(self) -> Future[None]:
        """Finish what was submitted, and end the workers; the future is done when they have ended."""
        with self._lock:
            self._is_closing = True
            for worker in self._workers:
                worker.wake.notify()
        return self._closed

    def stop(self) -> None:
        """Kill the workers, and cancel what they have not done."""
        with self._lock:
            self._is_closing = True
            for worker in self._workers:
                for job in worker.queue:
                    job.answer.cancel()
                worker.queue.clear()
                worker.stop()
                worker.wake.notify()
            for job in self._shared:
                job.answer.cancel()
            self._shared.clear()

    def counts(self) -> dict[str, int]:
        """Return how many processes were `started`, were `killed` because they were too slow, and `died`."""
        return {name: sum(getattr(worker, name) for worker in self._workers) for name in ("started", "killed", "died")}

    def _add(self) -> None:
        self._workers.append(self._new())
        Thread(target=self._run, args=(self._workers[-1],), name="newsextract-worker", daemon=True).start()

    def _run(self, worker: _Worker) -> None:
        """Be the thread of a worker."""
        while job := self._next(worker):
            if job.answer.set_running_or_notify_cancel() and not worker.do(job) and job.key is not None:
                self._separate(worker, job.key)
            self._trim()
        worker.end()
        with self._lock:
            worker.has_ended = True
            if not self._closed.done() and all(each.has_ended for each in self._workers):
                self._at_exit.cancel()
                self._closed.set_result(None)

    def _next(self, worker: _Worker) -> _Job | None:
        with self._lock:
            while not (queues := [queue for queue in (worker.queue, self._shared) if queue]):
                if self._is_closing:
                    return None
                worker.is_idle = True
                worker.wake.wait()
                worker.is_idle = False
            return min(queues, key=lambda queue: queue[0].number).popleft()

    def _separate(self, worker: _Worker, key: str) -> None:
        """Give the tasks of a key to the worker of slow keys."""
        with self._lock:
            if self._is_closing or key in self._slow:
                return
            self._slow.add(key)
            if len(self._workers) == self._count:
                self._add()
            slow = self._workers[self._count]
            slow.queue.extend(job for job in worker.queue if job.key == key)
            worker.queue = deque(job for job in worker.queue if job.key != key)
            slow.wake.notify()

    def _trim(self) -> None:
        if time.monotonic() >= self._next_trim:
            self._next_trim = time.monotonic() + TRIM_SECONDS
            give_back()


def in_order(
    submit: Callable[[_Item], Future[Any]], items: Iterable[_Item], ahead: int
) -> Iterator[tuple[_Item, Future[Any]]]:
    """Yield items in their order with the future of their answer; `ahead` of them are submitted before their turn."""
    waiting: deque[tuple[_Item, Future[Any]]] = deque()
    for item in items:
        waiting.append((item, submit(item)))
        if len(waiting) > ahead:
            yield waiting.popleft()
    yield from waiting


class _Worker:
    """Does tasks in a thread of this process, which starts at once and cannot be killed."""

    started = killed = died = 0

    def __init__(self, lock: Lock, make: str, arguments: tuple[Any, ...]) -> None:
        self.queue: deque[_Job] = deque()
        self.wake = Condition(lock)
        self.is_idle = self.has_ended = False
        self._make = partial(_made, make, arguments)
        self._tasks: Any = None

    def do(self, job: _Job) -> bool:
        """Do a task; return whether it was in time."""
        try:
            self._tasks = self._make() if self._tasks is None else self._tasks
            job.end(getattr(self._tasks, job.task)(*job.arguments))
        except BaseException as error:  # noqa: BLE001 - an extractor may even call sys.exit
            job.end(error=_portable(error))
        return True

    def end(self) -> int | None:
        """End after the last task."""

    def stop(self) -> None:
        """End at once, where that is possible."""


class _Process(_Worker):
    """Does tasks in a process, which is replaced when it was killed, died, or has done many tasks."""

    def __init__(
        self, lock: Lock, make: str, arguments: tuple[Any, ...], context: BaseContext, most_tasks: int
    ) -> None:
        super().__init__(lock, make, arguments)
        self._arguments = (make, arguments)
        self._context = context
        self._most_tasks = most_tasks
        self._done = 0
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._is_stopped = False

    def do(self, job: _Job) -> bool:
        """Do a task; return whether it was in time."""
        code: int | None = None
        for _ in range(ATTEMPTS):
            try:
                answer = self._answer(job)
            except (EOFError, OSError):
                code = self.end()
                if self._is_stopped:
                    break
                self.died += 1
                continue
            except Exception as error:  # noqa: BLE001 - it cannot be pickled, or no process starts
                job.end(error=error)
                return True
            if answer is None:
                self.killed += 1
                self.end()
                job.end(error=TooSlow(f"more than {job.seconds:g} seconds"))
                return False
            for name, level, line in answer.log:
                logging.getLogger(name).log(level, "%s", line)
            job.end(answer.value, answer.error)
            return True
        job.end(error=Crashed(f"exit code {code}"))
        return True

    def stop(self) -> None:
        """Kill the process; the thread that waits for its answer sees it end."""
        self._is_stopped = True
        if (process := self._process) is not None and process.pid is not None:
            process.kill()

    def _answer(self, job: _Job) -> _Answer | None:
        """Return the answer to a task, or `None` if it takes too long; raises `EOFError` or `OSError` if it dies."""
        if self._done >= self._most_tasks:
            self.end()
        if self._pipe is None:
            self._start()
        assert self._pipe is not None  # noqa: S101 - it was started
        self._pipe.send((job.task, job.arguments))
        if not self._pipe.poll(job.seconds):
            return None
        answer: _Answer = self._pipe.recv()
        self._done += 1
        return answer

    def _start(self) -> None:
        for _ in range(ATTEMPTS):
            with suppress(EOFError, OSError):
                self._pipe, theirs = self._context.Pipe()
                arguments = (theirs, *self._arguments)
                self._process = self._context.Process(target=_serve, args=arguments, daemon=True)  # type: ignore[attr-defined]  # of every context
                with _no_main():
                    self._process.start()
                theirs.close()
                self.started += 1
                if self._is_stopped:
                    self._process.kill()
                if self._pipe.poll(START_SECONDS):
                    ready: _Answer = self._pipe.recv()
                    self._done = 0
                    if ready.error is None:
                        return
                    self.end()
                    raise ready.error
            self.end()
            if self._is_stopped:
                raise EOFError
        raise CannotStartError("no process for reading pages can be started")

    def end(self) -> int | None:
        """Kill the process, which keeps nothing; return its exit code, if it had ended by itself."""
        process, pipe, self._process, self._pipe = self._process, self._pipe, None, None
        if pipe is not None:
            pipe.close()
        if process is None or process.pid is None:
            return None
        process.join(0.1)  # one that has died is about to end
        code = process.exitcode
        process.kill()
        process.join()
        return code


# How a process starts: without the script of its parent, and with what all processes share.

_main = Lock()


@contextmanager
def _no_main() -> Iterator[None]:
    """Hide the origin of `__main__`, which a new process would run again.

    It is the script that started the crawl: Scrapy's own, scrapyd's, or one without a guard against being imported.
    Its definitions can still be found meanwhile.
    """
    with _main:
        known = sys.modules["__main__"]
        hidden = ModuleType("__main__")
        hidden.__dict__.update(known.__dict__, __spec__=None)
        hidden.__dict__.pop("__file__", None)
        sys.modules["__main__"] = hidden
        try:
            yield
        finally:
            sys.modules["__main__"] = known


def _context(preload: list[str]) -> BaseContext:
    """Return how processes are started: forked from a server that has modules imported, and no threads.

    Each process imports them itself on systems without such a server, and from a zipped egg: the server does not know
    the egg's path, and would take what is installed, in whatever version.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preload if Path(__file__).is_file() else [])
    return context


# What runs in a process.


def _serve(pipe: Connection, make: str, arguments: tuple[Any, ...]) -> None:
    """Be a worker: do each task that comes, until the other end closes."""
    # Ctrl-C and the stopping of a service go to all processes of a group: the parent ends in order, its workers last.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    _end_with_parent()
    collect_rarely()
    keep_freed()
    logging.getLogger().addHandler(kept := _KeptLines())
    with suppress(EOFError, OSError):
        tasks, error = _tried(_made, make, arguments)
        pipe.send(_Answer(error=error))
        for done in count(1):
            asked = pipe.recv()
            value, error = _tried(getattr(tasks, asked[0]), *asked[1])
            try:
                pipe.send(_Answer(value, error, kept.take()))
            except (pickle.PicklingError, TypeError, AttributeError) as unfit:
                pipe.send(_Answer(error=_portable(unfit)))
            del asked, value
            if done % TASKS_PER_TRIM == 0:
                give_back()


def _made(make: str, arguments: tuple[Any, ...]) -> Any:
    module, _, name = make.partition(":")
    return getattr(import_module(module), name)(*arguments)


def _tried(function: Callable[..., Any], *arguments: Any) -> tuple[Any, Exception | None]:
    try:
        return function(*arguments), None
    except BaseException as error:  # noqa: BLE001 - an extractor may even call sys.exit: the caller gets it, and goes on
        return None, _portable(error)


def _portable(error: BaseException) -> Exception:
    """Return the error in a form that can be pickled, with its traceback."""
    notes = "".join(traceback.format_exception(error))
    try:
        if isinstance(pickle.loads(pickle.dumps(error)), Exception):  # noqa: S301 - our own bytes
            error.add_note(notes)
            return error  # type: ignore[return-value]  # it is one, as its copy is
    except Exception:  # noqa: BLE001 - whatever its class does when it is taken apart or put together
        notes = f"{notes}(it cannot be pickled)"
    portable = WorkerError(f"{type(error).__name__}: {error}")
    portable.add_note(notes)
    return portable


class _KeptLines(logging.Handler):
    """Collects log lines for the parent's process."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[tuple[str, int, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.lines) < MAX_LINES:
            self.lines.append((record.name, record.levelno, record.getMessage()))

    def take(self) -> tuple[tuple[str, int, str], ...]:
        """Return the lines since the last call."""
        lines, self.lines = tuple(self.lines), []
        return lines


def _end_with_parent() -> None:
    """Let this process end when its parent does, however that ends.

    A thread waits for the parent. A page that keeps the interpreter's lock keeps that thread waiting, too: so Linux
    itself kills the process when the one that forked it ends, which is the parent or ends with it.
    """
    Thread(target=_exit_after_parent, name="newsextract-orphans", daemon=True).start()
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _exit_after_parent() -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
