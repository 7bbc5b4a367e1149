"""The records of a WARC file, in order, and an account of every stretch that is damaged.

In: a file opened for bytes; it need not be seekable. Out: a `WarcRecord` for every record and every damaged stretch.

FastWARC's iterator stops at the first damaged record. Restarted at the next member each time, it lost 24 whole pages
of an archive of 300 records, a fifth of them torn, and passed 16 torn ones for whole (`tests/archives/damaging.py`
makes such): it does not look whether a record ends where its length says. Hence the reader here, which does.
"""

from __future__ import annotations

import re
import zlib
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from newsextract.archives.http_response import (
    MAX_HEAD_BYTES,
    BadBody,
    Fields,
    HttpResponse,
    first_values,
    page_of,
    read_fields,
    read_response,
    zstd,
)
from newsextract.page.page import MAX_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

DAMAGED = "damaged"
"""The type of a stretch of a file that could not be read as a record, or whose page could not be decoded."""

TYPES = (
    "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation",
)  # fmt: skip
"""The types of ISO 28500:2017, section 5.5; all others are unknown."""

KEPT_BYTES = 16 * 1024 * 1024
"""Of a damaged member, so much can be searched again for the next one's start. Members of pages have a thousandth."""

BOMB_BYTES, BOMB_RATIO = 64 * 1024 * 1024, 200
"""A member that is larger than this and expands this much is a bomb: text of pages shrinks to a tenth."""

_READ_BYTES, _FED_BYTES = 256 * 1024, 16 * 1024
_PIECE_BYTES = 256 * 1024
"""Decompressed at once."""
_OVERLAP_BYTES = 64
"""What is searched for is shorter."""
_MOST_BLANKS = 16
"""Bytes of line ends behind a record; four are right."""
_START_BYTES = 64 * 1024
"""What is kept of a record that is too large, for the headers of the HTTP response."""
_MAX_DICTIONARY_BYTES = 16 * 1024 * 1024
"""Those of archives have some hundred kilobytes."""

_GZIP, _ZSTD, _RECORD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"WARC/"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
"""First bytes of the frame with the dictionary that all others need, by the proposal for .warc.zst (IIPC 2020)."""
_SKIPPABLE = tuple(bytes((low, 0x2A, 0x4D, 0x18)) for low in range(0x50, 0x60))
"""First bytes of frames that hold no data for people, by RFC 8878, section 3.1.2."""

_COMPRESSED_START = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|\x28\xb5\x2f\xfd")
_ANY_START = re.compile(_COMPRESSED_START.pattern + rb"|WARC/[01]\.")
_RECORD_START = re.compile(rb"WARC/[01]\.\d{1,2}[ \t]*\r?\n(?:WARC-|Content-)", re.IGNORECASE)
"""A line of the version with a header of a record below it."""
_VERSION = re.compile(rb"WARC/\d{1,2}\.\d{1,2}[ \t]*\r?\n")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_NO_BLANK = re.compile(rb"[^\r\n]")
_LENGTH = re.compile(r"\d{1,18}")
_SHORT_DATE = re.compile(r"(\d{4})(?:-(\d\d))?")


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record of a WARC file, or a damaged stretch of one."""

    offset: int
    """Where it begins in the file as stored; of a compressed file, where its member begins, which others may share."""
    type: str
    """One of `TYPES`, unknown, or damaged."""
    record_id: str | None = None
    url: str | None = None
    date: str | None = None
    """ISO 8601, UTC."""
    digest: str | None = None
    ip: str | None = None
    status: int | None = None
    """Of the HTTP response."""
    content_type: str | None = None
    """Of the HTTP response, with its charset."""
    headers: Fields = ()
    """Of the HTTP response, with their names as sent."""
    body: bytes | None = None
    """The page's bytes without chunks and content encodings; `None` unless the record holds a page."""
    fault: str | None = None
    """What is wrong with a damaged record, for people."""


