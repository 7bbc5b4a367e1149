"""Keeps the bytes of pages in a folder: one compressed file each, named by its content's hash, so stored once."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import tempfile
import time
import zlib
from pathlib import Path

_LEVEL = 6
_YOUNG_SECONDS = 3600
"""A file written or reused within this time is not removed: a crawl may be about to refer to it."""
_NAME = re.compile(r"[0-9a-f]{32}")


class UnreadablePage(Exception):  # noqa: N818 - the name says that it is an error
    """The file of a page is missing or damaged."""


class PageFiles:
    """A folder of pages, two levels deep: `ab/cd/abcd….gz`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, content: bytes) -> str:
        """Write bytes atomically, and return their name; raises `OSError`."""
        name = hashlib.blake2b(content, digest_size=16).hexdigest()
        path = self._path(name)
        try:
            os.utime(path)
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(path, gzip.compress(content, _LEVEL, mtime=0))
        return name

    def get(self, name: str) -> bytes:
        """Return the bytes of this name; raises `UnreadablePage`."""
        path = self._path(name)
        try:
            content = gzip.decompress(path.read_bytes())
        except (OSError, EOFError, zlib.error, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            raise UnreadablePage(f"{name}: {reason}") from error
        if hashlib.blake2b(content, digest_size=16).hexdigest() != name:
            raise UnreadablePage(f"{name}: the file holds something else")
        return content

    def remove(self, name: str) -> int:
        """Remove the bytes of this name, unless they are recent; return the bytes of disk space freed."""
        path = self._path(name)
        try:
            state = path.stat()
            if time.time() - state.st_mtime < _YOUNG_SECONDS:
                return 0
            path.unlink()
        except FileNotFoundError:
            return 0
        return state.st_size

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no name of a page's file")  # it comes from a database and becomes a path
        return self.folder / name[:2] / name[2:4] / f"{name}.gz"

    def _write(self, path: Path, packed: bytes) -> None:
        number, written = tempfile.mkstemp(dir=path.parent, prefix=".")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(packed)
            Path(written).replace(path)
        except BaseException:
            Path(written).unlink(missing_ok=True)
            raise
