"""What Ctrl-C prints while a program is still starting: a word in place of a traceback."""

from __future__ import annotations

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
