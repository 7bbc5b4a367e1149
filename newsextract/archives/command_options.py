"""The options of `newsextract archive`."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from newsextract.archives.engine.page_limits import PAGE_BYTES, PAGE_SECONDS
from newsextract.command_help import complete
from newsextract.reading.notices import ARTICLE_LIKE, KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping

PROGRAM = "newsextract archive"

DETAILS = """Read the articles of web archives (WARC) into Parquet files, with an account of every record.

INPUT is a WARC file (.warc, .warc.gz, .warc.zst), a folder of them, or a list of paths such as warc.paths.gz; on this
machine, at https:// or at s3://.

The same command again goes on where the last one ended, however it ended. A file of pages that is called `archive` is
./archive."""

EXAMPLES = (
    "newsextract archive CC-NEWS-20260501.warc.gz -o articles",
    "newsextract archive warcs -o may --languages de,fr",
    "newsextract archive warc.paths.gz -o may --hosts sites.yml",
)

MOST_SECONDS, MOST_BYTES = 3600.0, 256 * 1024 * 1024


def make_parser(exit_codes: Mapping[int, str]) -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = argparse.ArgumentParser(PROGRAM, usage="%(prog)s [options] INPUT ... -o FOLDER", description=DETAILS)
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a WARC file, a folder of them, or a list of paths")
    parser.add_argument("--base", metavar="URL", help="where the relative paths of a list begin: a URL or a folder")
    _add_filters(parser.add_argument_group("what is read"))
    _add_reading(parser.add_argument_group("extraction"))
    _add_output(parser.add_argument_group("output"))
    _add_workers(parser.add_argument_group("workers"))
    complete(parser, EXAMPLES, exit_codes)
    return parser


def _add_filters(group: Any) -> None:
    group.add_argument(
        "--hosts", default="", metavar="HOSTS", help="only these hosts, or the sites of sites.yml, by its rules"
    )
    group.add_argument("--languages", type=_names, default=(), metavar="TAGS", help="only these languages: de,fr")
    group.add_argument("--since", default="", metavar="TIME", help="archived since a date, or for so long: 30d")
    group.add_argument("--until", default="", metavar="TIME", help="archived until a date, which is included")
    group.add_argument(
        "--statuses", type=_names, default=("200",), metavar="CODES", help="HTTP: 200, 2xx, 200-299 (default: 200)"
    )
    group.add_argument("--types", type=_names, default=(), metavar="TYPES", help="only these content types")
    group.add_argument("--url", action="append", default=[], metavar="REGEX", help="only URLs that it is found in")
    group.add_argument("--not-url", action="append", default=[], metavar="REGEX", help="no URLs that it is found in")
    group.add_argument(
        "--kinds", type=_names, default=ARTICLE_LIKE, metavar="KINDS",
        help=f"of {', '.join(KINDS)} (default: {','.join(ARTICLE_LIKE)})",
    )  # fmt: skip


def _add_reading(group: Any) -> None:
    group.add_argument("-x", "--extractor", default="auto", metavar="NAME", help="the extractor (default: auto)")
    group.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the extractor, as version=2"
    )
    group.add_argument("--markdown", action="store_true", help="write the text as Markdown, too")
    group.add_argument("--comments", action="store_true", help="read the comments of readers")
    group.add_argument(
        "--page-seconds", type=_number, default=PAGE_SECONDS, metavar="S",
        help=f"kill a page that takes longer (default: {PAGE_SECONDS:g})",
    )  # fmt: skip
    group.add_argument(
        "--page-bytes", type=int, default=PAGE_BYTES, metavar="N",
        help=f"a larger page counts as damaged (default: {PAGE_BYTES})",
    )  # fmt: skip


def _add_output(group: Any) -> None:
    group.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where the tables are written")
    group.add_argument(
        "--drop-duplicates", action="store_true", help="leave exact and near duplicates out, instead of flagging them"
    )


def _add_workers(group: Any) -> None:
    group.add_argument("--jobs", type=int, metavar="N", help="files read at once (default: one a processor)")
    group.add_argument(
        "--engine", choices=("ray", "processes"), help="what runs the workers (default: ray if it is installed)"
    )
    group.add_argument("--address", metavar="ADDRESS", help="a running Ray cluster, instead of one on this machine")


def check(options: argparse.Namespace) -> None:
    """Raise `ValueError`, which names the option, for arguments that mean nothing."""
    if options.jobs is not None and options.jobs < 1:
        raise ValueError("--jobs is a number of files, 1 or more")
    if not 0 < options.page_seconds <= MOST_SECONDS:
        raise ValueError(f"--page-seconds is a number of seconds above 0, at most {MOST_SECONDS:g}")
    if not 0 < options.page_bytes <= MOST_BYTES:
        raise ValueError(f"--page-bytes is a number of bytes above 0, at most {MOST_BYTES}")
    if options.address and options.engine == "processes":
        raise ValueError("--address is that of a Ray cluster; --engine processes knows none")
    if options.output and os.path.isfile(options.output):  # noqa: PTH113 - as it is written
        raise ValueError(f"-o: {options.output} is a file, not a folder")


def _names(written: str) -> tuple[str, ...]:
    return tuple(name for part in written.split(",") if (name := part.strip()))


def _number(written: str) -> float:
    try:
        return float(written)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{written!r} is not a number") from error
