"""Read the pages of a WARC file into its tables: on a pool of killable processes, or in a task of Ray.

In: a file and a `ReadingPlan`. Out: its articles by month and an account of its records, whole or not at all. Pages
are read as `read_article` reads them: the answer is the same in whatever order, and however often, the files of a run
are read.
"""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
from w3lib.encoding import http_content_type_encoding

from newsextract.archives.filters import RESERVED_BY
from newsextract.archives.locations import LocationError, is_remote, open_location
from newsextract.archives.tables import (
    ARCHIVED,
    RECORDS,
    RecordEnd,
    WholeTable,
    archived_row,
    record_row,
)
from newsextract.archives.warc import DAMAGED, WarcRecord, read_records
from newsextract.page.page import KEPT_HEADERS, Hints, Page, PageError
from newsextract.processes.pool import Crashed, TooSlow, WorkerPool, in_order
from newsextract.reading.notices import NoArticle, PageState
from newsextract.terminal import why

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from newsextract.archives.filters import RecordFilter
    from newsextract.archives.locations import Location
    from newsextract.reading.rules import SiteRules

AHEAD = 8
"""Records of the file that are read ahead for each process, so that none waits for a slow page."""

END_NOTE, SIZE_NOTE, RESERVED_NOTE = "newsextract.end.", "newsextract.bytes", "newsextract.reserved."
"""In the metadata of a table of records: how many ended so, how large the file was if it was a local one, and how many
were left out because their use is reserved, by reason."""

NO_ARCHIVE = "no record of a WARC file is in it"

MOST_WAITING_BYTES = 24 * 1024 * 1024
"""Of the articles of all months together that are not written yet."""


@dataclass(frozen=True)
class ReadingPlan:
    """How pages are chosen and read."""

    extractor: str
    kinds: tuple[str, ...]
    """The kinds of pages that become articles."""
    comments: bool
    markdown: bool
    page_seconds: float
    """A page that takes longer is killed."""
    page_bytes: int
    """A larger page counts as damaged."""
    wanted: RecordFilter
    rules: Mapping[str, SiteRules]
    """The rules of sites by domain name; a domain includes its subdomains."""


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """What became of a record: the row of its article, else the reason why it has none."""

    end: RecordEnd
    reason: str | None = None
    row: dict[str, Any] | None = None


@dataclass(frozen=True)
class FileReport:
    """How the reading of a file ended."""

    ends: Counter[str] = field(default_factory=Counter)
    """How many records ended in each state; empty if the file could not be read to its end."""
    error: str | None = None
    """Why nothing was written, as a sentence."""
    seconds: float = 0.0


def page_pool(plan: ReadingPlan, processes: int) -> WorkerPool:
    """Return the processes that read pages."""
    return WorkerPool(f"{__name__}:PageReader", plan, processes=processes, seconds=plan.page_seconds)


def read_file(
    location: Location,
    folder: str,
    plan: ReadingPlan,
    pool: WorkerPool,
    processes: int,
    on_record: Callable[[WarcRecord, PageAnswer], None] = lambda *_: None,
) -> FileReport:
    """Read a file into its tables, and return what became of its records.

    A file that cannot be read to its end leaves no table, and is read again by the next run.
    """
    pa.set_cpu_count(1)
    started = time.monotonic()
    try:
        size = local_bytes(location)
        with open_location(location) as file, _FileTables(Path(folder), location) as tables:
            records = read_records(file, max_bytes=plan.page_bytes)
            for record, answer in _answers(records, location.file_name, plan, pool, AHEAD * processes):
                tables.add(record, answer)
                on_record(record, answer)
            if tables.ends and tables.ends.keys() == {RecordEnd.DAMAGED}:
                return FileReport(error=NO_ARCHIVE)
            tables.publish({SIZE_NOTE: size})
    except (LocationError, OSError) as error:
        cause = why(error).removeprefix(f"{location.url}: ")
        return FileReport(error=f"not done: {cause}", seconds=time.monotonic() - started)
    return FileReport(tables.ends, seconds=time.monotonic() - started)


def local_bytes(location: Location) -> str:
    """Return how large a file is, as text; an empty one for a remote file."""
    return "" if is_remote(location.url) else str(Path(location.url).stat().st_size)


def _answers(
    records: Iterable[WarcRecord], file_name: str, plan: ReadingPlan, pool: WorkerPool, ahead: int
) -> Iterator[tuple[WarcRecord, PageAnswer]]:
    """Yield each record with what became of it, in the order of the file."""

    def submit(record: WarcRecord) -> Future[PageAnswer]:
        answer = _judged(record, plan)
        if answer is None:
            return pool.submit("read", record, file_name)
        known: Future[PageAnswer] = Future()
        known.set_result(answer)
        return known

    for record, future in in_order(submit, records, ahead):
        try:
            answer = future.result()
        except TooSlow:
            answer = PageAnswer(RecordEnd.KILLED, f"not read within {plan.page_seconds:g} seconds")
        except Crashed:
            answer = PageAnswer(RecordEnd.KILLED, "the process that reads it dies")
        yield replace(record, body=None), answer


