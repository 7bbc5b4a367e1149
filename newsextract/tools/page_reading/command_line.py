"""The command `newsextract`: articles of pages, without a Scrapy project."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newsextract.command_help import complete
from newsextract.command_streams import tolerant_errors, whole_or_piped
from newsextract.interrupts import INTERRUPTED, TOLD
from newsextract.reading.extraction_options import named_value
from newsextract.tools.page_reading.outputs import FileEach, OneStream
from newsextract.tools.page_reading.page_forms import FORMS
from newsextract.tools.page_reading.page_sources import STANDARD_INPUT, is_url, sources_of
from newsextract.tools.page_reading.page_tasks import Wish, read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from newsextract.reading.rules import SiteRules
    from newsextract.tools.page_reading.outputs import Output
    from newsextract.tools.page_reading.page_sources import Source
    from newsextract.tools.page_reading.page_tasks import Outcome

MAX_SECONDS = 86_400.0

ALL_WELL, SOME_FAILED, USAGE = 0, 1, 2
"""The exit codes."""

_DETAILS = """Print the articles of pages: files, folders of .html files, URLs, or - for standard input.

robots.txt is obeyed, and private addresses are not fetched. To crawl a site, see `scrapy crawl news`."""
_EXAMPLES = (
    "newsextract https://example.com/story.html",
    "newsextract story.html --format markdown",
    "newsextract pages --format jsonl > articles.jsonl",
)
_EXIT_CODES = {
    ALL_WELL: "all pages were read",
    SOME_FAILED: "some pages cannot be read, or have no article",
    USAGE: "a wrong argument",
    INTERRUPTED: "Ctrl-C",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    options = make_parser(is_helping="-h" in given or "--help" in given).parse_args(given)
    try:
        _check(options)
        rules = rules_option(options)
        sources = list(sources_of(options.pages, options.url))
    except (ValueError, OSError) as error:
        return _refuse(str(error))
    code = ALL_WELL
    try:
        with whole_or_piped("newsextract"):
            code = _read(sources, options, rules)
    except KeyboardInterrupt:
        with tolerant_errors():
            print(TOLD, file=sys.stderr)  # noqa: T201 - it is a command
        return INTERRUPTED
    return code


def make_parser(*, is_helping: bool = False) -> argparse.ArgumentParser:
    """Return the parser of the arguments; its help names the extractors, which are slow to import, only if asked."""
    parser = argparse.ArgumentParser("newsextract", usage="%(prog)s [options] PAGE ...", description=_DETAILS)
    parser.add_argument("pages", nargs="+", metavar="PAGE", help="a file, a folder, a URL, or - for standard input")
    parser.add_argument("--version", action=_Version, help="print the version")
    names: tuple[str, ...] = ()
    if is_helping:
        from newsextract import extractor_names  # noqa: PLC0415 - as the docstring says

        names = extractor_names()
    add_extraction_options(parser.add_argument_group("extraction"), names)
    group = parser.add_argument_group("output")
    group.add_argument("-o", "--output", type=Path, metavar="DIR", help="write a file for each page into this folder")
    group.add_argument("--overwrite", action="store_true", help="replace files that are there already")
    group.add_argument("--jobs", type=int, metavar="N", help="processes for several pages (default: one a processor)")
    group.add_argument(
        "--timeout", type=float, default=30.0, metavar="SECONDS", help="to fetch a page, and to read one (default: 30)"
    )
    group.add_argument(
        "--private", default="", metavar="HOSTS", help="private addresses that may be fetched: hosts and networks"
    )
    complete(parser, _EXAMPLES, _EXIT_CODES)
    return parser


def add_extraction_options(group: Any, names: Sequence[str]) -> None:
    """Add the options that `newsextract` and `scrapy extract` share; `names` are the extractors that the help lists."""
    group.add_argument("--format", choices=sorted(FORMS), default="text", help="what to print (default: text)")
    group.add_argument("-x", "--extractor", metavar="NAME", help=f"one of {', '.join(names)} (default: auto)")
    group.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the extractor, as version=2"
    )
    group.add_argument("--url", help="the page's own URL, for a file or standard input")
    group.add_argument(
        "--prefer", choices=("balance", "precision", "recall"), default="balance",
        help="leave out what is doubtful (precision), or keep it (recall)",
    )  # fmt: skip
    group.add_argument("--sites", default="", metavar="FILE", help="a sites.yml, for its rules")
    group.add_argument("--min-words", type=int, default=0, metavar="N", help="a shorter body counts as none")
    group.add_argument("--comments", action="store_true", help="read the comments of readers, for JSON and CSV")
    for name in ("tables", "links", "images"):
        group.add_argument(f"--no-{name}", dest=name, action="store_false", help=f"leave out {name}")


def extraction_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of `ExtractionOptions` that the arguments give."""
    names = ("tables", "links", "images", "prefer", "min_words", "comments")
    return {name: getattr(options, name) for name in names}


