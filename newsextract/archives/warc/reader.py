"""Read the records of a WARC file, in order, and an account of every stretch that is damaged."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.archives.warc.content_decoding import BadBody
from newsextract.archives.warc.header_lines import HeaderFields
from newsextract.archives.warc.http_response import HttpResponse, page_of, read_response
from newsextract.archives.warc.members import read_members
from newsextract.archives.warc.record import DAMAGED, WarcRecord
from newsextract.archives.warc.record_framing import Frame, read_frames
from newsextract.archives.warc.stretch import read_stretches
from newsextract.page.page import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

TYPES = (
    "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation",
)  # fmt: skip
"""The types of ISO 28500:2017, section 5.5; all others are unknown."""

_HEADER_BYTES = 64 * 1024
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z")
_DIGITS_DATE = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)")
_SHORT_DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


def read_records(file: BinaryIO, *, max_bytes: int = MAX_BYTES) -> Iterator[WarcRecord]:
    """Yield a record for each record and each damaged stretch of a file: plain, gzip or Zstandard, by its first bytes.

    A file that is damaged goes on at its next record. `max_bytes` bounds a page, as stored and decoded; memory grows
    with it, not with the file or its lengths. Errors of `file.read` are the caller's; none is raised for what the file
    holds.
    """
    for stretch in read_stretches(read_members(file)):
        for frame in read_frames(stretch, max_bytes + _HEADER_BYTES):
            yield _as_record(frame, max_bytes)


def _as_record(frame: Frame, max_bytes: int) -> WarcRecord:
    fields = frame.fields
    if frame.fault:
        return _record(frame, DAMAGED, fault=frame.fault)
    written = fields.get("warc-type").strip().lower()
    kind = written if written in TYPES else "unknown"
    if kind not in ("response", "resource", "revisit"):
        return _record(frame, kind)
    try:
        return _response(frame, kind, max_bytes)
    except BadBody as error:
        return _record(frame, DAMAGED, fault=str(error))


def _response(frame: Frame, kind: str, max_bytes: int) -> WarcRecord:
    fields = frame.fields
    stated = fields.get("content-type")
    is_http = kind != "resource" and (stated.lower().startswith("application/http") or frame.block.startswith(b"HTTP/"))
    if kind == "revisit" and not frame.block.startswith(b"HTTP/"):
        return _record(frame, kind)  # without the headers that it may have
    response = read_response(frame.block) if is_http else HttpResponse(None, HeaderFields(), frame.block)
    content_type = response.fields.get("content-type") if is_http else stated
    found = _record(frame, kind, response, content_type)
    if kind == "revisit":
        return found
    known = content_type or fields.get("warc-identified-payload-type")
    is_cut = bool(fields.get("warc-truncated")) or len(frame.block) < frame.size
    try:
        page = page_of(response, known, max_bytes, is_cut=is_cut)
    except BadBody as error:
        return _record(frame, DAMAGED, response, content_type, fault=str(error))
    if page is None:
        return found
    if fault := _incomplete(frame, max_bytes):
        return _record(frame, DAMAGED, response, content_type, fault=fault)
    return _record(frame, kind, response, content_type, body=page)


def _incomplete(frame: Frame, max_bytes: int) -> str | None:
    if len(frame.block) < frame.size:
        return f"a page of {frame.size:,} bytes, at most {max_bytes:,} are read"
    if frame.fields.get("warc-segment-number"):
        return "a page in several segments, which are not joined"
    return None


def _record(
    frame: Frame,
    kind: str,
    response: HttpResponse | None = None,
    content_type: str = "",
    *,
    body: bytes | None = None,
    fault: str | None = None,
) -> WarcRecord:
    fields = frame.fields
    return WarcRecord(
        offset=frame.offset,
        type=kind,
        record_id=fields.get("warc-record-id") or None,
        url=_bare(fields.get("warc-target-uri")) or None,
        date=utc_date(fields.get("warc-date")),
        digest=fields.get("warc-payload-digest") or fields.get("warc-block-digest") or None,
        ip=fields.get("warc-ip-address") or None,
        status=response.status if response else None,
        content_type=content_type or None,
        headers=response.fields.pairs if response else (),
        body=body,
        fault=fault,
    )


def _bare(url: str) -> str:
    """Return a URL without the angle brackets that wget writes around it, after an example in WARC 1.0."""
    url = url.strip()
    return url[1:-1].strip() if url.startswith("<") and url.endswith(">") else url


def utc_date(written: str) -> str | None:
    """Return a date in ISO 8601 and UTC, None if it is not one.

    Dates may have digits only, as in ARC files, or be cut after the year, month or day, as in WARC 1.1.

    >>> utc_date("20240131235959"), utc_date("2024-01"), utc_date("2024-01-31T23:59:59+01:00"), utc_date("soon")
    ('2024-01-31T23:59:59Z', '2024-01-01T00:00:00Z', '2024-01-31T22:59:59Z', None)
    """
    written = written.strip()
    if digits := _DIGITS_DATE.fullmatch(written):
        written = "{}-{}-{}T{}:{}:{}Z".format(*digits.groups())
    elif short := _SHORT_DATE.fullmatch(written):
        written = f"{short[1]}-{short[2] or '01'}-{short[3] or '01'}T00:00:00Z"
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(written)
        if _DATE.fullmatch(written):
            return written
        return (moment.replace(tzinfo=moment.tzinfo or UTC)).astimezone(UTC).isoformat().replace("+00:00", "Z")
    return None
