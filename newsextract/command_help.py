"""The help of every command in one form: what it does, its options, then examples and exit codes."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING

from newsextract.command_streams import prepare_streams, whole_or_piped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from _typeshed import SupportsWrite

EXAMPLES, EXIT_CODES = "examples", "exit codes"

LAST_PORT = 65_535

_AS_IT_IS = "  "
"""What a line begins with that is not to be wrapped, such as a command that people copy."""


class HelpFormatter(argparse.HelpFormatter):
    """Wraps each paragraph of a description, and keeps lines that begin with two spaces."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n\n".join(_filled(part.strip("\n"), width, indent) for part in text.split("\n\n") if part.strip())


def _filled(paragraph: str, width: int, indent: str) -> str:
    if paragraph.startswith(_AS_IT_IS):
        return "\n".join(indent + line.removeprefix(_AS_IT_IS) for line in paragraph.splitlines())
    if paragraph[:1].isdigit():  # exit codes
        return "\n".join(
            textwrap.fill(line, width, initial_indent=indent, subsequent_indent=indent + "   ")
            for line in paragraph.splitlines()
        )
    return textwrap.fill(" ".join(paragraph.split()), width, initial_indent=indent, subsequent_indent=indent)


def complete(
    parser: argparse.ArgumentParser,
    examples: Sequence[str],
    exit_codes: Mapping[int, str] | None = None,
    formatter: type[argparse.HelpFormatter] = HelpFormatter,
) -> None:
    """Add the sections with which a help ends, to a parser that has all its options.

    Every command passes here as it starts, before it prints anything: its streams are prepared, too.
    """
    prepare_streams()
    parser.formatter_class = formatter
    parser.print_help = lambda file=None: _print_help(parser, file)  # type: ignore[method-assign]
    parser.add_argument_group(EXAMPLES, as_lines(examples))
    if exit_codes:
        parser.add_argument_group(
            EXIT_CODES, "\n".join(f"{code}  {meaning}" for code, meaning in sorted(exit_codes.items()))
        )


def _print_help(parser: argparse.ArgumentParser, file: SupportsWrite[str] | None) -> None:
    """Print the help; argparse would ignore that nobody can read it, or leave that to the end of Python."""
    with whole_or_piped(parser.prog):
        print(parser.format_help(), end="", file=file or sys.stdout)


def port(text: str) -> int:
    """Return the number of a port, 0 for a free one; raises `ArgumentTypeError` for what is none."""
    if not (text.isdecimal() and int(text) <= LAST_PORT):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to {LAST_PORT}")
    return int(text)


def as_lines(lines: Sequence[str]) -> str:
    """Return a description that keeps these lines."""
    return "\n".join(_AS_IT_IS + line for line in lines)
