"""What a card says in numbers, counted from the tables of a data set."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq

from newsextract.sites.languages import primary

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

ARTICLES, RECORDS = "articles", "records"
"""The folders of a data set, and the names of its parts."""
FILES = {ARTICLES: "articles/*/*.parquet", RECORDS: "records/*.parquet"}
"""The tables of each part: those of articles lie in a folder for each month."""

_READ = ("in_language", "word_count", "usage_rights")
_MONTH = "month="
_AT_ONCE = 10_000


@dataclass
class Figures:
    """The counts of a data set; a part without a table has no schema."""

    schemas: dict[str, pa.Schema] = field(default_factory=dict)
    """The columns of each part that has a table."""
    articles: int = 0
    records: int = 0
    words: int = 0
    """In all texts."""
    bytes: int = 0
    """Of all tables."""
    months: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    """By code, without region; an empty one for texts without a language."""
    rights: Counter[str] = field(default_factory=Counter)
    """Articles whose pages state `tdmReservation`, forbid training (`ai`), and limit use by `robots`."""


def measure(folder: Path) -> Figures:
    """Return the figures of the tables in a folder; memory does not grow with them."""
    figures = Figures()
    for path in tables_of(folder, ARTICLES):
        with pq.ParquetFile(path) as table:
            figures.schemas.setdefault(ARTICLES, table.schema_arrow)
            figures.articles += table.metadata.num_rows
            figures.months[path.parent.name.removeprefix(_MONTH)] += table.metadata.num_rows
            for batch in table.iter_batches(_AT_ONCE, columns=list(_READ)):
                _count(batch, figures)
        figures.bytes += path.stat().st_size
    for path in tables_of(folder, RECORDS):
        with pq.ParquetFile(path) as table:
            figures.schemas.setdefault(RECORDS, table.schema_arrow)
            figures.records += table.metadata.num_rows
        figures.bytes += path.stat().st_size
    return figures


def tables_of(folder: Path, part: str) -> list[Path]:
    """Return the tables of a part, without what is being written."""
    found = folder.glob(FILES[part])
    return sorted(path for path in found if not path.name.startswith(("_", ".")))


def _count(batch: pa.RecordBatch, figures: Figures) -> None:
    for pair in pc.value_counts(batch["in_language"]).to_pylist():
        figures.languages[primary(pair["values"]) or ""] += pair["counts"]
    figures.words += pc.sum(batch["word_count"]).as_py() or 0
    rights = batch["usage_rights"]
    reserved, ai, robots = (pc.struct_field(rights, name) for name in ("tdmReservation", "ai", "robots"))
    figures.rights["tdmReservation"] += pc.sum(reserved).as_py() or 0
    figures.rights["ai"] += pc.sum(pc.equal(ai, False)).as_py() or 0
    figures.rights["robots"] += pc.sum(pc.greater(pc.list_value_length(robots), 0)).as_py() or 0
