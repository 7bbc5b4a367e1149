"""Identifies this process and its host, and checks whether another process is still alive."""

from __future__ import annotations

import os
import socket
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD = 21 - 2
"""Index in `/proc/PID/stat`, counted after the name, of the start time of the process in ticks since boot."""


def host_name() -> str:
    """Return the name of this host."""
    return socket.gethostname()


def boot_of(pid: int) -> str:
    """Return what distinguishes a process from earlier ones with its PID: boot and start time; "" if unknown.

    A restarted container gives its processes the same PIDs.
    """
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
        # The name is in brackets and may hold spaces and brackets itself.
        start = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[_START_FIELD]
    except (OSError, IndexError):
        return ""
    return f"{boot}/{start}"


def is_alive(pid: int, boot: str) -> bool:
    """Return whether the process of this host with this PID and `boot_of` still runs; True if in doubt."""
    if boot and _BOOT_ID.exists():
        return boot_of(pid) == boot
    if os.name != "posix":  # where signal 0 would end the process
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # it belongs to another user
    return True
