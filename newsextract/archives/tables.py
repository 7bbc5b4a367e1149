"""The tables of a data set: articles, with the columns of the database's, and records, with what became of each.

The columns of articles have the names, and what lies in them the keys, that the table `articles` of a crawl has; both
follow from the declaration of the fields in `newsextract/article.py`. Lists and parts are lists and structs, not JSON;
times in UTC are timestamps, and times with the offset that a page states are text.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from newsextract.archives.whole_files import beside, put_in_place
from newsextract.storage.export import encodable
from newsextract.storage.schema import ARTICLE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from newsextract.archives.warc import WarcRecord
    from newsextract.article import Article

TIME = pa.timestamp("us", "UTC")

GROUP_BYTES, GROUP_ROWS = 12 * 1024 * 1024, 10_000
"""Of a row group before compression, as far as its texts tell; a third as much again is taken while it is written."""

_ROW_BYTES = 6_000
"""What the columns of an article take beside their texts."""

_PLAIN: dict[Any, pa.DataType] = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
_DOWNLOADED = "date_downloaded"


class RecordEnd(StrEnum):
    """What becomes of a record of an archive: each has exactly one end, so that the counts add up."""

    ARTICLE = "article"
    NOT_ARTICLE = "not_article"
    EMPTY = "empty"
    ERROR = "error"
    KILLED = "killed"
    DAMAGED = "damaged"
    FILTERED = "filtered"
    REVISIT = "revisit"
    OTHER = "other"


MEANINGS = {
    RecordEnd.ARTICLE: "An article; it has a row in the table of articles.",
    RecordEnd.NOT_ARTICLE: "A page of another kind, such as a listing, or one that shows a paywall.",
    RecordEnd.EMPTY: "A page in which no text of an article was found.",
    RecordEnd.ERROR: "A page that cannot be read, such as one that is not HTML inside.",
    RecordEnd.KILLED: "A page that took too long, or at which its process died.",
    RecordEnd.DAMAGED: "A stretch of the file that is no record, or a page that cannot be decoded.",
    RecordEnd.FILTERED: "Left out as the filters of the run say.",
    RecordEnd.REVISIT: "A visit at which nothing had changed: the page is in another record.",
    RecordEnd.OTHER: "Not a page: a request, metadata, a picture, an error of the server.",
}
"""What each is, for the docs and the card of a data set."""

READ_PAGES = frozenset((RecordEnd.ARTICLE, RecordEnd.NOT_ARTICLE, RecordEnd.EMPTY, RecordEnd.ERROR, RecordEnd.KILLED))
"""How records end whose page was read."""


def described(name: str, kind: pa.DataType, comment: str, *, nullable: bool = True) -> pa.Field:
    """Return a column with a sentence on what it holds."""
    return pa.field(name, kind, nullable=nullable, metadata={"comment": comment})


WARC_FIELDS = (
    described("warc_file", pa.string(), "The name of the file that the page is from."),
    described("warc_record_id", pa.string(), "The id that the record states."),
    described("warc_offset", pa.int64(), "Where the record, or its member, begins in the file, in bytes."),
    described("warc_date", TIME, "When the page was fetched."),
    described("warc_digest", pa.string(), "The digest that the record states."),
    described("warc_ip", pa.string(), "The address that the page was fetched from."),
)
DATABASE_FIELDS = (
    described("id", pa.string(), "The article's id in the database.", nullable=False),
    described("site", pa.string(), "The site that it was found on.", nullable=False),
    described("date_first_seen", TIME, "When a crawl first saw it."),
)
RECORDS = pa.schema(
    [
        described("warc_file", pa.string(), "The name of the file.", nullable=False),
        described(
            "offset", pa.int64(), "Where the record, or its member, begins in the file, in bytes.", nullable=False
        ),
        described("record_id", pa.string(), "The id that the record states."),
        described("type", pa.string(), "The type that the record states; `damaged` for a stretch that is no record."),
        described("url", pa.string(), "What was fetched."),
        described("date", TIME, "When."),
        described("state", pa.string(), "What became of it.", nullable=False),
        described("reason", pa.string(), "Why, in a sentence, unless it is an article."),
    ]
)


def article_columns() -> list[pa.Field]:
    """Return the columns that follow from the fields of an article; an archive may lack what a crawl always has."""
    return [
        pa.field(column.name, TIME if column.is_utc or column.name == _DOWNLOADED else arrow_type(column.kind))
        for column in ARTICLE_COLUMNS
    ]


def arrow_type(kind: Any) -> pa.DataType:
    """Return the type of a column for a declared type: parts are structs, tables of names are lists of pairs.

    Maps exist in Arrow, but few readers of Parquet take them.

    >>> arrow_type(list[str]), arrow_type(dict[str, str])
    (ListType(list<item: string>), ListType(list<item: struct<name: string, value: string>>))
    """
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return arrow_type(next(argument for argument in arguments if argument is not NoneType))
    if origin is Literal:
        return _PLAIN[type(arguments[0])]
    if origin in (list, tuple):
        return pa.list_(arrow_type(arguments[0]))
    if origin is dict:
        return pa.list_(pa.struct([("name", arrow_type(arguments[0])), ("value", arrow_type(arguments[1]))]))
    if is_dataclass(kind):
        types = get_type_hints(kind)
        return pa.struct([(part.name, arrow_type(types[part.name])) for part in fields(kind)])
    return _PLAIN[kind]


ARCHIVED = pa.schema([*article_columns(), *WARC_FIELDS])
"""The columns of articles of archives."""
STORED = pa.schema([*DATABASE_FIELDS, *article_columns()])
"""The columns of articles of a database."""


def archived_row(article: Article, record: WarcRecord, warc_file: str) -> dict[str, Any]:
    """Return the row of an article of an archive."""
    row = {column.name: _value(column.name, column.kind, column.value_of(article)) for column in ARTICLE_COLUMNS}
    row["canonical_url"] = row["canonical_url"] or row["url"]
    return row | {
        "warc_file": warc_file,
        "warc_record_id": record.record_id,
        "warc_offset": record.offset,
        "warc_date": _moment(record.date),
        "warc_digest": record.digest,
        "warc_ip": record.ip,
    }


def stored_row(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row of an article of a crawl's database, by the row that it has there."""
    row = {column.name: _value(column.name, column.kind, stored[column.name]) for column in ARTICLE_COLUMNS}
    return row | {"id": stored["id"], "site": stored["site"], "date_first_seen": _moment(stored["date_first_seen"])}


