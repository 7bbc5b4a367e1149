"""Where records begin and end in a stretch of an archive, whatever their headers say of their lengths.

A record is a header, an empty line, as many bytes as `Content-Length` says, and two line ends (ISO 28500:2017,
section 4). Where the next record does not begin there, the length is wrong, and the next one is searched for from this
record's own header on. A record longer than may be kept is passed over, until its end or the next line that begins a
record.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from newsextract.archives.warc.header_lines import HeaderFields, read_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.archives.warc.stretch import Stretch

MAX_HEAD_BYTES = 64 * 1024
"""Of a record's header; FastWARC takes half as much."""

_START_BYTES = 64 * 1024
"""What is kept of a record that is too large, for the headers of the HTTP response."""

_RECORD = b"WARC/"
_VERSION = re.compile(rb"WARC/\d{1,2}\.\d{1,2}[ \t]*\r?\n")
_VERSION_BYTES = 32
_LENGTH = re.compile(r"\d{1,18}")
_SEEN_BYTES = 16
"""Behind a record, enough for its line ends and the next one's first bytes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The edges of one record: its header and its block, or why there is none."""

    offset: int
    fields: HeaderFields = field(default_factory=HeaderFields)
    block: bytes = b""
    size: int = 0
    """The bytes of the block in the file, of which `block` has only the first if they are too many."""
    fault: str | None = None


def read_frames(stretch: Stretch, max_bytes: int) -> Iterator[Frame]:
    """Yield the records of a stretch and what lies between them, in order.

    A member's checksum comes after its last record: each record waits until it is known whether its member is whole.
    """
    waiting: Frame | None = None
    alone = True
    while stretch.skip_blank_lines():
        if waiting is not None:
            yield waiting
            alone = waiting.offset != stretch.offset
        waiting = _next_frame(stretch, max_bytes)
    if not stretch.fault:
        if waiting is not None:
            yield waiting
        return
    if waiting is not None and (waiting.fault or alone):
        yield replace(waiting, block=b"", fault=stretch.fault)
        return
    if waiting is not None:
        yield waiting
    yield Frame(stretch.offset, fault=stretch.fault)


def _next_frame(stretch: Stretch, max_bytes: int) -> Frame:
    offset = stretch.offset
    if not _VERSION.match(stretch.peek(_VERSION_BYTES)):
        return Frame(offset, fault=f"{_pass_over(stretch):,} bytes that belong to no record")
    head = _take_head(stretch)
    if not head:
        return Frame(offset, fault=f"a header without an end; {_pass_over(stretch):,} bytes passed over")
    fields = read_fields(head)
    written = fields.get("content-length").strip()
    if not _LENGTH.fullmatch(written):
        said = f"Content-Length is {written[:40]!r}, not a number of bytes" if written else "no Content-Length"
        return Frame(offset, fields, fault=f"{said}; {stretch.skip_to_record():,} bytes passed over")
    return _with_block(stretch, Frame(offset, fields, size=int(written)), max_bytes)


def _pass_over(stretch: Stretch) -> int:
    stretch.advance(1)  # not the same record again
    return 1 + stretch.skip_to_record()


def _take_head(stretch: Stretch) -> bytes:
    """Take a header with the empty line behind it; nothing if it has no end."""
    ends = [(at + len(end)) for end in (b"\r\n\r\n", b"\n\n") if (at := stretch.find(end, MAX_HEAD_BYTES)) >= 0]
    return stretch.take(min(ends)) if ends else b""


def _with_block(stretch: Stretch, frame: Frame, max_bytes: int) -> Frame:
    if frame.size > max_bytes:
        return _too_large(stretch, frame)
    have = stretch.fill(frame.size)
    if have < frame.size:
        stretch.skip_to_record()
        return replace(frame, fault=f"Content-Length is {frame.size:,}, but only {have:,} bytes follow")
    if not _ends_record(stretch.peek(_SEEN_BYTES, frame.size)):
        passed = stretch.skip_to_record()
        return replace(
            frame, fault=f"Content-Length is {frame.size:,}, but no record ends there; {passed:,} bytes passed over"
        )
    return replace(frame, block=stretch.take(frame.size))


def _too_large(stretch: Stretch, frame: Frame) -> Frame:
    start = stretch.peek(min(_START_BYTES, frame.size))
    passed = stretch.skip_to_record(frame.size)
    if passed < frame.size or not _ends_record(stretch.peek(_SEEN_BYTES)):
        stretch.skip_to_record()
        return replace(frame, fault=f"Content-Length is {frame.size:,}, but the record ends after {passed:,} bytes")
    return replace(frame, block=start)


def _ends_record(behind: bytes) -> bool:
    """Tell whether a record may end before these bytes: writers forget line ends, and the last one may have none."""
    if behind.startswith(b"\r\n\r\n"):
        return True
    rest = behind.lstrip(b"\r\n")[: len(_RECORD)]
    return _RECORD.startswith(rest)
