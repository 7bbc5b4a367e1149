"""`python -m newsextract.newsroom.desk DATABASE`: serves the desk on loopback, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys

from newsextract.newsroom.desk.desk_database import DeskError

FAILED = 2
"""Exit code if the desk cannot be opened."""


def main(arguments: list[str]) -> int:
    """Serve the desk and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        from newsextract.newsroom.desk.application import serve  # noqa: PLC0415 - datasette and its server are an extra

        serve(options.database, options.port, is_opened=options.open)
    except ModuleNotFoundError as error:
        return _fail(f"the desk needs the module {error.name}: pip install 'newsextract[desk]'")
    except DeskError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"cannot serve at port {options.port}: {error.strerror or error}")
    return 0


def _fail(message: str) -> int:
    print(message, file=sys.stderr)  # noqa: T201 - for whoever started it
    return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.newsroom.desk",
        description="Serve a desk to look at a database of articles from: read only, on loopback.",
    )
    parser.add_argument("database", metavar="DATABASE", help="a file of SQLite, or its URL")
    parser.add_argument("--port", type=int, default=0, help="where to serve it (default: a free one)")
    parser.add_argument("--open", action="store_true", help="show it in the browser")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
