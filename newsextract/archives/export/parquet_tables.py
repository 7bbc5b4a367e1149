"""Articles of a database as a data set: Parquet by month, with its card and Croissant metadata."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from newsextract.archives.dataset.dataset_figures import ARTICLES
from newsextract.archives.dataset.description_files import describe_dataset
from newsextract.archives.tables.article_table import article_schema, stored_row
from newsextract.archives.tables.whole_table import WholeTable, row_bytes
from newsextract.storage.search.article_search import UNKNOWN, day_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

FILE_NAME = "articles.parquet"

DATABASE_FIELDS = (
    pa.field("id", pa.string(), nullable=False, metadata={"comment": "The article's id in the database."}),
    pa.field("site", pa.string(), nullable=False, metadata={"comment": "The site that it was found on."}),
    pa.field(
        "date_first_seen",
        pa.string(),
        nullable=False,
        metadata={"comment": "When a crawl first saw it: ISO 8601, UTC."},
    ),
)


def export_schema() -> pa.Schema:
    """Return the columns: those of an archive's articles without their records, and where the database has them."""
    return pa.schema([*DATABASE_FIELDS, *article_schema(is_archived=False)])


def write_parquet(rows: Iterable[Mapping[str, Any]], folder: Path, summary: Mapping[str, Any]) -> int:
    """Write `articles/month=YYYY-MM/articles.parquet`, then describe them; return how many articles there were.

    The rows come in the order of their `MOMENT`, so that each month is written once; those without a day, in which
    order they come, have a file for each run of them. `summary` says how they were chosen.
    """
    count = 0
    for number, (month, of_month) in enumerate(groupby(rows, _month)):
        name = FILE_NAME if month != UNKNOWN else f"articles-{number}.parquet"
        table = WholeTable(folder / ARTICLES / f"month={month}" / name, export_schema())
        try:
            for stored in of_month:
                row = _row(stored)
                table.add(row, row_bytes(row))
            table.publish()
        finally:
            table.discard()
        count += table.rows
    describe_dataset(folder, {**summary, "articles": count})
    return count


def _month(row: Mapping[str, Any]) -> str:
    day = day_of(row)
    return day if day == UNKNOWN else day[:7]


def _row(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: stored[field.name] for field in DATABASE_FIELDS} | stored_row(stored)
