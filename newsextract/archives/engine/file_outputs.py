"""The tables of one WARC: articles by month, their prints and the records; they appear at the end, the records last."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from newsextract.archives.copies.print_table import PRINTS
from newsextract.archives.engine.output_layout import month_of
from newsextract.archives.tables.article_table import article_schema
from newsextract.archives.tables.record_table import record_row, record_schema
from newsextract.archives.tables.whole_table import WholeTable, row_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from newsextract.archives.engine.output_layout import OutputFolder
    from newsextract.archives.engine.page_answer import PageAnswer
    from newsextract.archives.warc import WarcRecord

MOST_WAITING_BYTES = 24 * 1024 * 1024
"""Of the articles of all months together that are not written yet."""

ROW_BYTES = 500
"""What a row of records or prints weighs, beside what is long in it."""


class OutputError(OSError):
    """A table cannot be written; the message names the folder and says why."""


class FileOutputs:
    """Collects what became of the records of one WARC."""

    def __init__(self, folder: OutputFolder, name: str) -> None:
        self._folder = folder
        self._name = name
        self._schema = lenient(article_schema())
        self._months: dict[str, WholeTable] = {}
        self._tables: list[WholeTable] = []
        self._prints = self._open(WholeTable(folder.prints_of(name), PRINTS, repeats=["month"]))
        self._records = self._open(WholeTable(folder.records_of(name), record_schema()))
        self.ends: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for table in self._tables:
            table.discard()

    def add(self, record: WarcRecord, answer: PageAnswer) -> None:
        """Add a record and what became of it."""
        self.ends[answer.end] += 1
        with _naming(self._folder):
            self._add(record, answer)

    def _add(self, record: WarcRecord, answer: PageAnswer) -> None:
        self._records.add(record_row(record, self._name, answer.end, answer.reason), ROW_BYTES)
        if answer.row is not None and answer.print is not None:
            month = month_of(record.date)
            self._month(month).add(answer.row, row_bytes(answer.row))
            found = answer.print
            row = found.row(month, record.record_id, record.date)
            self._prints.add(row, len(found.shingles) + 36 * len(found.keys) + ROW_BYTES)
            self._bound()

    def publish(self, notes: Mapping[str, str]) -> None:
        """Let the tables appear; the records, with notes about the file, last of all."""
        with _naming(self._folder):
            self._publish(notes)

    def _publish(self, notes: Mapping[str, str]) -> None:
        for month, path in self._folder.months_of(self._name).items():
            if month not in self._months:  # of a run that was killed before the records appeared
                path.unlink()
        for table in (*self._months.values(), self._prints):
            table.publish()
        for name, value in notes.items():
            self._records.note(name, value)
        self._records.publish()
        self._tables.clear()

    def _month(self, month: str) -> WholeTable:
        if month not in self._months:
            path = self._folder.articles_of(self._name, month)
            self._months[month] = self._open(WholeTable(path, self._schema))
        return self._months[month]

    def _bound(self) -> None:
        if sum(table.waiting_bytes for table in self._months.values()) > MOST_WAITING_BYTES:
            max(self._months.values(), key=lambda table: table.waiting_bytes).flush()

    def _open(self, table: WholeTable) -> WholeTable:
        self._tables.append(table)
        return table


@contextmanager
def _naming(folder: OutputFolder) -> Iterator[None]:
    """Let an error of the disk name the folder: pyarrow's do not."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else f"{error}"
        raise OutputError(f"{folder.path}: {reason}") from error


def lenient(schema: pa.Schema) -> pa.Schema:
    """Return the schema with columns that may be null: a record may lack what a crawl always has, such as a date."""
    return pa.schema([column.with_nullable(True) for column in schema], schema.metadata)
