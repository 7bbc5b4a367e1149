"""The standard streams of every command: text in UTF-8, and a line about what could not be written."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_PRINTED = 1
"""Exit code if standard output does not take all."""


class _Closed(io.TextIOBase):
    """Stands for a standard output that is closed, on which Python would print without a word."""

    def write(self, _: str) -> NoReturn:
        raise OSError("standard output is closed")


def prepare_streams() -> None:
    """Make the standard streams such that nothing is lost in silence, and no character is an error."""
    if sys.stdout is None:
        sys.stdout = _Closed()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        # Whatever the terminal's language: a file of articles in UTF-8 is what every reader expects.
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")
    if sys.stderr is None:  # what is printed there would go to standard output
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until the end


@contextmanager
def whole_or_piped(command: str) -> Iterator[None]:
    """End quietly if the reader of standard output closes the pipe, as `head` does, and with a line on a full disk."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_the_rest()
    except OSError as error:
        _drop_the_rest()
        print(f"{command}: {error}", file=sys.stderr)  # noqa: T201 - of a command
        sys.exit(NOT_PRINTED)


def _drop_the_rest() -> None:
    """Keep Python from writing what is left once more when it ends."""
    with suppress(OSError):  # a closed stream has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
