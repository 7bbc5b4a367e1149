"""What all that prints shares: tables and progress, streams that end early, Ctrl-C, and what a verb says of itself.

Nothing here imports rich before something is printed with it: the help of the command needs none.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
from contextlib import contextmanager, suppress
from math import isnan
from traceback import format_exception
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import Console
    from rich.table import Table

EXTRAS = {
    "aiohttp": "archive", "alembic": "crawl", "backports": "archive", "boilerpy3": "evaluate", "brotli": "archive",
    "feedparser": "crawl", "form2request": "crawl", "fsspec": "archive", "jinja2": "evaluate", "kombu": "broker",
    "lark": "crawl", "playwright": "render", "psycopg": "postgres", "pyarrow": "archive", "pydantic": "crawl",
    "pymysql": "mysql", "rapidfuzz": "evaluate", "ray": "ray", "readability": "evaluate", "rich": "crawl",
    "ruamel": "crawl", "scrapy": "crawl", "scrapyd": "scrapyd", "sklearn": "evaluate", "sqlalchemy": "crawl",
    "starlette": "desk", "trafilatura": "evaluate", "twisted": "crawl", "uvicorn": "desk",
}  # fmt: skip
"""The extra that brings each module."""

DONE, NOTHING, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes of every verb."""

CODES = {
    DONE: "done",
    NOTHING: "done, and the answer is no: nothing found, a page unread, a message left",
    USAGE: "a wrong argument or setting, or a package that is missing",
    INTERRUPTED: "Ctrl-C",
}

WIDTH = 120
"""Columns of a table if there is no terminal to ask."""


_T = TypeVar("_T")


class Refusal(ValueError):  # noqa: N818 - the name says that it is an error
    """A wrong argument, option or surrounding: the message says in one sentence what would be right."""


class Verb(click.Command):
    """A verb of the command, whose help ends with examples and the exit codes."""

    def __init__(self, *arguments: Any, examples: tuple[str, ...], nothing: str, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.examples = examples
        self.exit_codes = {code: meaning for code, meaning in (CODES | {NOTHING: nothing}).items() if meaning}
        shown = "\n".join(f"  {line}" for line in examples)
        self.epilog = f"\b\nExamples:\n{shown}\n\n{codes_help(self.exit_codes)}"


def verb(*examples: str, nothing: str = "") -> Callable[[Callable[..., int]], Verb]:
    """Declare a function as a verb of the command; click's decorators below this one declare its options.

    `examples` are commands to copy, which the tests run; `nothing` says what exit code 1 means.
    """
    return click.command(cls=Verb, examples=examples, nothing=nothing)


def codes_help(codes: Mapping[int, str] = CODES) -> str:
    """Return exit codes as the help of a command shows them."""
    return "\b\nExit codes:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in codes.items())


class Seconds(click.FloatRange):
    """A number of seconds as an option takes it: unlike click's range, it refuses `nan`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        seconds = float(super().convert(value, param, ctx))
        if isnan(seconds):
            self.fail("nan is no number of seconds.", param, ctx)
        return seconds


def say(line: str) -> None:
    """Print a line for people, on standard error; that nobody reads it is no error."""
    with suppress(OSError, AttributeError):  # the latter where it is closed
        sys.stderr.write(f"{printable(line)}\n")
        sys.stderr.flush()


def printable(text: str) -> str:
    r"""Return a text without what would change the terminal: names of files and headers of servers may hold it.

    >>> printable("a\x1b[2J.html: née")
    'a\\x1b[2J.html: née'
    """
    return "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in text)


class CleanLog(logging.Filter):
    """Cleans each line of the log, whoever writes it, and its traceback."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self.clean = clean

    def filter(self, record: logging.LogRecord) -> bool:
        """Clean a record; return `True`."""
        if record.exc_info:
            found = record.exc_text or "".join(format_exception(*record.exc_info)).rstrip()
            record.exc_text = self.clean(found)
        message = record.getMessage()
        if (clean := self.clean(message)) != message:
            record.msg, record.args = clean, None
        return True


def console(width: int | None = WIDTH, **options: Any) -> Console:
    """Return a console on standard output, see `console_for`."""
    return console_for(sys.stdout, width, **options)


def console_for(stream: IO[str], width: int | None, *, kind: type[Console] | None = None, **options: Any) -> Console:
    """Return a console as wide as `COLUMNS` or else the terminal says; without either, `width` columns.

    A `width` of `None` leaves it to rich. With `NO_COLOR` there are no colours, and no bold or dim text either:
    see https://no-color.org, which leaves the latter open, and who sets it wants plain text.
    """
    from rich.console import Console  # noqa: PLC0415 - as the module says

    is_known = os.environ.get("COLUMNS", "").isdigit() or stream.isatty()
    if os.environ.get("NO_COLOR"):
        options["color_system"] = None
    return (kind or Console)(file=stream, width=None if is_known else width, **options)


def table(*columns: Any, **options: Any) -> Table:
    """Return a table as all verbs print it; the columns are names, or those of rich."""
    from rich.box import SIMPLE  # noqa: PLC0415 - likewise
    from rich.table import Table  # noqa: PLC0415 - likewise

    return Table(*columns, box=SIMPLE, **options)


def progress(items: Iterable[_T], name: str, count: int | None = None) -> Iterator[_T]:
    """Yield the items, with a bar on standard error if that is a terminal; what is printed meanwhile replaces it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    with click.progressbar(items, count, name, show_pos=True, file=sys.stderr) as bar:
        for item in bar:
            click.echo("\r\x1b[K", err=True, nl=False)
            yield item


def prepare_streams() -> None:
    """Print UTF-8 whatever the terminal's language: a file of articles in UTF-8 is what every reader expects."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace", newline="\n")


def drop_the_rest(stream: IO[Any] | None) -> None:
    """Keep Python from writing what is left once more when it ends, which would change the exit code to 120."""
    with suppress(OSError, AttributeError):  # a closed stream has no number
        null = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        finally:
            os.close(null)


def heed_interrupts() -> None:
    """Let SIGINT raise `KeyboardInterrupt`, also if the parent ignores it, as a shell does for background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def until_stopped() -> Iterator[Callable[[float], bool]]:
    """Give a function that waits some seconds, and returns whether SIGINT or SIGTERM have come meanwhile."""
    import threading  # noqa: PLC0415 - few wait

    end = threading.Event()
    before = {number: signal.signal(number, lambda *_: end.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield end.wait
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
