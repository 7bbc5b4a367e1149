"""The standard streams of every command: text in UTF-8, and a line about what could not be written."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

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
def whole_or_piped(command: str, failed: int = NOT_PRINTED) -> Iterator[None]:
    """End quietly if the reader of standard output closes the pipe, as `head` does, and with a line on a full disk.

    `failed` is the exit code of the latter.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop_the_rest(sys.stdout)
    except OSError as error:
        drop_the_rest(sys.stdout)
        with tolerant_errors():
            print(f"{command}: {error}", file=sys.stderr)  # noqa: T201 - of a command
        sys.exit(failed)
    finally:
        with tolerant_errors():
            sys.stderr.flush()


@contextmanager
def tolerant_errors() -> Iterator[None]:
    """Let the reader of standard error go away: there is nowhere to say so, and nothing is lost but lines."""
    try:
        yield
        sys.stderr.flush()
    except OSError:
        drop_the_rest(sys.stderr)


def drop_the_rest(stream: IO[Any]) -> None:
    """Keep Python from writing what is left once more when it ends, which would change the exit code to 120."""
    with suppress(OSError):  # a closed stream has no number
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(null, stream.fileno())
        finally:
            os.close(null)
