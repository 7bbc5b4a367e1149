"""The verbs for annotated pages: `evaluate` compares extractors and readers of metadata, `template` groups pages."""

from __future__ import annotations

import json as json_form
import shlex
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from newsextract.terminal import DONE, NOTHING, Refusal, console, console_for, say, table, verb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.evaluation.corpora import BadRecord
    from newsextract.evaluation.judging import Run
    from newsextract.evaluation.metadata_contest import MetadataResults
    from newsextract.evaluation.results import GroupKind, Results
    from newsextract.evaluation.site_structures import SiteStructure

GROUPS: tuple[GroupKind, ...] = ("corpus", "language", "site")


@dataclass(frozen=True)
class Plan:
    """What is to be judged, how, and where the results go."""

    extractors: str | None
    measures: str
    by: str
    json: Path | None
    html: Path | None
    markdown: Path | None
    cases: Path | None
    metadata: bool
    page_type: str | None
    split: str
    jobs: int
    seconds: float


@verb(
    "newsextract evaluate corpus.jsonl -x auto,eatiht:version=2",
    "newsextract evaluate corpus.jsonl --by site --html report.html",
    nothing="no page could be judged, or broken records were left out",
)
def evaluate(
    corpora: Annotated[list[Path], typer.Argument(metavar="CORPUS", help="files and folders of annotated pages")],
    extractors: Annotated[
        str | None,
        typer.Option(
            "-x",
            "--extractors",
            metavar="NAMES",
            help="all by default; each perhaps with options, as in eatiht:version=2,mss:scores=model. With --metadata,"
            " of newsextract, trafilatura, readability",
        ),
    ] = None,
    measures: Annotated[str, typer.Option(metavar="NAMES", help="the columns, as cosine,exactitude")] = "",
    by: Annotated[str, typer.Option(metavar="NAMES", help=f"tables by {', '.join(GROUPS)}")] = "corpus",
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="write all results there")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a report for people there")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE", help="write the table of the scores there")] = None,
    metadata: Annotated[
        bool, typer.Option("--metadata", help="judge headline, date, authors and kind, not bodies")
    ] = False,
    cases: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write the differences from the gold there")
    ] = None,
    page_type: Annotated[
        str | None, typer.Option(metavar="TYPE", help="of pages whose type is known, judge only this one")
    ] = None,
    split: Annotated[str, typer.Option(metavar="NAMES", help="corpora to take apart by language")] = "",
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="processes")] = 1,
    seconds: Annotated[float, typer.Option(min=0.001, help="allowed per page and extractor")] = 10.0,
) -> int:
    """Compare extractors on annotated pages.

    CORPUS is a .jsonl (.gz, .xz) file, a folder with html/ and gold/, one with ground-truth.json and html/, or one of
    NAME.json and NAME.html.gz pairs.
    """
    import newsextract.evaluation.results

    if html:
        import newsextract.evaluation.report_html  # noqa: F401 - rather missed now than after an hour
    plan = Plan(
        extractors, measures, by, json, html, markdown, cases, metadata, page_type, split, jobs, seconds
    )  # fmt: skip
    if cases and not metadata:
        raise Refusal("--cases is of metadata; add --metadata")
    groups = _names(by, GROUPS, "--by")
    return _metadata(corpora, groups, plan) if metadata else _bodies(corpora, groups, plan)


def _bodies(paths: Sequence[Path], groups: Sequence[GroupKind], plan: Plan) -> int:
    """Evaluate extractors; return the exit code."""
    from newsextract.evaluation.contest import run_contest
    from newsextract.evaluation.results import assemble
    from newsextract.reading.extraction.contract import extractor_names
    from newsextract.tools.pages import named_options

    extractors = _names(plan.extractors or ",".join(extractor_names()), None, "-x")
    options = {name: named_options(name.split(":")[1:]) for name in extractors}
    run = _judged(partial(run_contest, paths, options), plan)
    results = assemble(run, extractors, _command_line())
    _print_tables(results, groups, plan)
    _write(results, plan)
    if not any(results["summary"][name]["all"]["measures"] for name in extractors):
        say("nothing was measured: no page has a gold text or snippets to compare with")
        return NOTHING
    return _skipped(run.bad_records)


def _metadata(paths: Sequence[Path], groups: Sequence[GroupKind], plan: Plan) -> int:
    """Evaluate readers of metadata; return the exit code."""
    from newsextract.evaluation.metadata_contest import assemble_metadata, metadata_tables, run_metadata

    readers = _readers(plan)
    run = _judged(partial(run_metadata, paths, readers), plan)
    results = assemble_metadata(run, readers, _command_line())
    code = _skipped(run.bad_records)
    if not any(summary["all"]["measures"] for summary in results["summary"].values()):
        say("nothing was measured: no page has a headline, a date, authors or a page type to compare with")
        return NOTHING
    for each in metadata_tables(results, groups):
        console().print(each)
    _write_metadata(results, plan)
    return code


def _readers(plan: Plan) -> list[str]:
    """Return the readers of metadata to judge."""
    from newsextract.evaluation.metadata_contest import READERS, reader_names

    if plan.html:
        raise Refusal("--html is of bodies; with --metadata there are --json, --markdown and --cases")
    if not plan.extractors:
        return reader_names()
    names = _names(plan.extractors, tuple(READERS), "-x")
    if missing := [name for name in names if name not in reader_names()]:
        raise Refusal(f"-x: {', '.join(missing)} needs pip install 'newsextract[evaluate]'")
    return names


