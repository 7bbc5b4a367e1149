"""Ctrl-C: a word in place of a traceback while a program is starting; servers in the background heed it, too."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


def end_quietly() -> None:
    """Print one line for a `KeyboardInterrupt` that nobody catches. The exit code stays as it is."""
    before = sys.excepthook

    def told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.stderr.write("interrupted\n")
        else:
            before(kind, error, traceback)

    sys.excepthook = told


def heed_interrupts() -> None:
    """Let SIGINT raise `KeyboardInterrupt`, also if the parent ignores it, as a shell does for background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
