"""The bytes of an archive as stored, with the latest of them kept, to search them again where a member is damaged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from typing import BinaryIO

READ_BYTES = 256 * 1024

KEPT_BYTES = 16 * 1024 * 1024
"""Of a damaged member, so much can be searched again for the next one's start. Members of pages have a thousandth."""

_OVERLAP_BYTES = 64
"""What is searched for is shorter."""


class CompressedSource:
    """A file read forwards, that can be set back to any byte since the latest mark, as far as they are kept.

    The file need not be seekable: what it gives is kept here.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._kept = bytearray()
        self._base = 0
        self.offset = 0
        """Where the next byte is in the file."""

    def mark(self) -> None:
        """Forget the bytes before the current one."""
        done = self.offset - self._base
        if done > READ_BYTES or done == len(self._kept):
            del self._kept[:done]
            self._base = self.offset

    def peek(self, size: int) -> bytes:
        """Return the next bytes, fewer than `size` only at the end of the file, and stay."""
        while self._base + len(self._kept) - self.offset < size and self._read():
            pass
        begin = self.offset - self._base
        return bytes(self._kept[begin : begin + size])

    def take(self, size: int = READ_BYTES) -> bytes:
        """Return the next bytes, at most `size`, and go on; none at the end of the file."""
        if self._base + len(self._kept) == self.offset:
            self._read()
        begin = self.offset - self._base
        taken = bytes(self._kept[begin : begin + size])
        self.offset += len(taken)
        return taken

    def go_to(self, offset: int) -> None:
        """Set the position, not before the first byte that is kept."""
        self.offset = max(offset, self._base)

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Go to the next match; where there is none, to the end of the file."""
        while True:
            begin = self.offset - self._base
            if found := pattern.search(self._kept, begin):
                self.offset = self._base + found.start()
                return True
            self.offset = max(self.offset, self._base + len(self._kept) - _OVERLAP_BYTES)
            self.mark()
            if not self._read():
                self.offset = self._base + len(self._kept)
                return False

    def _read(self) -> bool:
        data = self._file.read(READ_BYTES)
        self._kept += data
        if len(self._kept) > KEPT_BYTES and (excess := min(self.offset - self._base, len(self._kept) // 2)) > 0:
            del self._kept[:excess]
            self._base += excess
        return bool(data)
