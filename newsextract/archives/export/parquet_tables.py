"""Articles of a database as a data set: Parquet by month, with its card and Croissant metadata."""

from __future__ import annotations

import json
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.dataset.dataset_figures import ARTICLES
from newsextract.archives.dataset.description_files import describe_dataset
from newsextract.archives.tables.article_table import article_schema, stored_row
from newsextract.storage.articles.article_csv import encodable
from newsextract.storage.search.article_stream import MOMENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

FILE_NAME = "articles.parquet"
GROUP_ROWS = 500
"""Rows of a row group: in memory at once, where an article with all its forms may have a megabyte."""

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

    The rows come in the order of their `MOMENT`, so that each month is written once. `summary` says how they were
    chosen.
    """
    schema, count = export_schema(), 0
    for month, of_month in groupby(rows, lambda row: str(row[MOMENT])[:7]):
        path = folder / ARTICLES / f"month={month}" / FILE_NAME
        path.parent.mkdir(parents=True)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for some in _groups(map(_row, of_month)):
                writer.write_table(_table(some, schema))
                count += len(some)
    describe_dataset(folder, {**summary, "articles": count})
    return count


def _row(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: stored[field.name] for field in DATABASE_FIELDS} | stored_row(stored)


def _groups(rows: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while some := list(islice(rows, GROUP_ROWS)):
        yield some


def _table(rows: list[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    try:
        return pa.Table.from_pylist(rows, schema)
    except UnicodeEncodeError:  # halves of characters, which JSON columns can hold and Parquet cannot
        return pa.Table.from_pylist(json.loads(encodable(json.dumps(rows, ensure_ascii=False))), schema)
