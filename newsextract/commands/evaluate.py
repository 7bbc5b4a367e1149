"""`scrapy evaluate`: measures extractors on annotated pages."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import Namespace
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from newsextract.commands.command_frame import Described, console, option_of, refusing
from newsextract.reading.extraction.contract import BadExtractorOption, UnknownExtractor

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Mapping, Sequence

    from newsextract.evaluation.contest import PageResult
    from newsextract.evaluation.corpora import BadRecord
    from newsextract.evaluation.judging import JudgedPage, Run
    from newsextract.evaluation.results import GroupKind, Results

BAD_RECORDS = 3
"""Exit code if broken records were skipped; the figures are those of the others."""

NOTHING_MEASURED = 1
"""Exit code if no page could be judged."""

GROUPS: tuple[GroupKind, ...] = ("corpus", "language", "site")

_Name = TypeVar("_Name", bound=str)
_Page = TypeVar("_Page", bound="JudgedPage")


class Command(Described, ScrapyCommand):
    """Compares extractors on corpora."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}
    usage = "[options] <CORPUS> ..."
    summary = "Compare extractors on annotated pages"
    details = (
        "CORPUS is a .jsonl (.gz, .xz) file, a folder with html/ and gold/, one with ground-truth.json and html/, "
        "or one of NAME.json and NAME.html.gz pairs."
    )
    examples = (
        "scrapy evaluate corpus.jsonl -x auto,eatiht:version=2",
        "scrapy evaluate corpus.jsonl --by site --html report.html",
    )
    exit_codes: ClassVar[Mapping[int, str]] = {
        0: "all pages were judged",
        BAD_RECORDS: "broken records were left out",
        NOTHING_MEASURED: "no page could be judged",
    }

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's own options."""
        from newsextract.evaluation.papers import PAPERS  # noqa: PLC0415 - Scrapy imports every command
        from newsextract.reading.extraction.contract import extractor_names  # noqa: PLC0415 - likewise

        super().add_options(parser)
        parser.add_argument(
            "-x",
            "--extractors",
            metavar="NAMES",
            help=f"of {', '.join(extractor_names())}; all by default, each perhaps with options, as in"
            " eatiht:version=2,mss:scores=model. With --metadata, of newsextract, trafilatura, readability",
        )
        parser.add_argument(
            "--paper",
            metavar="NAME",
            help=f"print a document's tables; CORPUS is a folder of corpora. One of {', '.join(PAPERS)}",
        )
        parser.add_argument(
            "--measures", metavar="NAMES", help="the columns, as cosine,exactitude, with a table by group each"
        )
        parser.add_argument(
            "--by", default="corpus", metavar="NAMES", help=f"tables by {', '.join(GROUPS)} (default: corpus)"
        )
        parser.add_argument("--json", type=Path, metavar="FILE", help="write all results there")
        parser.add_argument("--html", type=Path, metavar="FILE", help="write a report for people there")
        parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of the scores there")
        parser.add_argument(
            "--statistics", action="store_true", help="count the paragraphs, lines, words and characters too"
        )
        parser.add_argument(
            "--metadata", action="store_true", help="judge headline, date, authors and kind, not bodies"
        )
        parser.add_argument("--cases", type=Path, metavar="FILE", help="write the differences from the gold there")
        parser.add_argument("--page-type", metavar="TYPE", help="of pages whose type is known, judge only this one")
        parser.add_argument("--split", metavar="NAMES", default="", help="corpora to take apart by language")
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: 1)")
        parser.add_argument("--seconds", type=float, default=10.0, help="allowed per page and extractor (default: 10)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Judge, print the tables, write the reports."""
        if not args:
            raise UsageError("name at least one corpus: scrapy evaluate my-pages.jsonl")
        if opts.jobs < 1 or opts.seconds <= 0:
            raise UsageError("--jobs and --seconds must be above 0")
        if opts.cases and not opts.metadata:
            raise UsageError("--cases is of metadata; add --metadata")
        _check_modules(opts)
        from newsextract.evaluation.corpora import CorpusError  # noqa: PLC0415 - needs the extra

        with refusing(CorpusError, UnknownExtractor, BadExtractorOption):
            paths = [Path(arg) for arg in args]
            self.exitcode = _paper(paths, opts) if opts.paper else _evaluate(paths, opts)


def _check_modules(opts: argparse.Namespace) -> None:
    try:
        import newsextract.evaluation.results  # noqa: PLC0415 - needs the extra

        if opts.html:
            import newsextract.evaluation.report_html  # noqa: F401, PLC0415 - rather now than after an hour of judging
    except ModuleNotFoundError as error:
        raise UsageError(f"needs the module {error.name}: pip install 'newsextract[evaluate]'") from error


def _evaluate(paths: Sequence[Path], opts: argparse.Namespace) -> int:
    groups = _names(opts.by, GROUPS, "--by")
    return (_metadata if opts.metadata else _bodies)(paths, groups, opts)


def _paper(paths: Sequence[Path], opts: argparse.Namespace) -> int:
    """Print the tables of a document; return the last exit code that is not 0."""
    from newsextract.evaluation.papers import PAPERS  # noqa: PLC0415 - Scrapy imports every command

    (name,) = _names(opts.paper, tuple(PAPERS), "--paper")[:1]
    codes = []
    for run in PAPERS[name]:
        console().print(f"{name}: {run.shows}")
        codes.append(_evaluate(run.paths(paths[0]), Namespace(**{**vars(opts), **asdict(run)})))
    return next((code for code in reversed(codes) if code), 0)


def _bodies(paths: Sequence[Path], groups: Sequence[GroupKind], opts: argparse.Namespace) -> int:
    """Evaluate extractors; return the exit code."""
    from newsextract.evaluation.contest import run_contest  # noqa: PLC0415 - needs the extra
    from newsextract.evaluation.results import assemble  # noqa: PLC0415 - needs the extra
    from newsextract.reading.extraction.contract import extractor_names  # noqa: PLC0415 - Scrapy imports every command

    extractors: list[str] = _names(opts.extractors or ",".join(extractor_names()), None, "-x")
    options = {called: dict(option_of(each, "-x") for each in called.split(":")[1:]) for called in extractors}
    run = _judged(partial(run_contest, paths, options), opts)
    results = assemble(run, extractors, _command_line())
    _print(results, run, groups, opts)
    _write(results, opts)
    if not any(results["summary"][name]["all"]["measures"] for name in extractors):
        print("nothing was measured: no page has a gold text or snippets to compare with", file=sys.stderr)
        return NOTHING_MEASURED
    return _told(run.bad_records)


def _metadata(paths: Sequence[Path], groups: Sequence[GroupKind], opts: argparse.Namespace) -> int:
    """Evaluate readers of metadata; return the exit code."""
    from newsextract.commands import evaluate_metadata as side  # noqa: PLC0415 - needs the extra
    from newsextract.evaluation.metadata_results import assemble_metadata, run_metadata  # noqa: PLC0415 - likewise

    readers = side.chosen_readers(opts)
    run = _judged(partial(run_metadata, paths, readers), opts)
    results = assemble_metadata(run, readers, _command_line())
    code = _told(run.bad_records)
    if not side.is_anything_measured(results):
        return NOTHING_MEASURED
    side.print_metadata(results, groups, console())
    side.write_metadata(results, opts)
    return code


def _names(value: str, allowed: Sequence[_Name] | None, option: str) -> list[_Name]:
    names = [cast("_Name", name.strip()) for name in value.split(",") if name.strip()]
    wrong = [name for name in names if allowed is not None and name not in allowed]
    if wrong or not names:
        raise UsageError(f"{option}: {', '.join(wrong) or 'nothing'} is not among {', '.join(allowed or ())}")
    return names


def _judged(judge: Callable[..., Run[_Page]], opts: argparse.Namespace) -> Run[_Page]:
    """Return the results of a run, showing its progress."""
    from newsextract.evaluation.judging import Limits  # noqa: PLC0415 - needs the extra

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    errors = Console(stderr=True)
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        task = bar.add_task("pages", total=None)
        limits = Limits(opts.seconds, opts.page_type)
        run = judge(jobs=opts.jobs, limits=limits, on_page=lambda _: bar.advance(task))
    run.split_languages({name.strip() for name in opts.split.split(",")})
    return run


def _told(bad_records: Sequence[BadRecord]) -> int:
    """Print which records were skipped, and return the exit code."""
    for record in bad_records:
        print(f"skipped: {record.place}: {record.reason}", file=sys.stderr)
    return BAD_RECORDS if bad_records else 0


def _command_line() -> str:
    return f"scrapy evaluate {shlex.join(sys.argv[2:])}"


def _print(results: Results, run: Run[PageResult], groups: Sequence[GroupKind], opts: argparse.Namespace) -> None:
    from newsextract.evaluation.report_tables import group_table, summary_table  # noqa: PLC0415 - needs the extra

    terminal = console()
    measures = _names(opts.measures, results["measures"], "--measures") if opts.measures else []
    terminal.print(summary_table(results, measures))
    for by in groups:
        for measure in measures or ("token_f1",):
            terminal.print(group_table(results, by, measure))
    if opts.statistics:
        from newsextract.evaluation.corpus_statistics import tables, total  # noqa: PLC0415 - needs the extra

        for table in tables(total(page.statistics for page in run.pages)):
            terminal.print(table)


def _write(results: Results, opts: argparse.Namespace) -> None:
    if opts.json:
        opts.json.write_text(json.dumps(results, ensure_ascii=False))
    if opts.html:
        from newsextract.evaluation.report_html import write_html  # noqa: PLC0415 - needs the extra

        write_html(results, opts.html)
    if opts.markdown:
        from newsextract.evaluation.report_tables import markdown_table  # noqa: PLC0415 - needs the extra

        opts.markdown.write_text(markdown_table(results))
