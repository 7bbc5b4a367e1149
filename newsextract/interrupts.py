"""Ctrl-C: one line and one exit code in place of a traceback; servers in the background heed it, too."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

INTERRUPTED = 130
"""Exit code of every command that Ctrl-C ends, at any moment: what shells show for SIGINT, 128 + 2."""

TOLD = "interrupted"
"""The line of a command that leaves nothing to go on with."""

_SHOW_CURSOR = "\x1b[?25h"
"""A live table hides it; a terminal without a cursor would stay behind."""


def end_quietly(code: int = INTERRUPTED) -> None:
    """Print one line for a `KeyboardInterrupt` that nobody catches, and end with an exit code."""
    before = sys.excepthook

    def told(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
        if not issubclass(kind, KeyboardInterrupt):
            before(kind, error, traceback)
            return
        with suppress(OSError):  # nobody reads it any more
            sys.stderr.write(f"{TOLD}\n")
        raise SystemExit(code)  # or Python ends itself with SIGINT

    sys.excepthook = told


def end_at_once(line: str) -> NoReturn:
    """Print a line and end, also from a signal handler: no buffer, no lock, and nothing that could swallow it."""
    with suppress(OSError):
        os.write(2, f"{_SHOW_CURSOR if os.isatty(2) else ''}{line}\n".encode())
    os._exit(INTERRUPTED)


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end at once what fetches pages and stores nothing: an event loop would first wait for them."""
    before = signal.signal(signal.SIGINT, lambda *_: end_at_once(TOLD))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def heed_interrupts() -> None:
    """Let SIGINT raise `KeyboardInterrupt`, also if the parent ignores it, as a shell does for background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
