"""A JSON Lines file with one message per line, rotated by size or day; a partial line left by a crash is dropped."""

from __future__ import annotations

import gzip
import os
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.newsroom.delivery.target import Away, Target
from newsextract.storage.ledger.process_identity import host_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from newsextract.storage.outbox.message_store import Letter

DEFAULT_BYTES = 100 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Rotation:
    """When a file is rotated, and how."""

    max_bytes: int = DEFAULT_BYTES
    """Rotate before a line that would make the file larger, unless it is the first; 0: no limit."""
    is_daily: bool = False
    """Rotate before the first line of a new day (UTC)."""
    zips: bool = False
    """Whether rotated files are compressed."""


def _now() -> datetime:
    return datetime.now(UTC)


class JsonLines(Target):
    """A file that messages are appended to; rotated files are beside it, named by the time of rotation.

    It is opened for each batch, and may be moved away between two.
    """

    most = 500

    def __init__(self, path: Path, rotation: Rotation | None = None, clock: Callable[[], datetime] = _now) -> None:
        self.path = path
        self.rotation = rotation or Rotation()
        self.clock = clock
        # Each host has its own files.
        self.name = f"messages {host_name()}:{path.absolute()}"[:255]

    def deliver(self, letters: Sequence[Letter]) -> int:
        """Append messages and flush them to disk; return how many were written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                drop_broken_line(self.path)
            return self._write([f"{letter.payload}\n".encode() for letter in letters])
        except OSError as error:
            raise Away(f"{self.path}: {error.strerror or error}") from error

    def _write(self, lines: Sequence[bytes]) -> int:
        """Append as many lines as the file has room for, at least one, and return their number."""
        self._rotate_if_due(len(lines[0]))
        size, most = self._size(), self.rotation.max_bytes
        taken = 1
        size += len(lines[0])
        while taken < len(lines) and not (most and size + len(lines[taken]) > most):
            size += len(lines[taken])
            taken += 1
        with self.path.open("ab") as file:
            file.write(b"".join(lines[:taken]))
            file.flush()
            os.fsync(file.fileno())
        return taken

    def _size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def _rotate_if_due(self, more_bytes: int) -> None:
        size, most = self._size(), self.rotation.max_bytes
        if size and ((most and size + more_bytes > most) or (self.rotation.is_daily and self._is_of_another_day())):
            self._rotate()

    def _is_of_another_day(self) -> bool:
        written = datetime.fromtimestamp(self.path.stat().st_mtime, UTC)
        return written.date() != self.clock().astimezone(UTC).date()

    def _rotate(self) -> None:
        aside = self._free_name()
        self.path.rename(aside)
        if self.rotation.zips:
            compress(aside)

    def _free_name(self) -> Path:
        stem = f"{self.path.stem}-{self.clock().astimezone(UTC):%Y%m%dT%H%M%SZ}"
        number = 1
        while True:
            name = f"{stem}{f'-{number}' if number > 1 else ''}{self.path.suffix}"
            path = self.path.with_name(name)
            if not path.exists() and not path.with_name(f"{name}.gz").exists():
                return path
            number += 1


def compress(path: Path) -> None:
    """Replace a file by a compressed one, `.gz`; an interruption leaves the original."""
    unfinished = path.with_name(f"{path.name}.gz.part")
    with path.open("rb") as plain, gzip.open(unfinished, "wb") as zipped:
        shutil.copyfileobj(plain, zipped, 1 << 20)
    unfinished.replace(path.with_name(f"{path.name}.gz"))
    path.unlink()


def drop_broken_line(path: Path) -> None:
    """Truncate a file after its last line feed."""
    size = path.stat().st_size
    end = size
    with path.open("rb") as file:
        while end:
            start = max(end - 65536, 0)
            file.seek(start)
            found = file.read(end - start).rfind(b"\n")
            if found >= 0:
                end = start + found + 1
                break
            end = start
    if end < size:
        os.truncate(path, end)
