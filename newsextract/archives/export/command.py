"""The command `newsextract export`: the articles of a crawl's database as files."""

from __future__ import annotations

import argparse
import sys
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.command_help import complete
from newsextract.command_streams import whole_or_piped
from newsextract.sites.stated_dates import parse_since

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from newsextract.storage.search.article_search import Selection

PROGRAM = "newsextract export"

ALL_WELL, NOTHING_FOUND, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
_EXIT_CODES = {
    ALL_WELL: "all articles that match were written",
    NOTHING_FOUND: "no article matches; nothing was written",
    USAGE: "a wrong argument, or a database that cannot be opened",
    FAILED: "the database or the disk failed; no file or folder was left",
    INTERRUPTED: "interrupted; likewise",
}
_DETAILS = """Write the articles of a crawl's database: as Parquet with a card and Croissant metadata, CSV, JSON Lines,
or Markdown files.

DATABASE is a file of SQLite, or a URL as NEWSEXTRACT_DATABASE has it. The newest articles come first."""
_EXAMPLES = (
    "newsextract export output/newsextract.db > articles.jsonl",
    "newsextract export news.db -q bridge -f csv -o bridges.csv",
    "newsextract export news.db --since 30d -f parquet -o month",
)

_FOLDERS = ("markdown", "parquet")
_DAY_CHARS = len("2026-05-20")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    from newsextract.storage.database import StorageError  # noqa: PLC0415 - slow to import for a help

    options = make_parser().parse_args(sys.argv[2:] if arguments is None else list(arguments))
    try:
        selection = _selection(options, datetime.now(UTC))
        _check(options)
        engine = _opened(options.database)
    except (ValueError, StorageError) as error:
        return _refuse(str(error), USAGE)
    code = ALL_WELL  # also if the reader of standard output has enough, as `head` does
    try:
        with whole_or_piped(PROGRAM, FAILED):
            code = _export(engine, selection, options)
    except StorageError as error:
        return _refuse(str(error), FAILED)
    except KeyboardInterrupt:
        return _refuse("interrupted; nothing was written", INTERRUPTED)
    finally:
        engine.dispose()
    return code


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = argparse.ArgumentParser(PROGRAM, usage="%(prog)s [options] DATABASE", description=_DETAILS)
    parser.add_argument("database", metavar="DATABASE", help="a file of SQLite, or a database URL")
    group = parser.add_argument_group("selection")
    group.add_argument("-q", "--query", default="", help="words, in the language of watch rules")
    group.add_argument("--since", metavar="TIME", help="from a date, a time or an age (30d, 36h) on")
    group.add_argument("--until", metavar="TIME", help="up to a date, which is included, a time or an age")
    group.add_argument(
        "--date", choices=("published", "seen"), default="published",
        help="which date the times are compared with (default: published; where a page states none, seen)",
    )  # fmt: skip
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f", "--format", choices=("csv", "jsonl", "markdown", "parquet"), default="jsonl", metavar="FORM",
        help="csv, jsonl, markdown or parquet (default: jsonl)",
    )  # fmt: skip
    group.add_argument(
        "-o", "--output", type=Path, metavar="PATH",
        help="the file for csv and jsonl (default: standard output), a new folder for markdown and parquet",
    )  # fmt: skip
    group.add_argument("--overwrite", action="store_true", help="replace a file that is there already")
    complete(parser, _EXAMPLES, _EXIT_CODES)
    return parser


def _selection(options: argparse.Namespace, now: datetime) -> Selection:
    """Return which articles are wanted; raises `ValueError` naming the option that is wrong."""
    from newsextract.storage.search.article_search import Selection  # noqa: PLC0415 - as above
    from newsextract.storage.search.queries import parse_query  # noqa: PLC0415

    try:
        if options.query:
            parse_query(options.query)
    except ValueError as error:
        raise ValueError(f"--query: {error}") from error
    first, after = _moment("--since", options.since, now), _moment("--until", options.until, now, is_end=True)
    if first and after and first >= after:
        raise ValueError(f"--since {options.since} is not before --until {options.until}")
    return Selection(options.query, first, after, options.date)


