"""Files and folders that appear whole or not at all, whatever ends the process."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Give the path to write to; it takes the place of `path` at the end, and is removed after an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = beside(path)
    try:
        yield temporary
        put_in_place(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Give a folder to fill; it becomes `path`, which may be there if it is empty, and is removed after an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = beside(path)
    temporary.mkdir()
    try:
        yield temporary
        for inner in temporary.rglob("*"):
            _sync(inner)
        put_in_place(temporary, path)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def write_whole(path: Path, text: str) -> None:
    """Write a text in place of the file that may be there."""
    with whole_file(path) as temporary:
        temporary.write_text(text, "utf-8", newline="\n")


def beside(path: Path) -> Path:
    """Return a temporary path in the same folder; another process that writes the same file has another."""
    # Readers of data sets pass over names that begin so.
    return path.with_name(f"_{path.name}.{os.getpid()}-{secrets.token_hex(4)}")


def put_in_place(temporary: Path, path: Path) -> None:
    """Rename what was written beside `path` to it; it is on the disk then."""
    _sync(temporary)
    temporary.replace(path)
    _sync(path.parent)


def _sync(path: Path) -> None:
    """Write a file, or the names in a folder, to the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
