"""The members of an archive, decompressed one after another: gzip members, Zstandard frames, or the plain file.

FastWARC goes through whole files, but passes over members that are cut off and stops at damaged ones. Here a damaged
member ends with a sentence, and the file goes on at the next member that begins with a record.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.archives.warc import zstd_frames
from newsextract.archives.warc.compressed_source import CompressedSource
from newsextract.archives.warc.zstd_frames import BadFrame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

PIECE_BYTES = 256 * 1024

BOMB_BYTES = 64 * 1024 * 1024
BOMB_RATIO = 200
"""A member that is larger than this and expands this much is a bomb: text of pages shrinks to a tenth."""

_GZIP = b"\x1f\x8b"
_GZIP_WINDOW = 31
"""zlib: the largest window, with gzip's header and checksum."""
_RECORD = b"WARC/"
_START = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|\x28\xb5\x2f\xfd|WARC/[01]\.")
_COMPRESSED_START = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]|\x28\xb5\x2f\xfd")
_TRIED_BYTES = 8 * 1024
"""Enough of a member to decompress its first bytes: names and comments in a gzip header are short."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of what a file holds, decompressed; or the end of a damaged stretch."""

    offset: int
    """Where its member begins in the file; of a plain file, where the piece does."""
    data: bytes
    starts_record: bool = False
    """Whether a record begins here for sure, whatever came before."""
    fault: str | None = None
    is_plain: bool = False
    """Whether the file is not compressed here."""


def read_members(file: BinaryIO) -> Iterator[Piece]:
    """Yield what the file holds, in order; a stretch that cannot be read ends with a piece that has a fault."""
    source = CompressedSource(file)
    dictionary: bytes | None = None
    is_start, is_compressed = True, False
    while start := source.peek(8):
        source.mark()
        offset = source.offset
        try:
            if start.startswith(_GZIP):
                is_compressed = True
                yield from _marked(_gunzip(source), source, is_start=is_start)
            elif start.startswith(zstd_frames.MAGIC):
                is_compressed = True
                yield from _marked(zstd_frames.decompressed(source, dictionary), source, is_start=is_start)
            elif start.startswith(zstd_frames.SKIPPED):
                dictionary = zstd_frames.skip_frame(source) or dictionary
            elif start.startswith(_RECORD) and not is_compressed:
                yield from _plain(source)
            else:
                _refuse()
            is_start = False
        except BadFrame as error:
            _go_to_next(source, offset + 1, is_compressed=is_compressed)
            yield Piece(offset, b"", fault=f"{error}; {source.offset - offset:,} bytes")
            is_start = True


def _refuse() -> None:
    raise BadFrame("no record and no compressed member begins here")


def _marked(parts: Iterator[bytes], source: CompressedSource, *, is_start: bool) -> Iterator[Piece]:
    offset, is_first, size = source.offset, True, 0
    for data in parts:
        size += len(data)
        if size > BOMB_BYTES and size > BOMB_RATIO * (source.offset - offset):
            raise BadFrame(f"a compression bomb: more than {size:,} bytes in {source.offset - offset:,}")
        starts = is_first and (is_start or data.lstrip(b"\r\n").startswith(_RECORD))
        yield Piece(offset, data, starts)
        is_first = False


def _gunzip(source: CompressedSource) -> Iterator[bytes]:
    decoder = zlib.decompressobj(_GZIP_WINDOW)
    while True:
        stored = decoder.unconsumed_tail or source.take()
        if not stored:
            raise BadFrame("the file ends within a gzip member")
        try:
            data = decoder.decompress(stored, PIECE_BYTES)
        except zlib.error as error:
            raise BadFrame(f"gzip: {error}") from error
        if data:
            yield data
        if decoder.eof:
            source.go_to(source.offset - len(decoder.unused_data))
            return


def _plain(source: CompressedSource) -> Iterator[Piece]:
    is_first = True
    offset = source.offset
    while data := source.take():
        yield Piece(offset, data, starts_record=is_first, is_plain=True)
        is_first = False
        source.mark()
        offset = source.offset


def _go_to_next(source: CompressedSource, offset: int, *, is_compressed: bool) -> None:
    """Go to the next member that begins with a record, else to the end of the file."""
    source.go_to(offset)
    while source.find(_COMPRESSED_START if is_compressed else _START):
        if _begins_with_record(source):
            return
        source.take(1)


def _begins_with_record(source: CompressedSource) -> bool:
    start = source.peek(_TRIED_BYTES)
    if not start.startswith(_GZIP):
        return True  # four bytes that say so
    try:
        data = zlib.decompressobj(_GZIP_WINDOW).decompress(start, 64)
    except zlib.error:
        return False
    return data.lstrip(b"\r\n").startswith(_RECORD)
