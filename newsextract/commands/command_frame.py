"""What the commands share: their lines of help, refusals as errors of usage, and the width of what they print."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyHelpFormatter
from scrapy.exceptions import UsageError

from newsextract.command_help import HelpFormatter, complete
from newsextract.command_streams import whole_or_piped
from newsextract.interrupts import INTERRUPTED
from newsextract.reading.extraction_options import named_value

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from rich.console import Console

WRONG_USAGE = 2
"""Exit code of every command for a wrong argument or setting."""

_OF_ALL = {WRONG_USAGE: "a wrong argument or setting", INTERRUPTED: "Ctrl-C"}

WIDTH = 120
"""Columns of a table if there is no terminal to ask."""


class ScrapyHelp(HelpFormatter, ScrapyHelpFormatter):
    """Our paragraphs and lines, with Scrapy's headings."""

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        """Underline the headings, and not, as Scrapy would, a line of an option's help that ends with a colon."""
        is_option = bool(part_strings) and part_strings[0].startswith(" ")
        return part_strings if is_option else super().format_part_strings(part_strings)


class Described:
    """What the help says about a command, as attributes; stands before `ScrapyCommand` among a command's bases."""

    usage: ClassVar[str] = "[options]"
    """What follows the command's name."""
    summary: ClassVar[str]
    """The line for the list of commands."""
    details: ClassVar[str] = ""
    """What the help says below the summary."""
    examples: ClassVar[tuple[str, ...]]
    """Commands that can be copied; the tests run them."""
    exit_codes: ClassVar[Mapping[int, str]]
    """What each means, except `WRONG_USAGE`."""

    def __init_subclass__(cls) -> None:
        """Let no command print in vain: `run` ends in a line if standard output is closed or full."""
        super().__init_subclass__()
        told = whole_or_piped(f"scrapy {cls.__module__.rpartition('.')[2]}")
        cls.run = told(cls.run)  # type: ignore[attr-defined]  # each has one, as Scrapy wants it

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of every command, examples and exit codes; errors take one line."""
        super().add_options(parser)  # type: ignore[misc]  # of `ScrapyCommand`
        say_errors_in_one_line(parser)
        complete(parser, self.examples, {**_OF_ALL, **self.exit_codes}, ScrapyHelp)

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return self.usage

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return self.summary

    def long_desc(self) -> str:
        """Return the help text."""
        return f"{self.summary}.\n\n{self.details}"


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
    """Return a console on standard output, see `console_for`."""
    from newsextract.terminal import console_for  # noqa: PLC0415 - brings rich

    return console_for(sys.stdout, width, **options)
