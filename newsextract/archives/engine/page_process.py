"""The process in which the pages of one file are read; it is killed if a page hangs, and another goes on behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from newsextract.archives.engine.page_answer import PageAnswer
from newsextract.archives.tables.record_end import RecordEnd
from newsextract.processes.pool import Crashed, TooSlow, WorkerPool

if TYPE_CHECKING:
    from concurrent.futures import Future

    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.warc import WarcRecord


class PageProcess:
    """Reads pages one at a time: `send` a record, then get its `answer`."""

    def __init__(self, plan: ReadingPlan, warc_file: str) -> None:
        self._seconds = plan.page_seconds
        make = "newsextract.archives.engine.page_reader:PageReader"
        self._pool = WorkerPool(make, plan, warc_file, processes=1, seconds=plan.page_seconds)
        self._sent: Future[PageAnswer]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.stop()

    def send(self, record: WarcRecord) -> None:
        """Let a page be read; the answer to the last one must have been taken."""
        self._sent = self._pool.submit("read", record)

    def answer(self) -> PageAnswer:
        """Return what became of the page that was sent last; waits for it."""
        try:
            return self._sent.result()
        except TooSlow:
            return PageAnswer(RecordEnd.KILLED, f"not read within {self._seconds:g} seconds")
        except Crashed:
            return PageAnswer(RecordEnd.KILLED, "the process that reads it dies")
