"""`scrapy evaluate`: extractors before a judge, on annotated pages."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.extraction import BadExtractorOption, UnknownExtractor, extractor_names

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from newsextract.evaluation.benchmark import Run
    from newsextract.evaluation.results import Results

BAD_RECORDS = 3
"""Exit code of an evaluation that skipped broken records; its figures are those of the others."""

NOTHING_MEASURED = 1
"""Exit code of an evaluation in which no page could be judged."""

GROUPS = ("corpus", "language", "site")


class Command(ScrapyCommand):
    """Compares extractors on corpora."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """Return what follows the command's name."""
        return "[options] CORPUS ..."

    def short_desc(self) -> str:
        """Return the line for the list of commands."""
        return "Compare extractors on annotated pages"

    def long_desc(self) -> str:
        """Return the help text."""
        return (
            "CORPUS is a .jsonl (.gz, .xz) file, a folder with html/ and gold/, one with ground-truth.json and html/, "
            "or one of NAME.json and NAME.html.gz pairs."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        super().add_options(parser)
        group = parser.add_argument_group("Evaluation")
        group.add_argument(
            "-x", "--extractors", metavar="NAMES", help=f"of {','.join(extractor_names())}; all by default"
        )
        group.add_argument("--by", default="corpus", help=f"tables by {', '.join(GROUPS)} (default: corpus)")
        group.add_argument("--json", type=Path, metavar="OUT", help="write all results there")
        group.add_argument("--html", type=Path, metavar="OUT", help="write a report for people there")
        group.add_argument("--markdown", type=Path, metavar="OUT", help="write the table of the scores there")
        group.add_argument(
            "--statistics", action="store_true", help="count the paragraphs, lines, words and characters too"
        )
        group.add_argument("--page-type", metavar="TYPE", help="of pages whose type is known, judge only this one")
        group.add_argument("--split", metavar="NAMES", default="", help="corpora to take apart by language")
        group.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
        group.add_argument("--seconds", type=float, default=10.0, help="allowed per page and extractor (default: 10)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Judge, print the tables, write the reports."""
        groups = _names(opts.by, GROUPS, "--by")
        extractors = _names(opts.extractors or ",".join(extractor_names()), None, "-x")
        if not args:
            raise UsageError("name at least one corpus")
        if opts.jobs < 1 or opts.seconds <= 0:
            raise UsageError("--jobs and --seconds must be above 0")
        try:
            from newsextract.evaluation.assembly import assemble  # noqa: PLC0415 - needs the extra
            from newsextract.evaluation.corpora import CorpusError  # noqa: PLC0415 - likewise

            if opts.html:
                import newsextract.evaluation.svg  # noqa: F401, PLC0415 - rather now than after an hour of judging
        except ModuleNotFoundError as error:
            raise UsageError(f"needs the module {error.name}: pip install 'newsextract[evaluate]'") from error
        try:
            run = _judged([Path(arg) for arg in args], {name: {} for name in extractors}, opts)
        except (CorpusError, UnknownExtractor, BadExtractorOption) as error:
            raise UsageError(str(error), print_help=False) from error
        run.split_languages({name.strip() for name in opts.split.split(",")})
        results = assemble(run, extractors, f"scrapy evaluate {shlex.join(sys.argv[2:])}")
        _print(results, run, groups, opts)
        _write(results, opts)
        self.exitcode = BAD_RECORDS if run.bad_records else 0
        if not any(results["summary"][name]["all"]["measures"] for name in extractors):
            print("nothing was measured: no page has a gold text or snippets to compare with", file=sys.stderr)
            self.exitcode = NOTHING_MEASURED


def _names(value: str, allowed: Sequence[str] | None, option: str) -> list[str]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    wrong = [name for name in names if allowed is not None and name not in allowed]
    if wrong or not names:
        raise UsageError(f"{option}: {', '.join(wrong) or 'nothing'} is not among {', '.join(allowed or ())}")
    return names


def _judged(paths: Sequence[Path], extractors: Mapping[str, Mapping[str, Any]], opts: argparse.Namespace) -> Run:
    from newsextract.evaluation.benchmark import Limits, run_contest  # noqa: PLC0415 - needs the extra

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("pages", total=None)
        return run_contest(
            paths,
            extractors,
            jobs=opts.jobs,
            limits=Limits(opts.seconds, opts.page_type),
            on_page=lambda _: bar.advance(task),
        )


def _print(results: Results, run: Run, groups: Sequence[str], opts: argparse.Namespace) -> None:
    from newsextract.evaluation.report_terminal import group_table, summary_table  # noqa: PLC0415 - needs the extra

    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(summary_table(results))
    for by in groups:
        console.print(group_table(results, by))  # type: ignore[arg-type]
    if opts.statistics:
        from newsextract.evaluation.statistics import tables  # noqa: PLC0415 - needs the extra

        for table in tables(run.statistics):
            console.print(table)
    for record in run.bad_records:
        print(f"skipped: {record.place}: {record.reason}", file=sys.stderr)


def _write(results: Results, opts: argparse.Namespace) -> None:
    if opts.json:
        opts.json.write_text(json.dumps(results, ensure_ascii=False))
    if opts.html:
        from newsextract.evaluation.report_html import write_html  # noqa: PLC0415 - needs the extra

        write_html(results, opts.html)
    if opts.markdown:
        from newsextract.evaluation.report_markdown import markdown_table  # noqa: PLC0415 - needs the extra

        opts.markdown.write_text(markdown_table(results))
