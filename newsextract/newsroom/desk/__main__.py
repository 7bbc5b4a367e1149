"""`python -m newsextract.newsroom.desk DATABASE`: serves the desk on loopback, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys

from newsextract.command_help import complete, port
from newsextract.interrupts import end_quietly, heed_interrupts

FAILED = 2
"""Exit code if the desk cannot be opened."""


def main(arguments: list[str]) -> int:
    """Serve the desk and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        heed_interrupts()
        from newsextract.newsroom.desk.application import serve  # noqa: PLC0415 - an extra
        from newsextract.storage.database import StorageError  # noqa: PLC0415 - slow, and no help needs it
    except ModuleNotFoundError as error:
        return _fail(f"the desk needs the module {error.name}: pip install 'newsextract[desk]'")
    try:
        serve(options.database, options.port, is_opened=options.open)
    except StorageError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"cannot serve at port {options.port}: {error.strerror or error}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.newsroom.desk",
        description="Serve the desk, where articles are looked at in a browser: read only, on loopback, until Ctrl-C.",
    )
    parser.add_argument("database", metavar="DATABASE", help="an SQLite file, or the URL of a database")
    parser.add_argument("--port", type=port, default=0, help="its port (default: a free one)")
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    examples = ("python -m newsextract.newsroom.desk output/newsextract.db",)
    complete(parser, examples, {0: "it was stopped", FAILED: "a wrong argument, or the desk cannot be opened"})
    return parser


def _fail(message: str) -> int:
    print(message, file=sys.stderr)  # noqa: T201 - for whoever started it
    return FAILED


if __name__ == "__main__":
    end_quietly(0)  # it was stopped, if only a moment before it serves
    sys.exit(main(sys.argv[1:]))
