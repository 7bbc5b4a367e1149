"""What the commands share: their lines of help, refusals as errors of usage, and the width of what they print."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.exceptions import UsageError

from newsextract.tools.page_reading.named_values import named_value

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from rich.console import Console

WIDTH = 120
"""Columns of a table if there is no terminal to ask."""


class Described:
    """What the help says about a command, as attributes; stands before `ScrapyCommand` among a command's bases."""

    usage: ClassVar[str] = "[options]"
    """What follows the command's name."""
    summary: ClassVar[str]
    """The line for the list of commands."""
    details: ClassVar[str] = ""
    """The help text, if it says more than the summary."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of every command; errors take one line."""
        super().add_options(parser)  # type: ignore[misc]  # of `ScrapyCommand`
        say_errors_in_one_line(parser)

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return self.usage

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return self.summary

    def long_desc(self) -> str:
        """Return the help text."""
        return self.details or self.summary


def say_errors_in_one_line(parser: argparse.ArgumentParser) -> None:
    """Leave out the usage, which a parser prints before an error: it hides what is wrong."""
    parser.print_usage = lambda file=None: None  # type: ignore[method-assign]  # noqa: ARG005 - as argparse calls it


@contextmanager
def refusing(*kinds: type[Exception], prefix: str = "") -> Iterator[None]:
    """Raise errors of these kinds as `UsageError`, with the message behind a prefix such as `--since: `."""
    try:
        yield
    except kinds as error:
        raise UsageError(f"{prefix}{error}", print_help=False) from error


def option_of(written: str, prefix: str = "--option") -> tuple[str, Any]:
    """Return the name and value of an extractor's option; raises `UsageError` for what is none."""
    with refusing(ValueError, prefix=f"{prefix}: "):
        return named_value(written)


def console(width: int | None = WIDTH, **options: Any) -> Console:
    """Return a console as wide as the terminal, else `width` columns; `None` leaves the width to rich."""
    from rich.console import Console  # noqa: PLC0415 - only where something is printed

    return Console(width=None if sys.stdout.isatty() else width, **options)