def read_records(file: BinaryIO, *, max_bytes: int = MAX_BYTES) -> Iterator[WarcRecord]:
    """Yield a record for each record and each damaged stretch of a file: plain, gzip or Zstandard, by its first bytes.

    A file that is damaged goes on at its next record. `max_bytes` bounds a page, as stored and decoded; memory grows
    with it, not with the file or its lengths. Errors of `file.read` are the caller's; none is raised for what the file
    holds.
    """
    stretch = _Stretch(_read_members(file))
    while stretch.begin():
        for frame in _read_frames(stretch, max_bytes + MAX_HEAD_BYTES):
            yield _as_record(frame, max_bytes)


# What is stored: gzip members and Zstandard frames one after another, or a plain file.


class _BadMember(ValueError):  # noqa: N818 - the base class says that it is an error
    """A member cannot be decompressed; the message says why, for people."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of what a file holds, decompressed; or the end of a damaged stretch, with its fault."""

    offset: int
    """Where its member begins in the file; of a plain file, where the piece does."""
    data: bytes = b""
    starts_record: bool = False
    """Whether a record begins here for sure, whatever came before."""
    fault: str | None = None
    is_plain: bool = False


class _Gunzip:
    """zlib's decoder with the methods that the standard library's others have."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(31)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._zlib, name)  # eof, unused_data

    @property
    def needs_input(self) -> bool:
        return not self._zlib.unconsumed_tail

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._zlib.decompress(self._zlib.unconsumed_tail + data, max_length)


class _Source:
    """A file read forwards, that can be set back to any byte since the latest mark, as far as they are kept."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._kept = bytearray()
        self._base = 0
        self.offset = 0
        """Where the next byte is in the file."""

    def mark(self) -> None:
        """Forget the bytes before the current one."""
        del self._kept[: self.offset - self._base]
        self._base = self.offset

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end of the file, and stay."""
        while self._base + len(self._kept) - self.offset < size and self._read():
            pass
        begin = self.offset - self._base
        return bytes(self._kept[begin : begin + size])

    def take(self, size: int) -> bytes:
        """Return the next bytes, at most `size`, and go on; none at the end of the file."""
        taken = self.peek(1) and self.peek(min(size, self._base + len(self._kept) - self.offset))
        self.offset += len(taken)
        return taken

    def go_to(self, offset: int) -> None:
        """Set the position, not before the first byte that is kept."""
        self.offset = max(offset, self._base)

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Go to the next match; where there is none, to the end of the file."""
        while (found := pattern.search(self._kept, self.offset - self._base)) is None:
            end = self._base + len(self._kept)
            self.offset = max(self.offset, end - _OVERLAP_BYTES)
            self.mark()
            if not self._read():
                self.offset = end
                return False
        self.offset = self._base + found.start()
        return True

    def _read(self) -> bool:
        data = self._file.read(_READ_BYTES)
        self._kept += data
        if len(self._kept) > KEPT_BYTES and (excess := min(self.offset - self._base, len(self._kept) // 2)) > 0:
            del self._kept[:excess]
            self._base += excess
        return bool(data)


def _read_members(file: BinaryIO) -> Iterator[_Piece]:
    """Yield what the file holds, in order; a stretch that cannot be read ends with a piece that has a fault."""
    source = _Source(file)
    dictionary: zstd.ZstdDict | None = None
    is_start, is_compressed = True, False
    while start := source.peek(8):
        source.mark()
        offset = source.offset
        try:
            if start.startswith(_RECORD) and not is_compressed:
                yield from _plain(source)
            elif start.startswith(_SKIPPABLE):
                dictionary = _skip_frame(source) or dictionary
            elif start.startswith((_GZIP, _ZSTD)):
                is_compressed = True
                decoder = _Gunzip() if start.startswith(_GZIP) else zstd.ZstdDecompressor(dictionary)
                yield from _decompressed(decoder, source, is_start=is_start)
            else:
                raise _BadMember("no record and no compressed member begins here")  # noqa: TRY301 - as others do
            is_start = False
        except (_BadMember, zlib.error, zstd.ZstdError) as error:
            _go_to_next(source, offset + 1, is_compressed=is_compressed)
            yield _Piece(offset, fault=f"{error}; {source.offset - offset:,} bytes")
            is_start = True


def _plain(source: _Source) -> Iterator[_Piece]:
    is_first = True
    while data := source.take(_READ_BYTES):
        yield _Piece(source.offset - len(data), data, starts_record=is_first, is_plain=True)
        is_first = False
        source.mark()


def _decompressed(decoder: Any, source: _Source, *, is_start: bool) -> Iterator[_Piece]:
    offset, size, is_first = source.offset, 0, True
    while not decoder.eof:
        stored = source.take(_FED_BYTES) if decoder.needs_input else b""
        if decoder.needs_input and not stored:
            raise _BadMember("the file ends within a compressed member")
        data = decoder.decompress(stored, _PIECE_BYTES)
        size += len(data)
        if size > BOMB_BYTES and size > BOMB_RATIO * (source.offset - offset):
            raise _BadMember(f"a compression bomb: more than {size:,} bytes in {source.offset - offset:,}")
        if data:
            starts = is_first and (is_start or data.lstrip(b"\r\n").startswith(_RECORD))
            yield _Piece(offset, data, starts)
            is_first = False
    source.go_to(source.offset - len(decoder.unused_data))


def _skip_frame(source: _Source) -> zstd.ZstdDict | None:
    """Go behind a skippable frame, and return its dictionary if it has one."""
    start = source.take(8)
    size = left = int.from_bytes(start[4:], "little")
    is_dictionary = start.startswith(_DICTIONARY) and size <= _MAX_DICTIONARY_BYTES
    kept = bytearray()
    while left > 0:
        data = source.take(min(left, _READ_BYTES))
        if not data:
            raise _BadMember("the file ends within a Zstandard frame")
        left -= len(data)
        if is_dictionary:
            kept += data
    if not is_dictionary:
        return None
    stored = bytes(kept)
    plain = zstd.ZstdDecompressor().decompress(stored, _MAX_DICTIONARY_BYTES) if stored.startswith(_ZSTD) else stored
    try:
        return zstd.ZstdDict(plain)
    except ValueError as error:
        raise _BadMember(f"a dictionary that is none: {error}") from error


def _go_to_next(source: _Source, offset: int, *, is_compressed: bool) -> None:
    """Go to the next member that begins with a record, else to the end of the file."""
    source.go_to(offset)
    while source.find(_COMPRESSED_START if is_compressed else _ANY_START):
        start = source.peek(8 * 1024)
        if not start.startswith(_GZIP):
            return  # four bytes that say so
        with suppress(zlib.error):
            if zlib.decompressobj(31).decompress(start, 64).lstrip(b"\r\n").startswith(_RECORD):
                return
        source.take(1)


# What it holds: runs of decompressed bytes in which records follow each other.


class _Stretch:
    """The bytes from a sure start of a record to the next one, or to damage; `buffer` has the next of them."""

    def __init__(self, pieces: Iterator[_Piece]) -> None:
        self._pieces = pieces
        self._next: _Piece | None = None

    def begin(self) -> bool:
        """Go to the next stretch; False at the end of the file."""
        first = self._next or next(self._pieces, None)
        if first is None:
            return False
        self._next = None
        self.buffer = bytearray(first.data)
        self.fault = first.fault
        """Why the stretch ended, if that is damage; known when it has ended."""
        self._has_ended = first.fault is not None
        self._dropped = 0
        self._members = deque([(0, first.offset)])
        """Where each member begins, in the stretch and in the file."""
        self._is_plain = first.is_plain
        return True

    @property
    def offset(self) -> int:
        """Where the next byte is in the file: of a compressed one, where its member begins."""
        while len(self._members) > 1 and self._members[1][0] <= self._dropped:
            self._members.popleft()
        begin, offset = self._members[0]
        return offset + self._dropped - begin if self._is_plain else offset

    def fill(self, size: int) -> int:
        """Return how many bytes are in the buffer; fewer than `size` only where the stretch ends."""
        while len(self.buffer) < size and self._pull():
            pass
        return len(self.buffer)

    def take(self, size: int) -> bytes:
        """Return the next bytes, and drop them."""
        self.fill(size)
        data = bytes(self.buffer[:size])
        self.drop(len(data))
        return data

    def drop(self, size: int) -> None:
        """Drop so many of the bytes in the buffer."""
        del self.buffer[:size]
        self._dropped += size

    def skip_blank_lines(self) -> bool:
        """Go to the next byte that ends no line; False at the end of the stretch."""
        while self.fill(1):
            found = _NO_BLANK.search(self.buffer)
            self.drop(found.start() if found else len(self.buffer))
            if found:
                return True
        return False

    def skip_to_record(self) -> int:
        """Go to the next record, or to the end of the stretch; return the number of bytes passed."""
        passed = 0
        while have := self.fill(_READ_BYTES):
            found = _RECORD_START.search(self.buffer)
            step = found.start() if found else have if self._has_ended else max(have - _OVERLAP_BYTES, 0)
            self.drop(step)
            passed += step
            if found:
                break
        return passed

    def _pull(self) -> bool:
        if self._has_ended:
            return False
        piece = next(self._pieces, None)
        member = self._members[-1][1]
        if piece is None or piece.starts_record or piece.fault:
            self._has_ended = True
            if piece is not None and piece.fault and piece.offset == member:
                self.fault = piece.fault
            else:
                self._next = piece
            return False
        if not self._is_plain and piece.offset != member:
            self._members.append((self._dropped + len(self.buffer), piece.offset))
        self.buffer += piece.data
        return True


# Where records begin and end in a stretch, whatever their headers say of their lengths: a header, an empty line, as
# many bytes as `Content-Length` says, and two line ends (ISO 28500:2017, section 4). Where the next record does not
# begin there, the length is wrong, and the next one is searched for from behind this record's header on.


@dataclass(frozen=True, slots=True)
class _Frame:
    """The edges of one record: its header and its block, or why there is none."""

    offset: int
    fields: dict[str, str] = field(default_factory=dict)
    block: bytes = b""
    size: int = 0
    """The bytes of the block in the file, of which `block` has only the first if they are too many."""
    fault: str | None = None


def _read_frames(stretch: _Stretch, max_bytes: int) -> Iterator[_Frame]:
    """Yield the records of a stretch and what lies between them, in order.

    A member's checksum comes after its last record: each record waits until it is known whether its member is whole.
    """
    waiting: _Frame | None = None
    alone = True
    while stretch.skip_blank_lines():
        if waiting is not None:
            yield waiting
            alone = waiting.offset != stretch.offset
        waiting = _next_frame(stretch, max_bytes)
    if stretch.fault and waiting is not None and (waiting.fault or alone):
        yield replace(waiting, block=b"", fault=stretch.fault)
        return
    if waiting is not None:
        yield waiting
    if stretch.fault:
        yield _Frame(stretch.offset, fault=stretch.fault)


def _next_frame(stretch: _Stretch, max_bytes: int) -> _Frame:
    offset = stretch.offset
    stretch.fill(MAX_HEAD_BYTES)
    if not _VERSION.match(stretch.buffer):
        return _Frame(offset, fault=f"{_pass_over(stretch):,} bytes that belong to no record")
    end = _HEAD_END.search(stretch.buffer, 0, MAX_HEAD_BYTES)
    if end is None:
        return _Frame(offset, fault=f"a header without an end; {_pass_over(stretch):,} bytes passed over")
    fields = first_values(read_fields(stretch.take(end.end()).partition(b"\n")[2]))
    written = fields.get("content-length", "")
    if not _LENGTH.fullmatch(written):
        stated = f"Content-Length is {written[:40]!r}, not a number of bytes" if written else "no Content-Length"
        return _Frame(offset, fields, fault=f"{stated}; {stretch.skip_to_record():,} bytes passed over")
    return _with_block(stretch, _Frame(offset, fields, size=int(written)), max_bytes)


def _pass_over(stretch: _Stretch) -> int:
    stretch.drop(1)  # not the same record again
    return 1 + stretch.skip_to_record()


def _with_block(stretch: _Stretch, frame: _Frame, max_bytes: int) -> _Frame:
    stated = f"Content-Length is {frame.size:,}"
    if frame.size > max_bytes:
        stretch.fill(_START_BYTES)
        start = bytes(stretch.buffer[:_START_BYTES])
        passed = stretch.skip_to_record()
        if 0 <= passed - frame.size <= _MOST_BLANKS:
            return replace(frame, block=start)
        return replace(frame, fault=f"{stated}, but the record ends after {passed:,} bytes")
    have = stretch.fill(frame.size)
    if have < frame.size:
        stretch.skip_to_record()
        return replace(frame, fault=f"{stated}, but only {have:,} bytes follow")
    if not _ends_record(stretch, frame.size):
        passed = stretch.skip_to_record()
        return replace(frame, fault=f"{stated}, but no record ends there; {passed:,} bytes passed over")
    return replace(frame, block=stretch.take(frame.size))


def _ends_record(stretch: _Stretch, size: int) -> bool:
    """Return whether a record may end behind so many bytes: writers forget line ends, the last one may have none."""
    stretch.fill(size + _MOST_BLANKS)
    behind = bytes(stretch.buffer[size : size + _MOST_BLANKS])
    return behind.startswith(b"\r\n\r\n") or _RECORD.startswith(behind.lstrip(b"\r\n")[: len(_RECORD)])


# What a record says.


def _as_record(frame: _Frame, max_bytes: int) -> WarcRecord:
    fields = frame.fields
    written = fields.get("warc-type", "").lower()
    bare = WarcRecord(
        offset=frame.offset,
        type=written if written in TYPES else "unknown",
        record_id=fields.get("warc-record-id") or None,
        url=fields.get("warc-target-uri", "").strip("<> ") or None,  # wget writes brackets around it
        date=utc_date(fields.get("warc-date", "")),
        digest=fields.get("warc-payload-digest") or fields.get("warc-block-digest") or None,
        ip=fields.get("warc-ip-address") or None,
    )
    if frame.fault:
        return replace(bare, type=DAMAGED, fault=frame.fault)
    if bare.type not in ("response", "resource", "revisit"):
        return bare
    if bare.type == "revisit" and not frame.block.startswith(b"HTTP/"):
        return bare  # without the headers that it may have
    try:
        return _with_response(bare, frame, max_bytes)
    except BadBody as error:
        return replace(bare, type=DAMAGED, fault=str(error))


def _with_response(bare: WarcRecord, frame: _Frame, max_bytes: int) -> WarcRecord:
    stated = frame.fields.get("content-type", "")
    is_http = stated.lower().startswith("application/http") or frame.block.startswith(b"HTTP/")
    if is_http and bare.type != "resource":
        response = read_response(frame.block)
        stated = response.get("content-type")
    else:
        response = HttpResponse(None, (), frame.block)
    found = replace(bare, status=response.status, content_type=stated or None, headers=response.fields)
    if bare.type == "revisit":
        return found
    is_cut = bool(frame.fields.get("warc-truncated")) or len(frame.block) < frame.size
    known = stated or frame.fields.get("warc-identified-payload-type", "")
    try:
        page = page_of(response, known, max_bytes, is_cut=is_cut)
        if page is not None and len(frame.block) < frame.size:
            raise BadBody(f"a page of {frame.size:,} bytes, at most {max_bytes:,} are read")  # noqa: TRY301 - as others do
        if page is not None and frame.fields.get("warc-segment-number"):
            raise BadBody("a page in several segments, which are not joined")  # noqa: TRY301 - as others do
    except BadBody as error:
        return replace(found, type=DAMAGED, fault=str(error))
    return replace(found, body=page)


def utc_date(written: str) -> str | None:
    """Return a date in ISO 8601 and UTC, `None` if it is not one; it may be cut after the year or month (WARC 1.1).

    >>> utc_date("2024-01"), utc_date("2024-01-31T23:59:59+01:00"), utc_date("soon")
    ('2024-01-01T00:00:00Z', '2024-01-31T22:59:59Z', None)
    """
    written = written.strip()
    if short := _SHORT_DATE.fullmatch(written):
        written = f"{short[1]}-{short[2] or '01'}-01"
    with suppress(ValueError, OverflowError):
        moment = datetime.fromisoformat(written)
        return moment.replace(tzinfo=moment.tzinfo or UTC).astimezone(UTC).isoformat().replace("+00:00", "Z")
    return None
