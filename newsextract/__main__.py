"""`python -m newsextract` is the command `newsextract`: of pages, or what its first word names."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = {"archive": "newsextract.archives.command", "export": "newsextract.archives.export"}
"""Modules by first words; each is imported only if it is asked for. All else are pages."""

_PAGES = "newsextract.tools.page_reading.command_line"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command that the first argument names, and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    is_named = bool(given) and given[0] in COMMANDS
    command = import_module(COMMANDS[given[0]] if is_named else _PAGES)
    code: int = command.main(given[1:] if is_named else given)
    return code


if __name__ == "__main__":
    sys.exit(main())
