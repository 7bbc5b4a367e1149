"""A process in which the pages of one file are read; it is killed if a page hangs, and another goes on behind it."""

from __future__ import annotations

import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from newsextract.archives.engine.page_answer import PageAnswer
from newsextract.archives.engine.single_thread import use_one_thread
from newsextract.archives.tables.record_end import RecordEnd
from newsextract.processes.garbage_collection import collect_rarely, give_back, keep_freed
from newsextract.processes.killable_processes import WorkerContext
from newsextract.processes.orphans import end_with_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.warc.record import WarcRecord

PRELOADED = "newsextract.archives.engine.page_preloads"

START_SECONDS = 300.0
"""In which a process has to be ready: modules and weights take three seconds, on a busy machine many times that."""

MOST_PAGES = 5000
"""Pages after which a process is replaced, as in a crawl: libraries do not give all memory back."""

MOST_ATTEMPTS = 3
"""Processes that may die on a page before it counts as killed. One that is killed from outside says nothing of it."""

_PAGES_PER_TRIM = 32


class CannotStartError(RuntimeError):
    """No process for reading pages can be started."""


class PageProcess:
    """Reads pages one at a time: `send` a record, then get its `answer`."""

    def __init__(self, plan: ReadingPlan, warc_file: str) -> None:
        self._plan = plan
        self._warc_file = warc_file
        self._context = WorkerContext(PRELOADED)
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._record: WarcRecord | None = None
        self._sent_at = 0.0
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def send(self, record: WarcRecord) -> None:
        """Let a page be read; the answer to the last one must have been taken."""
        if self._done >= MOST_PAGES:
            self._end()
        self._record = record
        self._try_to_send(record)

    def answer(self) -> PageAnswer:
        """Return what became of the page that was sent last; waits for it."""
        assert self._record is not None  # noqa: S101 - the caller's order
        for _ in range(MOST_ATTEMPTS):
            with suppress(EOFError, OSError):
                if self._pipe is not None:
                    if self._pipe.poll(max(self._sent_at + self._plan.page_seconds - time.monotonic(), 0)):
                        found: PageAnswer = self._pipe.recv()
                        self._done += 1
                        return found
                    self._end()
                    return PageAnswer(RecordEnd.KILLED, f"not read within {self._plan.page_seconds:g} seconds")
            self._end()
            self._try_to_send(self._record)
        self._end()
        return PageAnswer(RecordEnd.KILLED, "the process that reads it dies")

    def _try_to_send(self, record: WarcRecord) -> None:
        with suppress(OSError):  # a process that has died: `answer` sees it
            if self._pipe is None:
                self._start()
            assert self._pipe is not None  # noqa: S101 - it was started
            self._sent_at = time.monotonic()
            self._pipe.send(record)

    def _start(self) -> None:
        for _ in range(MOST_ATTEMPTS):
            ours, theirs = self._context.Pipe()
            self._process = self._context.Process(target=serve, args=(theirs, self._plan, self._warc_file), daemon=True)
            with suppress(EOFError, OSError):
                self._process.start()
                theirs.close()
                if ours.poll(START_SECONDS) and ours.recv():
                    self._pipe, self._done = ours, 0
                    return
            self._end()
        raise CannotStartError("no process for reading pages can be started")

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None and self._process.pid is not None:
            self._process.kill()
            self._process.join()
        self._pipe = self._process = None


def serve(pipe: Connection, plan: ReadingPlan, warc_file: str) -> None:
    """Be the process: answer each record that comes, until the other end closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to all: the run ends in order, and this with it
    use_one_thread()
    end_with_parent()
    collect_rarely()
    keep_freed()
    from newsextract.archives.engine.page_reader import PageReader  # noqa: PLC0415 - the parent reads no page

    reader = PageReader(plan, warc_file)
    number = 0
    with suppress(EOFError, OSError):
        pipe.send(True)
        while True:
            pipe.send(reader.read(pipe.recv()))
            number += 1
            if number % _PAGES_PER_TRIM == 0:
                give_back()
