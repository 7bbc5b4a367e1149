"""How much memory a browser takes, with all of its processes."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_MEGABYTE = 1_000_000


def is_measurable() -> bool:
    """Return whether this system says how much memory a process takes, as Linux does in `/proc`."""
    return (_PROC / "self" / "smaps_rollup").is_file()


def find_process(argument: str) -> int | None:
    """Return the process that was started with an argument; `None` if there is none, or no `/proc`.

    If it has handed the argument to processes that it has started, it is the first of them.
    """
    parents = _parents()
    found = {pid for pid in parents if _has_argument(pid, argument.encode())}
    return next((pid for pid in sorted(found) if parents[pid] not in found), None)


def tree_of(root: int) -> set[int]:
    """Return a process and all that it has started, directly or not."""
    parents, found = _parents(), {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def megabytes_of(root: int) -> float:
    """Return the memory of a process and its descendants; what some share is counted in equal parts."""
    return sum(map(_bytes_of, tree_of(root))) / _MEGABYTE


def _has_argument(pid: int, argument: bytes) -> bool:
    with suppress(OSError):
        return argument in (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    return False  # it has ended


def _bytes_of(pid: int) -> int:
    with suppress(OSError, ValueError):
        for line in (_PROC / str(pid) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0  # it has ended


def _parents() -> dict[int, int]:
    found = {}
    names = os.listdir(_PROC) if _PROC.is_dir() else []  # noqa: PTH208 - hundreds of names, several times a minute
    for name in names:
        if name.isdecimal():
            with suppress(OSError, ValueError, IndexError):
                # The name of the program stands in brackets, and may have any character.
                found[int(name)] = int((_PROC / name / "stat").read_text().rpartition(")")[2].split()[1])
    return found