def _judged(record: WarcRecord, plan: ReadingPlan) -> PageAnswer | None:
    """Return what becomes of a record whose page is not to be read."""
    if record.type == DAMAGED:
        return PageAnswer(RecordEnd.DAMAGED, record.fault)
    if record.type == "revisit":
        return PageAnswer(RecordEnd.REVISIT)
    if record.body is None:
        return PageAnswer(RecordEnd.OTHER, record.content_type and f"type {record.content_type[:100]}")
    reason = plan.wanted.reason(record)
    return PageAnswer(RecordEnd.FILTERED, reason) if reason else None


class _FileTables:
    """The tables of one file: articles by month, and the records, which appear last."""

    def __init__(self, folder: Path, location: Location) -> None:
        self._folder = folder
        self._location = location
        self._months: dict[str, WholeTable] = {}
        self._records = WholeTable(folder / "records" / f"{location.name}.parquet", RECORDS)
        self.ends: Counter[str] = Counter()
        self._reserved: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for table in (*self._months.values(), self._records):
            table.discard()

    def add(self, record: WarcRecord, answer: PageAnswer) -> None:
        """Add a record and what became of it."""
        self.ends[answer.end] += 1
        if (reason := answer.reason or "").startswith(RESERVED_BY):
            self._reserved[reason.removeprefix(RESERVED_BY)] += 1
        self._records.add(record_row(record, self._location.file_name, answer.end, answer.reason))
        if answer.row is not None:
            self._month(record.date).add(answer.row)
            if sum(table.waiting_bytes for table in self._months.values()) > MOST_WAITING_BYTES:
                max(self._months.values(), key=lambda table: table.waiting_bytes).flush()

    def publish(self, notes: Mapping[str, str]) -> None:
        """Let the tables appear, and those of another reading of the file go."""
        wanted = {table.path for table in self._months.values()}
        for path in self._folder.glob(f"articles/*/{self._location.name}.parquet"):
            if path not in wanted:
                path.unlink()
        for table in self._months.values():
            table.publish()
        counted = {END_NOTE: self.ends, RESERVED_NOTE: self._reserved}
        counts = {f"{note}{name}": str(count) for note, found in counted.items() for name, count in found.items()}
        self._records.publish({**notes, **counts})

    def _month(self, date: str | None) -> WholeTable:
        month = date[:7] if date else "unknown"
        if month not in self._months:
            path = self._folder / "articles" / f"month={month}" / f"{self._location.name}.parquet"
            self._months[month] = WholeTable(path, ARCHIVED)
        return self._months[month]


class PageReader:
    """Reads pages by a plan, in a process of the pool."""

    def __init__(self, plan: ReadingPlan) -> None:
        # The process that waits for the pages need not import what reads them.
        from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415
        from newsextract.reading.extraction_options import ExtractionOptions  # noqa: PLC0415
        from newsextract.reading.reader import ArticleReader  # noqa: PLC0415

        self._plan = plan
        self._reader = ArticleReader(
            create_reader(plan.extractor),
            kinds=plan.kinds,
            wanted=ExtractionOptions(comments=plan.comments, markdown=plan.markdown),
            rules=plan.rules,
        )

    def read(self, record: WarcRecord, file_name: str) -> PageAnswer:
        """Return what became of the page of a record; no error of the page is raised."""
        try:
            return self._answer(record, file_name)
        except NoArticle as error:
            end = RecordEnd.EMPTY if error.state == PageState.EMPTY else RecordEnd.NOT_ARTICLE
            return PageAnswer(end, f"{error.state}: {error.reason}")
        except PageError as error:
            return PageAnswer(RecordEnd.ERROR, str(error))
        except MemoryError:
            return PageAnswer(RecordEnd.ERROR, "out of memory")
        except Exception as error:  # noqa: BLE001 - a fault that one page brings to light may not lose the others
            return PageAnswer(RecordEnd.ERROR, f"not read, for a fault: {type(error).__name__}: {error}")

    def _answer(self, record: WarcRecord, file_name: str) -> PageAnswer:
        hints = Hints(headers=_kept(record.headers))
        charset = http_content_type_encoding(record.content_type)
        page = Page(record.body or b"", record.url, charset=charset, max_bytes=self._plan.page_bytes, hints=hints)
        article = self._reader.read(page)
        if article.metadata is not None:
            article.metadata.dateDownloaded = record.date
        if reason := self._plan.wanted.article_reason(article):
            return PageAnswer(RecordEnd.FILTERED, reason)
        return PageAnswer(RecordEnd.ARTICLE, row=archived_row(article, record, file_name))


def _kept(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers that say something of the page, repeated ones joined as in HTTP.

    >>> _kept((("X-Robots-Tag", "noai"), ("Server", "x"), ("x-robots-tag", "noindex")))
    {'x-robots-tag': 'noai, noindex'}
    """
    found: dict[str, str] = {}
    for name, value in headers:
        lowered = name.lower()
        if lowered in KEPT_HEADERS:
            found[lowered] = f"{found[lowered]}, {value}" if lowered in found else value
    return found
