"""`scrapy compare`: what each extractor keeps of a page, side by side, in the terminal and as an HTML report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, refusing
from newsextract.commands.preflight import check_urls
from newsextract.page.page import Page, PageError
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor
from newsextract.tools.page_downloads import Wanted, download
from newsextract.tools.page_reading.page_tasks import why_unread

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.reading.extraction.contract import Extractor
    from newsextract.tools.comparing.comparison import Source

NOT_READ = 1
"""Exit code if a page cannot be read; the others are compared even so."""

_WEB = ("http://", "https://")


class Command(Described, ScrapyCommand):
    """Compares extractors on one or more pages."""

    requires_project = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_LEVEL": "WARNING"}
    usage = "[options] <URL|FILE|-> ..."
    summary = "Show what each extractor keeps of a page, side by side"
    details = "Prints how far they agree; --html writes a report with the pages in colour."
    examples = (
        "scrapy compare https://example.com/story.html",
        "scrapy compare story.html -x auto,mss --html out.html",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "all pages were compared",
        NOT_READ: "a page cannot be read; the others are compared",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        parser.add_argument(
            "-x", "--extractors", metavar="NAMES", help="as in auto,mss (default: all that read a page alone)"
        )
        parser.add_argument("--html", type=Path, metavar="FILE", help="write the pages in colour there, as one file")
        parser.add_argument("--with-styles", action="store_true", help="fetch the style sheets that the pages link")
        parser.add_argument("--url", help="the page's own URL, for a file or standard input")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set the log level to warnings, unless another is given: one page needs no report."""
        if self.settings:
            self.settings.set("LOG_LEVEL", "WARNING", "cmdline")
        super().process_options(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the pages, ask the extractors, print the figures and write the report."""
        # Not above: Scrapy imports every command.
        from newsextract.tools.comparing.comparison import compare, write_report_page  # noqa: PLC0415
        from newsextract.tools.comparing.summary import summarise  # noqa: PLC0415

        if not args:
            raise UsageError("name pages, URLs, files, or - for standard input: scrapy compare page.html")
        check_urls(*args, opts.url)
        if opts.url and len(args) > 1:
            raise UsageError("--url: it is the address of one page, and there are several")
        if opts.html and not opts.html.absolute().parent.is_dir():
            raise UsageError(f"--html: there is no folder {opts.html.parent}", print_help=False)
        if opts.html and opts.html.is_dir():
            raise UsageError(f"--html: {opts.html} is a folder, not a file", print_help=False)
        extractors = _extractors(opts.extractors)
        compared = [compare(source, extractors) for source in self._sources(args, opts)]
        if not compared:
            return
        _print_summary(compared, summarise(compared))
        for result in compared:
            _print(result)
        if opts.html:
            write_report_page(compared, opts.html)

    def _sources(self, names: Sequence[str], opts: argparse.Namespace) -> list[Source]:
        """Return the pages that can be read, and print why the others cannot."""
        from newsextract.tools.comparing.comparison import Source  # noqa: PLC0415 - likewise

        wanted = [_wanted(name, opts.url) for name in names]
        is_remote = any(one.page is None and one.error is None for one in wanted)
        if is_remote or (opts.with_styles and any(one.page for one in wanted)):
            assert self.crawler_process is not None  # noqa: S101 - Scrapy sets it before it runs a command
            download(self.crawler_process, wanted, with_styles=opts.with_styles)
        for one in wanted:
            if one.error is not None:
                print(f"{one.name}: {one.error}", file=sys.stderr)
                self.exitcode = NOT_READ
        return [Source(one.name, one.page, one.sheets) for one in wanted if one.page is not None]


def _extractors(names: str | None) -> dict[str, Extractor]:
    """Return the extractors that are named, separated by commas.

    Raises:
        UsageError: a name is unknown, or its package is missing.
    """
    from newsextract.reading.extraction.contract import create_extractor  # noqa: PLC0415 - likewise
    from newsextract.tools.comparing.extractor_answers import comparable_names  # noqa: PLC0415 - likewise

    chosen = [name.strip() for name in names.split(",")] if names is not None else comparable_names()
    with refusing(UnknownExtractor, BadExtractorOption, prefix="-x: "):
        return {name: create_extractor(name) for name in chosen}


def _wanted(name: str, url: str | None) -> Wanted:
    """Return the page of a file or of standard input, or for a URL the request to fetch."""
    if name.lower().startswith(_WEB):
        return Wanted(name)
    try:
        return Wanted(name, Page(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes(), url))
    except (PageError, OSError) as error:
        return Wanted(name, error=why_unread(error))


def _print_summary(pages: Sequence[Mapping[str, Any]], summary: Mapping[str, Any]) -> None:
    """Print who agrees with whom, and on which pages they differ most."""
    names = [row["name"] for row in summary["extractors"]]
    voters = [row["name"] for row in summary["extractors"] if row["votes"]]
    print(f"{len(voters)} of {len(names)} extractors have a vote: {', '.join(voters) or 'nobody'}")
    if len(voters) < 2:
        return
    if summary["unanimity"] is not None:
        print(f"unanimous on {summary['unanimity']:.0%} of what any of them kept")
    pairs = summary["pairs"]
    for label, pair in zip(
        ("closest", "farthest apart"), (pairs[0], pairs[-1]) if len(pairs) > 1 else pairs, strict=False
    ):
        print(f"{label}: {names[pair['one']]} and {names[pair['other']]}, token F1 {pair['f1']:.3f}")
    if len(pages) > 1:
        for one in summary["differing"][:3]:
            print(f"differ most: {pages[one['page']]['name']}, unanimous on {one['unanimity']:.0%}")


def _print(result: Mapping[str, Any]) -> None:
    from rich.box import SIMPLE  # noqa: PLC0415 - only where something is printed
    from rich.markup import escape  # noqa: PLC0415 - likewise
    from rich.table import Column, Table  # noqa: PLC0415 - likewise

    right = ("words", "F1 majority", "confidence", "ms")
    columns: list[Column | str] = [
        "extractor",
        *(Column(name, justify="right") for name in right),
        Column("remarks", overflow="fold"),
    ]
    table = Table(*columns, title=escape(f"{result['name']}: {result['title']}"), box=SIMPLE, title_justify="left")
    for row in result["extractors"]:
        figures = [_figure(row["majority"]), _figure(row["confidence"]), f"{row['ms']:.1f}"]
        remarks = escape(
            row["error"] or "; ".join([*filter(None, [row["no_vote"] and f"no vote: {row['no_vote']}"]), *row["notes"]])
        )
        table.add_row(row["name"], str(row["words"]), *figures, remarks)
    console().print(table)
    print(f"{len(result['disputed'])} places where they differ")


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
