"""Read one WARC file: the task of a worker, whatever engine it runs on."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from newsextract.archives.engine.file_outputs import FileOutputs, OutputError
from newsextract.archives.engine.file_task import FileReport, Told
from newsextract.archives.engine.output_layout import OutputFolder
from newsextract.archives.engine.page_answer import PageAnswer
from newsextract.archives.engine.page_process import PageProcess
from newsextract.archives.engine.records_in_order import read_in_order
from newsextract.archives.engine.run_counts import END_NOTE
from newsextract.archives.locations import full_url, open_location
from newsextract.archives.resumed_file import LocationError, is_remote
from newsextract.archives.tables.record_end import READ_PAGES, RecordEnd
from newsextract.archives.warc import DAMAGED, read_records
from newsextract.processes.limits import use_one_thread

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from newsextract.archives.engine.file_task import FileTask, Tell
    from newsextract.archives.engine.reading_plan import ReadingPlan
    from newsextract.archives.locations import Location
    from newsextract.archives.warc import WarcRecord

TELL_SECONDS = 1.0

SIZE_NOTE = "newsextract.bytes"
"""In the metadata of a table of records: how large its WARC was, if it was a local file."""

URL_NOTE = "newsextract.url"
"""Likewise: the path or URL that its WARC was read from."""


def read_file(task: FileTask, tell: Tell) -> FileReport:
    """Read a file into its tables, and return what became of its records.

    A file that cannot be read to its end leaves no table, and is read again by the next run.
    """
    use_one_thread()
    pa.set_cpu_count(1)
    started = time.monotonic()
    name = task.location.name
    try:
        ends = _read(task, _Teller(tell, name))
    except OutputError as error:
        return FileReport(name, trouble=f"not written: {error}", seconds=time.monotonic() - started)
    except (LocationError, OSError) as error:
        return FileReport(name, trouble=f"not read: {error}", seconds=time.monotonic() - started)
    return FileReport(name, ends, seconds=time.monotonic() - started)


def local_bytes(location: Location) -> str:
    """Return how large a file is, as text; an empty one for a remote file."""
    return "" if is_remote(location.url) else str(Path(location.url).stat().st_size)


def _read(task: FileTask, teller: _Teller) -> Counter[str]:
    size = local_bytes(task.location)
    name = task.location.name
    with (
        open_location(task.location) as file,
        PageProcess(task.plan, name) as pages,
        FileOutputs(OutputFolder(task.folder), name) as outputs,
    ):
        records = read_records(file, max_bytes=task.plan.page_bytes)
        for record, answer in read_in_order(records, _judge_of(task.plan), pages):
            outputs.add(record, answer)
            teller.heed(record, answer)
        ends = {f"{END_NOTE}{end}": str(count) for end, count in outputs.ends.items()}
        outputs.publish({SIZE_NOTE: size, URL_NOTE: full_url(task.location.url), **ends})
        return outputs.ends


def _judge_of(plan: ReadingPlan) -> Callable[[WarcRecord], PageAnswer | None]:
    """Return what answers for the records whose pages are not to be read."""

    def judge(record: WarcRecord) -> PageAnswer | None:
        if record.type == DAMAGED:
            return PageAnswer(RecordEnd.DAMAGED, record.fault)
        if record.type == "revisit":
            return PageAnswer(RecordEnd.REVISIT)
        if record.body is None:
            return PageAnswer(RecordEnd.OTHER, record.content_type and f"type {record.content_type[:100]}")
        reason = plan.records.reason(record)
        return PageAnswer(RecordEnd.FILTERED, reason) if reason else None

    return judge


class _Teller:
    """Tells how far a file is, not more often than people look."""

    def __init__(self, tell: Tell, name: str) -> None:
        self._tell = tell
        self._told = Told(name, 0, 0, 0, 0)
        self._next = 0.0

    def heed(self, record: WarcRecord, answer: PageAnswer) -> None:
        """Count a record."""
        told = self._told
        is_article = answer.end == RecordEnd.ARTICLE
        self._told = Told(
            told.name,
            told.records + 1,
            told.pages + (answer.end in READ_PAGES),
            told.articles + is_article,
            record.offset,
        )
        if (now := time.monotonic()) >= self._next:
            self._next = now + TELL_SECONDS
            self._tell(self._told)
