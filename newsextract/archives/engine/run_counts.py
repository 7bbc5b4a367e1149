"""The counts of a run, from what it has written: they are the same however often it was interrupted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from newsextract.archives.tables.record_end import READ_PAGES, RecordEnd

if TYPE_CHECKING:
    from pathlib import Path

    from newsextract.archives.engine.output_layout import OutputFolder

END_NOTE = "newsextract.end."
"""In the metadata of a table of records: how many of them ended so."""


@dataclass
class RunCounts:
    """How many files there are, how their records ended, and how many articles their tables have."""

    files: int = 0
    records: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    articles: int = 0

    @property
    def has_failed_throughout(self) -> bool:
        """Whether there are pages, and reading failed at every one: that is hardly the pages' fault."""
        pages = sum(self.ends[end] for end in READ_PAGES)
        return pages > 0 and pages == self.ends[RecordEnd.ERROR] + self.ends[RecordEnd.KILLED]

    def trouble(self, dropped: int) -> str | None:
        """Return what does not add up, as a sentence, or `None`; `dropped` articles are copies that were left out."""
        if self.records != self.ends.total():
            return f"{self.records:,} records, but {self.ends.total():,} that ended"
        found = self.ends[RecordEnd.ARTICLE]
        if found != self.articles + dropped:
            return f"{found:,} articles found, but {self.articles:,} in tables and {dropped:,} dropped"
        return None


def count_run(folder: OutputFolder) -> RunCounts:
    """Return the counts of a folder, from the metadata of its tables."""
    counts = RunCounts()
    for path in folder.done().values():
        metadata = pq.read_metadata(path)
        counts.files += 1
        counts.records += metadata.num_rows
        counts.ends.update(ends_of(path))
    counts.articles = sum(pq.read_metadata(path).num_rows for path in folder.article_tables())
    return counts


def ends_of(path: Path) -> Counter[str]:
    """Return how the records of a table ended."""
    notes = pq.read_metadata(path).metadata or {}
    told = {name.decode(): int(value) for name, value in notes.items() if name.decode().startswith(END_NOTE)}
    return Counter({name.removeprefix(END_NOTE): count for name, count in told.items()})
