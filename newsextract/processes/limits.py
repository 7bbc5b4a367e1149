"""Sets how often Python's garbage collector runs, and gives freed memory back to the system."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


THRESHOLDS = (10_000, 10, 10)
"""Objects made and not yet gone before the youngest are looked at, and how many such looks before one at the older.

A page is thousands of objects that all go when it is done, without such a look. At Python's own 700 a crawl spends
a sixth of its time on them; at this, half as much, for some 30 MB more at its peak.
"""


def collect_rarely() -> None:
    """Make the garbage collector of this process run less often, unless it is disabled.

    What there is by now, mostly modules, stays to the end: no collection looks at it again.
    """
    if gc.isenabled():
        gc.freeze()
        gc.set_threshold(*THRESHOLDS)


def give_back() -> None:
    """Return memory that was freed to the system, where the C library can.

    It keeps what trees of pages and bodies leave between longer-lived things: a third of a worker's memory.
    """
    if _trim is not None:
        _trim(0)


def keep_freed() -> None:
    """Let the C library keep freed memory for the next page, until `give_back` is called; where that is glibc's.

    By itself it returns what a page's tree and texts took after each page, and asks for it anew for the next: a seventh
    of the time that a page takes.
    """
    if _option is not None:
        for option, value in _KEEPING.items():
            _option(option, value)


_KEEPING = {-3: 32 * 1024 * 1024, -1: 256 * 1024 * 1024, -2: 16 * 1024 * 1024}
"""M_MMAP_THRESHOLD (its largest value), M_TRIM_THRESHOLD and M_TOP_PAD of mallopt(3)."""

_option = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None  # musl has none
_trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None  # musl has none


# Limits how long a few lines may take, such as a regular expression that could take for ever.


@contextmanager
def time_limit(seconds: float, error: Exception) -> Iterator[None]:
    """Raise the error if the lines take longer.

    Only in the main thread of a process on a system with timers (not Windows): elsewhere there is no limit.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise error

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Keeps the libraries of numbers to one thread in each process: the processes share out the processors.

VARIABLES = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "ARROW_IO_THREADS"), "1"
)
"""Read when a library is loaded: they must be set in the process that starts another."""


def use_one_thread() -> None:
    """Set the variables for libraries loaded later, here and in the processes that this one starts."""
    os.environ.update(VARIABLES)
