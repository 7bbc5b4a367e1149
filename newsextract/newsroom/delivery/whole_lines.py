"""Repairs a file of lines that a crash has left with half a line at its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


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
