"""Where a Zstandard frame ends, by RFC 8878, so that each frame is decompressed alone.

FastWARC decompresses them, but does not say where a damaged frame was to end.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from newsextract.archives.warc.fastwarc_parts import ZstdReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.archives.warc.compressed_source import CompressedSource

MAGIC = b"\x28\xb5\x2f\xfd"

SKIPPED = tuple(bytes((low, 0x2A, 0x4D, 0x18)) for low in range(0x50, 0x60))
"""First bytes of frames that hold no data for people, by RFC 8878, section 3.1.2."""

DICTIONARY = b"\x5d\x2a\x4d\x18"
"""First bytes of the frame with the dictionary that all others need, by the proposal for .warc.zst (IIPC 2020)."""

MAX_DICTIONARY_BYTES = 16 * 1024 * 1024
"""Those of archives have some hundred kilobytes."""

MAX_WINDOW_BYTES = 128 * 1024 * 1024
"""A decoder has to accept 8 MiB, and `zstd` without --long accepts this much."""

_PIECE_BYTES = 256 * 1024
_MAX_HEADER_BYTES = 18
_BLOCK_HEADER_BYTES = 3
_RLE, _RESERVED = 1, 3


class BadFrame(ValueError):  # noqa: N818 - the base class says that it is an error
    """A frame that cannot be decompressed; the message says why, for people."""


def decompressed(source: CompressedSource, dictionary: bytes | None) -> Iterator[bytes]:
    """Yield what the frame at the source's position holds, and leave the source behind the frame.

    Raises:
        BadFrame: the frame is damaged, or the file ends within it.
    """
    frame = _Frame(source)
    reader = ZstdReader(frame, dictionary=dictionary)
    try:
        while data := reader.read(_PIECE_BYTES):
            yield data
        frame.finish()
    except OSError as error:
        raise BadFrame(f"Zstandard: {error}") from error
    if not frame.is_whole:
        raise BadFrame("the file ends within a Zstandard frame")


def skip_frame(source: CompressedSource) -> bytes:
    """Go behind a skippable frame, and return its dictionary if it has one, else nothing."""
    start = source.peek(8)
    source.take(8)
    left = int.from_bytes(start[4:], "little")
    is_dictionary = start[:4] == DICTIONARY and left <= MAX_DICTIONARY_BYTES
    kept = bytearray()
    while left > 0:
        data = source.take(min(left, _PIECE_BYTES))
        if not data:
            raise BadFrame("the file ends within a Zstandard frame")
        left -= len(data)
        if is_dictionary:
            kept += data
    return _plain_dictionary(bytes(kept))


def _plain_dictionary(stored: bytes) -> bytes:
    if not stored.startswith(MAGIC):
        return stored
    try:
        return ZstdReader(io.BytesIO(stored)).read(MAX_DICTIONARY_BYTES)
    except OSError as error:
        raise BadFrame(f"the dictionary cannot be decompressed: {error}") from error


class _Frame:
    """One frame of a source as a file that ends with it, with the methods that FastWARC calls."""

    def __init__(self, source: CompressedSource) -> None:
        self._source = source
        self.is_whole = False
        self._start = source.offset
        self._left, self._has_checksum = _header(source.peek(_MAX_HEADER_BYTES))
        self._is_last = False
        self._in_checksum = False

    def tell(self) -> int:
        """Return the position in the frame."""
        return self._source.offset - self._start

    def read(self, size: int = _PIECE_BYTES) -> bytes:
        """Return the next bytes, none behind the frame's last one or that of the file."""
        parts: list[bytes] = []
        while size > 0 and (self._left or self._next()):
            data = self._source.take(min(self._left, size))
            if not data:
                break
            self._left -= len(data)
            size -= len(data)
            parts.append(data)
        return b"".join(parts)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Refuse: a frame is read once, forwards."""
        raise io.UnsupportedOperation(f"seek to {offset}, {whence}")

    def close(self) -> None:
        """Leave the source open, others read on from it."""

    def finish(self) -> None:
        """Take what is left of the frame, such as its checksum."""
        while self.read():
            pass

    def _next(self) -> bool:
        """Go to the next block; False behind the last one."""
        if self._in_checksum or (self._is_last and not self._has_checksum):
            self.is_whole = True
            return False
        if self._is_last:
            self._in_checksum, self._left = True, 4
            return True
        header = self._source.peek(_BLOCK_HEADER_BYTES)
        if len(header) < _BLOCK_HEADER_BYTES:
            return False
        written = int.from_bytes(header, "little")
        kind, size = written >> 1 & 3, written >> 3
        if kind == _RESERVED:
            raise BadFrame("Zstandard: a block of a reserved type")
        self._is_last = bool(written & 1)
        self._left = _BLOCK_HEADER_BYTES + (1 if kind == _RLE else size)
        return True


def _header(start: bytes) -> tuple[int, bool]:
    """Return the length of a frame's header, and whether the frame ends with a checksum."""
    if len(start) < len(MAGIC) + 2:
        raise BadFrame("the file ends within a Zstandard frame")
    descriptor = start[4]
    is_single = bool(descriptor & 0x20)
    if descriptor & 0x08:
        raise BadFrame("Zstandard: a reserved bit of the frame is set")
    if not is_single and (window := _window_bytes(start[5])) > MAX_WINDOW_BYTES:
        raise BadFrame(f"Zstandard: a window of {window:,} bytes, at most {MAX_WINDOW_BYTES:,} are decompressed")
    content = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    return 5 + (not is_single) + (0, 1, 2, 4)[descriptor & 3] + content, bool(descriptor & 4)


def _window_bytes(written: int) -> int:
    base = 1 << (10 + (written >> 3))
    return base + base // 8 * (written & 7)
