"""Sets how often Python's garbage collector runs, and gives freed memory back to the system."""

from __future__ import annotations

import ctypes
import gc
import sys

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
