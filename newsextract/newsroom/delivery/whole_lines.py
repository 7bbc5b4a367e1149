"""Files of lines that a crash may have left with half a line at their end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def drop_broken_line(path: Path) -> None:
    """Cut a file after its last line feed."""
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
