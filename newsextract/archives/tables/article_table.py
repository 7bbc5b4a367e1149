"""The table of articles: the columns of the database's, then the record that an article is from, then its quality.

The first columns have the names, and what lies in them the keys, that the table `articles` of a crawl has; both follow
from the declaration of the fields in `newsextract/article.py`. Lists and parts are lists and structs, not JSON. The
rights that a page states are in `usage_rights`, as everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from newsextract.archives.tables.arrow_types import arrow_type, arrow_value
from newsextract.archives.tables.quality_signals import FIELDS as QUALITY_FIELDS
from newsextract.archives.tables.quality_signals import quality_signals
from newsextract.storage.schema import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.archives.warc import WarcRecord
    from newsextract.article import Article


def _told(name: str, kind: pa.DataType, comment: str) -> pa.Field:
    return pa.field(name, kind, metadata={"comment": comment})


RECORD_FIELDS = (
    _told("warc_file", pa.string(), "The name of the file that the page is from."),
    _told("warc_record_id", pa.string(), "The id that the record states."),
    _told("warc_offset", pa.int64(), "Where the record, or the member that holds it, begins in the file, in bytes."),
    _told("warc_date", pa.string(), "When the page was fetched: ISO 8601, UTC."),
    _told("warc_digest", pa.string(), "The digest that the record states."),
    _told("warc_ip", pa.string(), "The address that the page was fetched from."),
)
DUPLICATE_FIELDS = (
    _told("duplicate_of", pa.string(), "The record with the earliest article of the same text; null for that itself."),
    _told("near_duplicate_of", pa.string(), "The record with the earliest article of nearly the same text, likewise."),
)


@dataclass(frozen=True, slots=True)
class RecordFields:
    """What a row says of the record that its page is from."""

    warc_file: str
    warc_record_id: str | None
    warc_offset: int
    warc_date: str | None
    warc_digest: str | None
    warc_ip: str | None

    @classmethod
    def of(cls, record: WarcRecord, warc_file: str) -> RecordFields:
        """Return the fields of a record in a file."""
        return cls(warc_file, record.record_id, record.offset, record.date, record.digest, record.ip)


def article_schema(*, is_archived: bool = True) -> pa.Schema:
    """Return the columns; those of records and duplicates are only of articles from archives."""
    columns = [
        pa.field(column.name, arrow_type(column.kind), nullable=not column.kept.is_required)
        for column in ARTICLE_COLUMNS
    ]
    if not is_archived:
        return pa.schema([*columns, *QUALITY_FIELDS])
    return pa.schema([*columns, *RECORD_FIELDS, *DUPLICATE_FIELDS, *QUALITY_FIELDS])


def article_row(article: Article, record: RecordFields) -> dict[str, Any]:
    """Return the row of an article of an archive; whether it is a duplicate is not known yet."""
    row = {column.name: arrow_value(column.value_of(article), column.kind) for column in ARTICLE_COLUMNS}
    row["canonical_url"] = row["canonical_url"] or row["url"]
    row |= {field.name: getattr(record, field.name) for field in RECORD_FIELDS}
    return row | dict.fromkeys(field.name for field in DUPLICATE_FIELDS) | _quality(row)


def stored_row(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an article of a crawl's database, by the row that it has there."""
    row = {column.name: arrow_value(stored[column.name], column.kind) for column in ARTICLE_COLUMNS}
    return row | _quality(row)


def _quality(row: Mapping[str, Any]) -> dict[str, Any]:
    return quality_signals(row["article_body"] or "", row["in_language"])