def _moment(option: str, text: str | None, now: datetime, *, is_end: bool = False) -> str:
    """Return a time as the database has it; the end of a day alone is that of the day."""
    if text is None:
        return ""
    try:
        moment = parse_since(text, now)
        if is_end and len(text.strip()) == _DAY_CHARS and date.fromisoformat(text.strip()):
            moment += timedelta(days=1)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{option}: {error}") from error
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def _check(options: argparse.Namespace) -> None:
    """Raise `ValueError` for an output that cannot be."""
    output: Path | None = options.output
    if options.format == "parquet" and find_spec("pyarrow") is None:
        raise ValueError("pyarrow is not installed: pip install 'newsextract[archive]'")
    if options.format in _FOLDERS:
        if output is None:
            raise ValueError(f"--format {options.format} is a folder; name a new one with -o")
        if output.exists() and not (output.is_dir() and not any(output.iterdir())):
            raise ValueError(f"-o: {output} is there already; name a new folder")
    elif output and output.is_dir():
        raise ValueError(f"-o: {output} is a folder; --format {options.format} is a file")
    elif output and output.exists() and not options.overwrite:
        raise ValueError(f"-o: {output} is there already; name another file, or add --overwrite")


def _opened(database: str) -> Any:
    """Return the engine of a database that is there: a mistyped name makes no new one."""
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - as above
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    from newsextract.storage.database import open_engine  # noqa: PLC0415

    url = database if "://" in database else f"sqlite:///{database}"
    if url.startswith("sqlite"):
        try:
            path = make_url(url).database or ""
        except (ArgumentError, ValueError):
            path = ""
        if not Path(path).is_file():
            raise ValueError(f"{path or database} is not a file of SQLite")
    return open_engine(url)


def _export(engine: Any, selection: Selection, options: argparse.Namespace) -> int:
    from newsextract.storage.search.article_search import stream_articles  # noqa: PLC0415 - as above

    with closing(stream_articles(engine, selection)) as rows:
        first = next(rows, None)
        if first is None:
            print(f"{PROGRAM}: no article matches", file=sys.stderr)  # noqa: T201 - of a command
            return NOTHING_FOUND
        count = _written(chain([first], rows), options)
    print(f"{count:,} articles written to {options.output or 'standard output'}", file=sys.stderr)  # noqa: T201 - likewise
    return ALL_WELL


def _written(rows: Iterable[Mapping[str, Any]], options: argparse.Namespace) -> int:
    from newsextract.archives.whole_files import whole_file, whole_folder  # noqa: PLC0415 - as above

    if options.format in _FOLDERS:
        with whole_folder(options.output) as folder:
            return _folder_form(options)(rows, folder)
    from newsextract.storage.export import write_csv, write_json_lines  # noqa: PLC0415

    write = write_csv if options.format == "csv" else write_json_lines
    if options.output is None:
        return write(rows, sys.stdout)
    with whole_file(options.output) as path, path.open("w", encoding="utf-8", newline="") as file:
        return write(rows, file)


def _folder_form(options: argparse.Namespace) -> Callable[[Iterable[Mapping[str, Any]], Path], int]:
    if options.format == "markdown":
        from newsextract.storage.export import write_markdown  # noqa: PLC0415 - as above

        return write_markdown
    from newsextract.archives.export.parquet_tables import write_parquet  # noqa: PLC0415 - pyarrow is an extra

    compared = options.date if options.since or options.until else ""
    told = {"query": options.query, "since": options.since, "until": options.until, "date": compared}
    summary = {name: value for name, value in told.items() if value}
    return lambda rows, folder: write_parquet(rows, folder, summary)


def _refuse(message: str, code: int) -> int:
    print(f"{PROGRAM}: {message}", file=sys.stderr)  # noqa: T201 - of a command
    return code
