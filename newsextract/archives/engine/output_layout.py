"""Where a run writes: the names of its files in the output folder, and what they tell of how far it is.

run.json                                how the articles are made: the same for every file of the folder
articles/month=2026-05/NAME.parquet     the articles of one WARC that were archived in that month
records/NAME.parquet                    what became of every record of that WARC; written last: it is done
_prints/NAME.parquet                    what copies are found by
summary.json                            the counts; README.md and croissant.json describe the data set
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.archives.copies import print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ".parquet"
NO_MONTH = "unknown"
"""The month of a record without a date."""

_MONTH = "month="


def month_of(date: str | None) -> str:
    """Return the month of a record's date.

    >>> month_of("2026-05-20T10:00:00Z"), month_of(None)
    ('2026-05', 'unknown')
    """
    return date[:7] if date else NO_MONTH


class OutputFolder:
    """The folder of a run."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.articles = self.path / "articles"
        self.records = self.path / "records"
        self.prints = self.path / print_table.FOLDER
        self.run = self.path / "run.json"
        self.summary = self.path / "summary.json"

    def records_of(self, name: str) -> Path:
        """Return the table of the records of a WARC: it is there if the WARC is done."""
        return self.records / f"{name}{ENDING}"

    def prints_of(self, name: str) -> Path:
        """Return the prints of the articles of a WARC."""
        return self.prints / f"{name}{ENDING}"

    def articles_of(self, name: str, month: str) -> Path:
        """Return the table of the articles of a WARC in a month."""
        return self.articles / f"{_MONTH}{month}" / f"{name}{ENDING}"

    def months_of(self, name: str) -> dict[str, Path]:
        """Return the tables of articles that a WARC has, by month."""
        found = self.articles.glob(f"{_MONTH}*/{name}{ENDING}")
        return {path.parent.name.removeprefix(_MONTH): path for path in sorted(found)}

    def done(self) -> dict[str, Path]:
        """Return the tables of records by the names of their WARCs."""
        return {path.name.removesuffix(ENDING): path for path in self._tables(self.records)}

    def article_tables(self) -> list[Path]:
        """Return all tables of articles."""
        return list(self._tables(self.articles, "*/"))

    def remove_leftovers(self) -> None:
        """Remove what a run that was killed had begun to write."""
        for path in (*self.path.glob("_*"), *self.path.glob("*/_*"), *self.path.glob("*/*/_*")):
            if path.is_file():
                path.unlink(missing_ok=True)
        done = self.done()
        # A WARC whose records never appeared may have another name now, or be left out: nothing would replace these.
        for path in (*self.article_tables(), *self._tables(self.prints)):
            if path.name.removesuffix(ENDING) not in done:
                path.unlink(missing_ok=True)

    def _tables(self, folder: Path, below: str = "") -> Iterator[Path]:
        return iter(sorted(path for path in folder.glob(f"{below}*{ENDING}") if not path.name.startswith(("_", "."))))