def rules_option(options: argparse.Namespace) -> dict[str, SiteRules]:
    """Return the rules of the sites of `--sites`, by host; raises `ValueError` for a list that cannot be read."""
    if not options.sites:
        return {}
    from newsextract.sites.site import rules_of  # noqa: PLC0415 - rarely given
    from newsextract.sites.site_list import read_sites  # noqa: PLC0415 - likewise

    return rules_of(read_sites(options.sites))


def extractor_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the extractor's own options that the arguments give; raises `ValueError` for what is none."""
    return dict(map(named_value, options.option))


def _check(options: argparse.Namespace) -> None:
    """Raise `ValueError` for arguments that do not go together."""
    if options.pages.count(STANDARD_INPUT) > 1:
        raise ValueError("-: standard input is one page")
    if options.url and (len(options.pages) > 1 or is_url(options.pages[0]) or os.path.isdir(options.pages[0])):  # noqa: PTH112 - as in `sources_of`
        raise ValueError("--url is the URL of one page, from a file or standard input")
    if options.jobs is not None and options.jobs < 1:
        raise ValueError("--jobs is a number of processes, 1 or more")
    extractor_options(options)
    if not 0 < options.timeout <= MAX_SECONDS:
        raise ValueError("--timeout is a number of seconds above 0, and at most a day")
    if options.overwrite and not options.output:
        raise ValueError("--overwrite is of files; -o names their folder")
    if options.output and options.output.exists() and not options.output.is_dir():
        raise ValueError(f"-o: {options.output} is a file, not a folder")
    if options.private:
        from newsextract.sites.private_addresses import AddressPolicy  # noqa: PLC0415 - rarely given

        AddressPolicy.parse(options.private)


def _read(sources: list[Source], options: argparse.Namespace, rules: Mapping[str, SiteRules]) -> int:
    """Read all pages, write them, and return the exit code."""
    extractor = options.extractor or "auto"
    own = extractor_options(options)
    wish = Wish(
        options.format, extractor, extraction_options(options), own, options.timeout, options.private, rules
    )  # fmt: skip
    are_several = len(sources) > 1 or os.path.isdir(options.pages[0])  # noqa: PTH112 - as in `sources_of`
    jobs = min(options.jobs or os.cpu_count() or 1, len(sources)) if len(sources) > 1 else 0
    output = _output(sources, options, are_several=are_several)
    failed = 0
    with _telling(len(sources)) as tell, closing(read_all(sources, wish, jobs)) as outcomes:
        for outcome in outcomes:
            if outcome.is_usage:
                return _refuse(str(outcome.error))
            error = _written(outcome, output)
            failed += error is not None
            tell(_printable(f"{outcome.source.name}: {error}") if error else None)
    output.close()
    return SOME_FAILED if failed else ALL_WELL


def _output(sources: list[Source], options: argparse.Namespace, *, are_several: bool) -> Output:
    form = FORMS[options.format]
    if options.output:
        return FileEach(options.output, form, sources, options.overwrite)
    return OneStream(sys.stdout, form, are_several)


def _written(outcome: Outcome, output: Output) -> str | None:
    """Write an article; return the error of its page, or of its file."""
    if outcome.written is not None:
        try:
            output.write(outcome.source, outcome.written)
        except OSError as error:
            if isinstance(output, OneStream):  # which takes no other page either
                raise
            return str(error)
    return outcome.error


def _printable(message: str) -> str:
    r"""Return a message without what would change the terminal: names of files and headers of servers may hold it.

    >>> _printable("a\x1b[2J.html: née")
    'a\\x1b[2J.html: née'
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in message)


def _refuse(message: str) -> int:
    print(f"newsextract: {message}", file=sys.stderr)  # noqa: T201 - it is a command
    return USAGE


@contextmanager
def _telling(count: int) -> Iterator[Callable[[str | None], None]]:
    """Give a function that notes a page, and prints its error if it has one; a bar on terminals."""
    if count < 2 or not sys.stderr.isatty():
        yield lambda error: print(error, file=sys.stderr) if error else None  # noqa: T201 - likewise
        return
    from rich.console import Console  # noqa: PLC0415 - only for people
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("pages", total=count)

        def tell(error: str | None) -> None:
            if error:
                progress.console.print(error, markup=False, highlight=False)
            progress.advance(task)

        yield tell


class _Version(argparse.Action):
    """Prints the version, which is looked up only then."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:  # noqa: A002 - argparse's
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        import newsextract  # noqa: PLC0415 - as the docstring says

        with whole_or_piped("newsextract"):
            print(f"newsextract {newsextract.__version__}")  # noqa: T201 - likewise
        parser.exit()
