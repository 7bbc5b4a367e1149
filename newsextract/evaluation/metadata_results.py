"""Where our metadata differs from the gold: a row per page and field, with the other readers' answers."""

from __future__ import annotations

import statistics
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from newsextract.evaluation.judging import Limits, Run, judge_pages
from newsextract.evaluation.metadata_contest import Difference, MetadataContest, MetadataResult, confusion
from newsextract.evaluation.report_tables import (
    ABSENT,
    duration,
    fraction,
    group_table,
    half_width,
    interval_of,
    label,
    markdown_table,
    mean_of,
    measured,
    overall,
)
from newsextract.evaluation.results import MeasureSet, Results, results_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from newsextract.evaluation.results import Group, GroupKind


# Run the readers of metadata, and return the results as one plain value for all reports.


def _ratio(
    part: str, whole: str, factor: float = 1.0
) -> Callable[[Mapping[str, npt.NDArray[np.float64]]], npt.NDArray[np.float64]]:
    return lambda means: factor * means[part] / means[whole]


METADATA = MeasureSet(
    (
        "headline_exact", "headline_f1", "date_day", "date_minute", "author_f1", "author_exact",
        "author_right", "author_named", "kind_right", "kind_found", "kind_gold",
    ),
    {
        "author_micro_f1": _ratio("author_right", "author_named", 2.0),
        "kind_precision": _ratio("kind_right", "kind_found"),
        "kind_recall": _ratio("kind_right", "kind_gold"),
        "kind_f1": lambda means: 2 * means["kind_right"] / (means["kind_found"] + means["kind_gold"]),
    },
    frozenset(("author_right", "author_named", "kind_right", "kind_found", "kind_gold")),
)  # fmt: skip
"""The measures of metadata."""


class Times(TypedDict):
    """The milliseconds of a reader on the pages that it did not fail on."""

    median: float
    mean: float
    p99: float
    max: float


class MetadataResults(Results):
    """All results of an evaluation of metadata; `extractors` of the results are the readers here."""

    times: dict[str, Times]
    kinds: dict[str, dict[str, int]]
    cases: list[Difference]


def run_metadata(
    paths: Sequence[Path],
    readers: Sequence[str],
    *,
    jobs: int = 1,
    limits: Limits | None = None,
    on_page: Callable[[MetadataResult], None] = lambda _: None,
) -> Run[MetadataResult]:
    """Judge the metadata of every page of the corpora; raises what `read_corpus` raises."""
    limits = limits or Limits()
    create = partial(MetadataContest, list(readers), limits.seconds)
    return judge_pages(paths, create, limits, jobs=jobs, on_page=on_page)


def assemble_metadata(run: Run[MetadataResult], readers: Sequence[str], command: str) -> MetadataResults:
    """Return the results of a run."""
    return {
        **results_of(run.pages, run.bad_records, METADATA, readers, command),
        "times": {name: times for name in readers if (times := _times(run.pages, name))},
        "kinds": confusion(page.kind for page in run.pages if page.kind),
        "cases": [difference for page in run.pages for difference in page.differences],
    }


def _times(pages: Sequence[MetadataResult], reader: str) -> Times | None:
    scores = [page.scores[reader] for page in pages]
    milliseconds = [float(score["ms"] or 0.0) for score in scores if score["error"] is None]
    return times_of(milliseconds) if milliseconds else None


def times_of(milliseconds: Sequence[float]) -> Times:
    """Return the statistics of some times.

    >>> times_of([1.0, 2.0, 9.0])["median"], times_of([1.0, 2.0, 9.0])["max"]
    (2.0, 9.0)
    """
    return {
        "median": statistics.median(milliseconds),
        "mean": statistics.fmean(milliseconds),
        "p99": float(np.percentile(milliseconds, 99)),
        "max": max(milliseconds),
    }


# Write the results of the readers of metadata as tables: in the terminal and as Markdown.

GROUPED = ("headline_exact", "date_day", "date_minute", "author_f1", "kind_f1")
"""The measures with a table by corpus, language or site."""

_TIMES = ("median", "mean", "p99", "max")


def metadata_tables(results: MetadataResults, groups: Sequence[GroupKind]) -> Iterator[Table]:
    """Yield every table, the scores first."""
    yield score_table(results)
    yield time_table(results["times"])
    present = set(measured(results))
    for by in groups:
        yield from (group_table(results, by, measure) for measure in GROUPED if measure in present)
    if results["kinds"]:
        yield kind_table(results["kinds"])


def score_table(results: MetadataResults) -> Table:
    """Return a row per measure and a column per reader, with error bars and the number of pages."""
    groups = overall(results)
    names = ", ".join(corpus["name"] for corpus in results["corpora"])
    table = _table(f"metadata of {names}", "measure", "pages", *groups)
    for measure in measured(results):
        means = [mean_of(group, measure) for group in groups.values()]
        top = max((mean for mean in means if mean is not None), default=None)
        cells = [
            _score(group, measure, is_best=mean == top) for group, mean in zip(groups.values(), means, strict=True)
        ]
        pages = max(group.get("known", {}).get(measure, 0) for group in groups.values())
        table.add_row(Text(label(measure)), Text(f"{pages:,}" if pages else ""), *cells)
    for trouble in ("errors", "too_slow"):
        if any(group[trouble] for group in groups.values()):
            counts = (Text(str(group[trouble])) for group in groups.values())
            table.add_row(Text(trouble.replace("_", " ")), Text(""), *counts)
    return table


def _score(group: Group, measure: str, *, is_best: bool) -> Text:
    interval = interval_of(group, measure)
    if interval is None:
        return Text(ABSENT)
    cell = Text(fraction(interval["mean"]), style="bold green" if is_best else "")
    return cell.append(f" {half_width(interval)}", style="dim not bold")


def time_table(times: Mapping[str, Times]) -> Table:
    """Return the milliseconds per page of each reader, on parsed pages."""
    table = _table("ms per parsed page", "reader", *_TIMES)
    for name, values in times.items():
        table.add_row(Text(name), *(duration(values[key]) for key in _TIMES))  # type: ignore[literal-required]
    return table


def kind_table(kinds: Mapping[str, Mapping[str, int]]) -> Table:
    """Return the confusion matrix: gold types as rows, kinds that pages were taken for as columns."""
    columns = list(dict.fromkeys(found for row in kinds.values() for found in row))
    table = _table("kinds: gold by ours", "gold", "pages", *columns)
    for gold, row in kinds.items():
        table.add_row(
            Text(gold), str(sum(row.values())), *(str(row[found]) if row.get(found) else "·" for found in columns)
        )
    return table


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 1), pad_edge=False)
    table.add_column(first, overflow="fold")
    for heading in others:
        table.add_column(Text(heading), justify="right", overflow="fold")
    return table


def metadata_markdown(results: MetadataResults) -> str:
    """Return a Markdown table of readers by corpora for each measure."""
    tables = (f"**{label(measure)}**\n\n{markdown_table(results, measure)}" for measure in measured(results))
    return "\n".join(tables)
