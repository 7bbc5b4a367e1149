"""Which process of which host this is, and whether another one is still there."""

from __future__ import annotations

import os
import socket
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_START_FIELD = 21 - 2
"""Of `/proc/PID/stat`, counted behind the name: when the process began, in ticks since the host did."""


def host_name() -> str:
    """Return the name of this host."""
    return socket.gethostname()


def boot_of(pid: int) -> str:
    """Return what tells a process from earlier ones of the same number: the host's start and its own; "" if unknown.

    A container that starts again gives its processes the same numbers.
    """
    try:
        boot = _BOOT_ID.read_text("ascii").strip()
        # The name is in brackets and may hold spaces and brackets itself.
        start = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[_START_FIELD]
    except (OSError, IndexError):
        return ""
    return f"{boot}/{start}"


def is_alive(pid: int, boot: str) -> bool:
    """Tell whether a process of this host still runs that was seen with this number and `boot_of`; if in doubt, yes."""
    if boot and _BOOT_ID.exists():
        return boot_of(pid) == boot
    if os.name != "posix":  # where signal 0 is no question but an order
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True