def record_row(record: WarcRecord, warc_file: str, end: RecordEnd, reason: str | None) -> dict[str, Any]:
    """Return the row of a record."""
    return {
        "warc_file": warc_file,
        "offset": record.offset,
        "record_id": record.record_id,
        "type": record.type,
        "url": record.url,
        "date": _moment(record.date),
        "state": str(end),
        "reason": reason,
    }


def _value(name: str, kind: Any, value: Any) -> Any:
    if name.endswith("_utc") or name == _DOWNLOADED:
        return _moment(value)
    if value is None or get_origin(kind) is not dict:
        return value
    return [{"name": key, "value": one} for key, one in value.items()]


def _moment(text: str | None) -> datetime | None:
    with suppress(ValueError):
        moment = datetime.fromisoformat(text or "")
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


class WholeTable:
    """A Parquet file that appears whole or not at all: `add` rows, then `publish` it; `discard` leaves nothing.

    It is written in row groups, so that its size does not matter.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.path = path
        self.rows = 0
        self.waiting_bytes = 0
        """How much the rows weigh that are not written yet."""
        path.parent.mkdir(parents=True, exist_ok=True)
        # A name of its own: a worker that is thought dead may still be writing the same table.
        self._temporary = beside(path)
        self._schema = schema
        self._writer = pq.ParquetWriter(self._temporary, schema, compression="zstd")
        self._waiting: list[Mapping[str, Any]] = []

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row."""
        self._waiting.append(row)
        self.rows += 1
        self.waiting_bytes += _ROW_BYTES + len(repr(row))
        if self.waiting_bytes >= GROUP_BYTES or len(self._waiting) >= GROUP_ROWS:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait, as a row group."""
        if self._waiting:
            self._writer.write_table(_table(self._waiting, self._schema))
            self._waiting, self.waiting_bytes = [], 0

    def publish(self, notes: Mapping[str, str] | None = None) -> None:
        """Finish the file, with notes in its metadata, and let it appear; it is on the disk then."""
        self.flush()
        self._writer.add_key_value_metadata(dict(notes or {}))
        self._writer.close()
        put_in_place(self._temporary, self.path)

    def discard(self) -> None:
        """Remove what was written, unless it was published."""
        with suppress(OSError):  # the disk is full, most likely, which was said by whoever wrote
            self._writer.close()
        self._temporary.unlink(missing_ok=True)


def _table(rows: list[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    try:
        return pa.Table.from_pylist(rows, schema)
    except UnicodeEncodeError:  # halves of characters, which JSON can state and Parquet cannot
        return pa.Table.from_pylist(_encodable(rows), schema)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {name: _encodable(inner) for name, inner in value.items()}
    return [_encodable(inner) for inner in value] if isinstance(value, list | tuple) else value
