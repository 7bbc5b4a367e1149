"""The tables of data sets, from their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.generators.markdown import code, table
from newsextract.archives.dataset.column_meanings import meaning_of
from newsextract.archives.dataset.dataset_card import type_name
from newsextract.archives.export.parquet_tables import DATABASE_FIELDS
from newsextract.archives.tables.article_table import article_schema
from newsextract.archives.tables.record_end import MEANINGS
from newsextract.archives.tables.record_table import record_schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa


def dataset_tables() -> str:
    """Return a section for each table."""
    ends = table(["`state`", ""], ([code(end.value), meaning] for end, meaning in MEANINGS.items()))
    return "\n".join(
        (
            "## `articles`, of archives\n",
            _columns(article_schema()),
            "## `articles`, of a database\n",
            "The same without those that begin with `warc_`, and without duplicates; and with\n",
            _columns(DATABASE_FIELDS),
            "## `records`, of archives\n",
            _columns(record_schema()),
            ends,
        )
    )


def _columns(columns: Iterable[pa.Field]) -> str:
    return table(
        ["column", "type", ""], ([code(each.name), type_name(each.type), meaning_of(each)] for each in columns)
    )