def _names(value: str, allowed: Sequence[Any] | None, option: str) -> list[Any]:
    names = [name.strip() for name in value.split(",") if name.strip()]
    wrong = [name for name in names if allowed is not None and name not in allowed]
    if wrong or not names:
        raise Refusal(f"{option}: {', '.join(wrong) or 'nothing'} is not among {', '.join(allowed or ())}")
    return names


def _judged(judge: Callable[..., Run[Any]], plan: Plan) -> Run[Any]:
    """Return the results of a run, showing its progress."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from newsextract.evaluation.judging import Limits

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    errors = console_for(sys.stderr, None)
    with Progress(*columns, console=errors, disable=not errors.is_terminal) as bar:
        task = bar.add_task("pages", total=None)
        limits = Limits(plan.seconds, plan.page_type, plan.jobs)
        run = judge(limits=limits, on_page=lambda _: bar.advance(task))
    run.split_languages({name.strip() for name in plan.split.split(",")})
    return run


def _skipped(bad_records: Sequence[BadRecord]) -> int:
    """Print which records were skipped, and return the exit code."""
    for record in bad_records:
        say(f"skipped: {record.place}: {record.reason}")
    return NOTHING if bad_records else DONE


def _command_line() -> str:
    return f"newsextract evaluate {shlex.join(sys.argv[2:])}"


def _print_tables(results: Results, groups: Sequence[GroupKind], plan: Plan) -> None:
    from newsextract.evaluation.report_tables import group_table, summary_table

    terminal = console()
    measures = _names(plan.measures, results["measures"], "--measures") if plan.measures else []
    terminal.print(summary_table(results, measures))
    for by in groups:
        for measure in measures or ("token_f1",):
            terminal.print(group_table(results, by, measure))


def _write(results: Results, plan: Plan) -> None:
    if plan.json:
        plan.json.write_text(json_form.dumps(results, ensure_ascii=False))
    if plan.html:
        from newsextract.evaluation.report_html import write_html

        write_html(results, plan.html)
    if plan.markdown:
        from newsextract.evaluation.report_tables import markdown_table

        plan.markdown.write_text(markdown_table(results))


def _write_metadata(results: MetadataResults, plan: Plan) -> None:
    from newsextract.evaluation.metadata_contest import differences_as_tsv, metadata_markdown

    if plan.json:
        plan.json.write_text(json_form.dumps(results, ensure_ascii=False))
    if plan.markdown:
        plan.markdown.write_text(metadata_markdown(results))
    if plan.cases:
        plan.cases.write_text(differences_as_tsv(results["cases"]))


@verb(
    "newsextract template pages",
    "newsextract template corpus.jsonl --html map.html",
    nothing="no site has five pages or more",
)
def template(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="or a folder with the .html files of one site")],
    site: Annotated[str | None, typer.Option(metavar="NAME", help="only this site of the corpus")] = None,
    shares: Annotated[Literal["nested", "own"], typer.Option(help="what a zone's text includes")] = "nested",
    pages: Annotated[int | None, typer.Option(metavar="N", help="read only the first N pages of each site")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="write a map for people there")] = None,
    json: Annotated[Path | None, typer.Option(metavar="FILE", help="write all results there")] = None,
) -> int:
    """Group the pages of a site by structure, show what the extractor template reads, and draw what they share."""
    from newsextract.evaluation.corpora import read_sites
    from newsextract.evaluation.site_structures import read_structure, write_site_page

    try:
        all_sites = read_sites(corpus, site)
    except ValueError as error:
        raise Refusal(str(error)) from error
    read = (read_structure(name, found[:pages], is_nested=shares == "nested") for name, found in all_sites.items())
    sites = [found for found in read if found is not None]
    if not sites:
        say("no site has five pages or more")
        return NOTHING
    _print_structures(sites)
    if json:
        json.write_text(json_form.dumps(sites, ensure_ascii=False))
    if html:
        write_site_page(sites, html)
    return DONE


def _print_structures(sites: Sequence[SiteStructure]) -> None:
    from rich.table import Column

    figures = ("exactitude", "mean cos", "T = T*", "T ⊂ T*", "T* ⊂ T", "T* = element")
    shown = table(Column("site", overflow="fold"), "pages", "groups", "outliers", *figures, "seconds")
    for site in sites:
        shown.add_row(site["site"], *_cells([site]))
    if len(sites) > 1:
        shown.add_section()
        shown.add_row("all pages", *_cells(sites))
    console().print(shown)


def _cells(sites: Sequence[SiteStructure]) -> list[str]:
    """Return the cells of a row: counts, the measures over all pages, and the seconds."""
    from newsextract.evaluation.site_structures import MEASURES, measures_of

    means = measures_of(sites)
    counts = [sum(len(site["pages"]) for site in sites), sum(len(site["groups"]) for site in sites)]
    seconds = sum(site["seconds"] for site in sites)
    figures = ["-" if means is None else f"{means[name]:.3f}" for name in MEASURES]
    return [*map(str, counts), str(sum(site["outliers"] for site in sites)), *figures, f"{seconds:.1f}"]
