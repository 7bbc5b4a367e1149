"""Ends a worker process whose parent has ended, even one that is caught in a C library."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from multiprocessing import parent_process

_SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""


def end_with_parent(grace_seconds: float = 0.0) -> None:
    """Let this process end soon after its parent does, however that ends.

    A thread waits for the parent. A page that keeps the interpreter's lock keeps that thread waiting, too: without a
    grace, Linux itself kills a process when the one that forked it ends, which is the parent or ends with it.
    """
    threading.Thread(target=_wait, args=(grace_seconds,), name="newsextract-orphans", daemon=True).start()
    if sys.platform == "linux" and not grace_seconds:
        ctypes.CDLL(None, use_errno=True).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL)


def _wait(grace_seconds: float) -> None:
    if (parent := parent_process()) is not None:
        parent.join()
        time.sleep(grace_seconds)
        os._exit(1)
