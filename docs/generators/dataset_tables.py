"""The tables of data sets, from their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from docs.generators.markdown import code, table
from newsextract.archives.dataset_card import meaning_of, type_name
from newsextract.archives.tables import ARCHIVED, DATABASE_FIELDS, MEANINGS, RECORDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa


def dataset_tables() -> str:
    """Return a section for each table."""
    ends = table(["`state`", ""], ([code(end.value), meaning] for end, meaning in MEANINGS.items()))
    return "\n".join(
        (
            "## `articles`, of archives\n",
            _columns(ARCHIVED),
            "## `articles`, of a database\n",
            "The same without those that begin with `warc_`, and with\n",
            _columns(DATABASE_FIELDS),
            "## `records`, of archives\n",
            _columns(RECORDS),
            ends,
        )
    )


def _columns(columns: Iterable[pa.Field]) -> str:
    return table(
        ["column", "type", ""], ([code(each.name), type_name(each.type), meaning_of(each)] for each in columns)
    )
