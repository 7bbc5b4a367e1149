"""A run of decompressed bytes in which records follow each other, read forwards with a window into what comes.

It ends where the file does, where the next member begins with a record, or where a member is damaged.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.archives.warc.members import Piece

RECORD_START = re.compile(rb"WARC/[01]\.\d{1,2}[ \t]*\r?\n(?:WARC-|Content-)", re.IGNORECASE)
"""A line of the version with a header of a record below it."""
_OVERLAP_BYTES = 64
_COMPACT_BYTES = 1024 * 1024
_BLANK = b"\r\n"


class Stretch:
    """The bytes from a piece on; `position` is the index into them, and nothing before it is kept for long."""

    def __init__(self, first: Piece, rest: _PieceFeed) -> None:
        self._rest = rest
        self._buffer = bytearray(first.data)
        self._at = 0
        self._base = 0
        self._marks = [(0, first.offset)]
        self._is_plain = first.is_plain
        self._has_ended = False
        self.fault: str | None = None
        """Why the stretch ended, if that is damage; known when it has ended."""
        if first.fault:
            self._end(first.fault)

    @property
    def offset(self) -> int:
        """Where the current byte is in the file: of a compressed one, where its member begins."""
        position = self._base + self._at
        begin, offset = self._marks[bisect_right(self._marks, position, key=lambda mark: mark[0]) - 1]
        return offset + position - begin if self._is_plain else offset

    def fill(self, size: int) -> int:
        """Return how many bytes there are from here on; fewer than `size` only where the stretch ends."""
        while len(self._buffer) - self._at < size and self._pull():
            pass
        return len(self._buffer) - self._at

    def peek(self, size: int, start: int = 0) -> bytes:
        """Return the bytes from `start` bytes ahead on, and stay."""
        self.fill(start + size)
        return bytes(self._buffer[self._at + start : self._at + start + size])

    def take(self, size: int) -> bytes:
        """Return the next bytes, and go on behind them."""
        data = self.peek(size)
        self.advance(len(data))
        return data

    def advance(self, size: int) -> None:
        """Go on by so many of the bytes that are there."""
        self._at = min(self._at + size, len(self._buffer))
        if self._at > _COMPACT_BYTES or self._at == len(self._buffer):
            del self._buffer[: self._at]
            self._base += self._at
            self._at = 0
            first = bisect_right(self._marks, self._base, key=lambda mark: mark[0]) - 1
            del self._marks[:first]

    def skip_blank_lines(self) -> bool:
        """Go to the next byte that ends no line; False at the end of the stretch."""
        while self.fill(1):
            if self._buffer[self._at] not in _BLANK:
                return True
            self.advance(1)
        return False

    def find(self, wanted: bytes, limit: int) -> int:
        """Return how far ahead these bytes are, or -1 if they are not within the limit."""
        seen = 0
        while True:
            have = min(self.fill(min(limit, seen + _COMPACT_BYTES)), limit)
            found = self._buffer.find(wanted, self._at + max(seen - len(wanted), 0), self._at + have)
            if found >= 0 or have in {seen, limit}:
                return found - self._at if found >= 0 else -1
            seen = have

    def skip_to_record(self, limit: int | None = None) -> int:
        """Go to the next record, and return the number of bytes passed; none is found before `limit` bytes ahead."""
        passed = 0
        while limit is None or passed < limit:
            have = self.fill(_COMPACT_BYTES)
            if found := RECORD_START.search(self._buffer, self._at):
                step = found.start() - self._at
                if limit is None or passed + step < limit:
                    self.advance(step)
                    return passed + step
            elif not self._has_ended and have > _OVERLAP_BYTES:
                have -= _OVERLAP_BYTES
            if not have:
                return passed
            step = have if limit is None else min(have, limit - passed)
            self.advance(step)
            passed += step
        return passed

    def _pull(self) -> bool:
        if self._has_ended:
            return False
        piece = self._rest.next_of_stretch(self._marks[-1][1])
        if piece is None or piece.fault:
            self._end(piece.fault if piece else None)
            return False
        self._marks.append((self._base + len(self._buffer), piece.offset))
        self._buffer += piece.data
        return True

    def _end(self, fault: str | None) -> None:
        self._has_ended = True
        self.fault = fault


class _PieceFeed:
    """Pieces, with a look at the next one."""

    def __init__(self, pieces: Iterator[Piece]) -> None:
        self._pieces = pieces
        self._next: Piece | None = None

    def first(self) -> Piece | None:
        """Return the piece that the next stretch begins with."""
        piece = self._next or next(self._pieces, None)
        self._next = None
        return piece

    def next_of_stretch(self, member: int) -> Piece | None:
        """Return the next piece unless it begins a stretch, as does damage in another member than the latest."""
        piece = self.first()
        if piece is not None and (piece.starts_record or (piece.fault and piece.offset != member)):
            self._next = piece
            return None
        return piece


def read_stretches(pieces: Iterator[Piece]) -> Iterator[Stretch]:
    """Yield the stretches of a file; each is to be read to its end before the next."""
    feed = _PieceFeed(pieces)
    while (first := feed.first()) is not None:
        yield Stretch(first, feed)
