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
from pathlib import Path
from traceback import format_exception
from typing import IO, TYPE_CHECKING, Any, TextIO, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import Console, RenderableType
    from rich.table import Table

    Listing = tuple[str, Callable[[], list[tuple[str, str]]]] | None

EXTRAS = {
    "aiohttp": "archive", "backports": "archive", "boilerpy3": "evaluate", "brotli": "archive",
    "feedparser": "crawl", "form2request": "crawl", "fsspec": "archive", "jinja2": "evaluate", "kombu": "broker",
    "lark": "crawl", "mcp": "mcp", "mcp_types": "mcp", "playwright": "render", "psycopg": "postgres",
    "pyarrow": "archive", "pydantic": "crawl",
    "pymysql": "mysql", "rapidfuzz": "evaluate", "ray": "ray", "readability": "evaluate",
    "rfc3161_client": "evidence", "rich": "crawl",
    "ruamel": "crawl", "scrapy": "crawl", "scrapyd": "scrapyd", "sklearn": "evaluate", "sqlalchemy": "crawl",
    "starlette": "desk", "trafilatura": "evaluate", "twisted": "crawl", "uvicorn": "desk", "warcio": "crawl",
}  # fmt: skip
"""The extra that brings each module."""

DONE, NOTHING, USAGE, INTERRUPTED = 0, 1, 2, 130
"""Exit codes of every verb."""

CODES = {
    DONE: "done",
    NOTHING: "done, but nothing was found, a page was not read, or messages are left",
    USAGE: "a wrong argument or setting, or a package that is missing",
    INTERRUPTED: "Ctrl-C",
}

WIDTH = 120
"""Columns of a table if there is no terminal to ask."""
_MOST_COLUMNS = 400


_T = TypeVar("_T")


class Refusal(ValueError):  # noqa: N818 - the name says that it is an error
    """A wrong argument, option or surrounding: the message says in one sentence what would be right."""


class Verb(click.Command):
    """A verb of the command, whose help ends with examples and the exit codes."""

    def __init__(
        self, *arguments: Any, examples: tuple[str, ...], nothing: str, listing: Listing = None, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.examples = examples
        self.listing = listing
        self.exit_codes = {code: meaning for code, meaning in (CODES | {NOTHING: nothing}).items() if meaning}
        shown = "\n".join(f"  {line}" for line in examples)
        self.epilog = f"\b\nExamples:\n{shown}\n\n{codes_help(self.exit_codes)}"

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what is listed, then the examples and the exit codes."""
        if self.listing:
            heading, list_all = self.listing
            with formatter.section(heading):
                formatter.write_dl(list_all())
        super().format_epilog(ctx, formatter)


def verb(*examples: str, nothing: str = "", listing: Listing = None) -> Callable[[Callable[..., int]], Verb]:
    """Declare a function as a verb of the command; click's decorators below this one declare its options.

    `examples` are commands to copy, which the tests run; `nothing` says what exit code 1 means; `listing` is the
    heading of a list in its help, and a function that returns the list.
    """
    return click.command(cls=Verb, examples=examples, nothing=nothing, listing=listing)


def codes_help(codes: Mapping[int, str] = CODES) -> str:
    """Return exit codes as the help of a command shows them."""
    return "\b\nExit codes:\n" + "\n".join(f"  {code:<3}  {meaning}" for code, meaning in codes.items())


class FileToWrite(click.ParamType[Path]):
    """A file that an option names for results, which would be lost if it could not be written at the end."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the path; its folder is there."""
        path = Path(value)
        if path.is_dir():
            self.fail(f"{path} is a folder; name a file in it", param, ctx)
        if not path.absolute().parent.is_dir():
            self.fail(f"there is no folder {path.parent}", param, ctx)
        if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            self.fail(f"{path} cannot be written: permission denied", param, ctx)
        return path


def say(line: str) -> None:
    """Print a line for people, on standard error; that nobody reads it is no error."""
    with suppress(OSError, AttributeError):  # the latter where it is closed
        sys.stderr.write(f"{printable(line)}\n")
        sys.stderr.flush()


def why(error: BaseException) -> str:
    """Return what an error says; of one of the system, the file and what is wrong, without a number.

    >>> why(FileNotFoundError(2, "No such file or directory", "news.db"))
    'news.db: no such file or directory'
    """
    if isinstance(error, OSError) and error.strerror:
        return ": ".join(str(each) for each in (error.filename, error.strerror.lower()) if each)
    return str(error)


def standard_input() -> TextIO:
    """Return standard input; raises `Refusal` where the caller has closed it."""
    if sys.stdin is None:
        raise Refusal("standard input is closed: give a file, or pipe something into the command")
    return sys.stdin


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
    """Return a table as all verbs print it; the columns are names, or those of rich, of which one may be folded."""
    from rich.box import SIMPLE  # noqa: PLC0415 - likewise
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    made = [Column(each, no_wrap=True) if isinstance(each, str) else each for each in columns]
    return Table(*made, box=SIMPLE, **options)


def show(terminal: Console, *shown: RenderableType) -> None:
    """Print tables and texts that are folded at spaces only.

    What has longer words than fit is wider than the terminal: a long line can be read and copied, a cut URL cannot.
    """
    width = terminal.width
    for each in shown:
        terminal.width = max(width, _least_columns(terminal, each))
        terminal.print(each)
        terminal.width = width


def _least_columns(terminal: Console, shown: RenderableType) -> int:
    from rich.measure import measure_renderables  # noqa: PLC0415 - as the module says
    from rich.table import Table  # noqa: PLC0415 - likewise

    options = terminal.options.update(width=_MOST_COLUMNS)
    whole = terminal.measure(shown, options=options)
    if not isinstance(shown, Table):
        return whole.minimum
    # rich's minimum of a table does not heed which columns are never folded.
    folded = [[each.header, *each.cells] for each in shown.columns if not each.no_wrap]
    return whole.maximum - sum(measure_renderables(terminal, options, cells).span for cells in folded)


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
