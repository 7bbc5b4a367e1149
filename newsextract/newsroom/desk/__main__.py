"""`python -m newsextract.newsroom.desk DATABASE`: serves the desk on loopback, until Ctrl-C."""

from __future__ import annotations

import argparse
import sys

from newsextract.command_help import complete, port
from newsextract.interrupts import end_quietly, heed_interrupts

FAILED = 2
"""Exit code if the desk cannot be opened."""

MOST_DAYS = 3650


_EXAMPLES = (
    "python -m newsextract.newsroom.desk output/newsextract.db",
    "python -m newsextract.newsroom.desk news.db --open",
)


def main(arguments: list[str]) -> int:
    """Serve the desk and return the exit code."""
    options = _parser().parse_args(arguments)
    from newsextract.newsroom.desk.desk_database import DeskError  # noqa: PLC0415 - slow, and no help needs it

    try:
        heed_interrupts()
        from newsextract.newsroom.desk.application import serve  # noqa: PLC0415 - datasette and its server are an extra

        serve(options.database, options.port, is_opened=options.open, days=options.days)
    except ModuleNotFoundError as error:
        return _fail(f"the desk needs the module {error.name}: pip install 'newsextract[desk]'")
    except DeskError as error:
        return _fail(str(error))
    except OSError as error:
        return _fail(f"cannot serve at port {options.port}: {error.strerror or error}")
    except KeyboardInterrupt:  # before it serves
        pass
    return 0


def _fail(message: str) -> int:
    print(message, file=sys.stderr)  # noqa: T201 - for whoever started it
    return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m newsextract.newsroom.desk",
        description="Serve the desk, where articles are looked at in a browser: read only, on loopback, until Ctrl-C.",
    )
    parser.add_argument("database", metavar="DATABASE", help="an SQLite file, or the URL of a database")
    parser.add_argument("--port", type=port, default=0, help="its port (default: a free one)")
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.add_argument(
        "--days",
        type=_days,
        default=7,
        help="of PostgreSQL and MariaDB, the last days are copied (default: %(default)s)",
    )
    complete(parser, _EXAMPLES, {0: "it was stopped", FAILED: "a wrong argument, or the desk cannot be opened"})
    return parser


def _days(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= MOST_DAYS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of days, 1 to {MOST_DAYS}")
    return int(text)


if __name__ == "__main__":
    end_quietly(0)  # it was stopped, if only a moment before it serves
    sys.exit(main(sys.argv[1:]))
