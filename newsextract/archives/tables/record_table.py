"""The table of records: what became of each record of a file, with the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from newsextract.archives.tables.record_end import RecordEnd
    from newsextract.archives.warc import WarcRecord

_COLUMNS = {
    "warc_file": (pa.string(), "The name of the file."),
    "offset": (pa.int64(), "Where the record, or the member that holds it, begins in the file, in bytes."),
    "record_id": (pa.string(), "The id that the record states."),
    "type": (pa.string(), "The type that the record states; `damaged` for a stretch that is no record."),
    "url": (pa.string(), "What was fetched."),
    "date": (pa.string(), "When: ISO 8601, UTC."),
    "state": (pa.string(), "What became of it."),
    "reason": (pa.string(), "Why, in a sentence, unless it is an article."),
}


def record_schema() -> pa.Schema:
    """Return the columns."""
    is_required = {"warc_file", "offset", "type", "state"}
    return pa.schema(
        [
            pa.field(name, kind, nullable=name not in is_required, metadata={"comment": comment})
            for name, (kind, comment) in _COLUMNS.items()
        ]
    )


def record_row(record: WarcRecord, warc_file: str, end: RecordEnd, reason: str | None) -> dict[str, Any]:
    """Return the row of a record."""
    return {
        "warc_file": warc_file,
        "offset": record.offset,
        "record_id": record.record_id,
        "type": record.type,
        "url": record.url,
        "date": record.date,
        "state": str(end),
        "reason": reason,
    }
