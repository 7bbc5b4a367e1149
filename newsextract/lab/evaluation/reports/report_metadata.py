"""Write the results of the readers of metadata as tables: in the terminal and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from newsextract.lab.evaluation.reports.figure_formats import (
    ABSENT,
    duration,
    fraction,
    half_width,
    interval_of,
    label,
    mean_of,
    measured,
    overall,
)
from newsextract.lab.evaluation.reports.report_tables import group_table, markdown_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from newsextract.lab.evaluation.contest.results import Group, GroupKind
    from newsextract.lab.evaluation.metadata.metadata_results import MetadataResults, Times

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
