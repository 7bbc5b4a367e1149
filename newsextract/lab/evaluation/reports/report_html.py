"""Write the results as one self-contained HTML page, which loads nothing from elsewhere.

The page holds tables of extractors and plots; its scripts add filters, sites, pages and a view of the texts. It opens
with the result in two sentences.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports import figure_formats as formats
from newsextract.lab.evaluation.reports.embedding import UNKNOWN, embedded
from newsextract.lab.evaluation.reports.figure_formats import (
    duration,
    fraction,
    interval_of,
    label,
    mean_of,
    overall,
    primary,
    ranked,
)
from newsextract.lab.evaluation.reports.page_template import filled
from newsextract.lab.evaluation.reports.plots import plots

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from newsextract.lab.evaluation.contest.results import Group, GroupKind, Results

_MAX_BROKEN = 200
"""Most broken records listed for a corpus; the JSON has them all."""


def html_report(results: Results) -> str:
    """Return the page."""
    groups, measure = formats.overall(results), formats.primary(results)
    return filled(
        "page.html",
        order=formats.ranked(groups, measure),
        groups=groups,
        tables={"corpus": _columns(results, "corpus"), "language": _columns(results, "language")},
        primary=measure,
        others=[name for name in formats.main_measures(results) if name != measure],
        axis=axis(groups.values(), measure),
        headline=headline(results),
        speed=speed(results),
        plots=list(plots(results)),
        max_broken=_MAX_BROKEN,
        results=results,
        embedded=embedded(results),
    )


def write_html(results: Results, path: Path) -> None:
    """Write the page to a file."""
    path.write_text(html_report(results), encoding="utf-8")


def axis(groups: Iterable[Group], measure: str) -> tuple[float, float]:
    """Return the ends of an axis, in tenths, with room for every interval of a measure."""
    bars = [bar for group in groups if (bar := formats.interval_of(group, measure))]
    low = math.floor(min((bar["low"] for bar in bars), default=0.0) * 10) / 10
    high = math.ceil(max((bar["high"] for bar in bars), default=1.0) * 10) / 10
    return low, max(high, low + 0.1)


def _columns(results: Results, by: GroupKind) -> dict[str, dict[str, Group]]:
    """Return the groups of pages, the largest first, and the figures of each extractor on them."""
    columns: dict[str, dict[str, Group]] = {}
    for name, summary in results["summary"].items():
        for key, group in summary[by].items():
            columns.setdefault(key or UNKNOWN, {})[name] = group
    return dict(sorted(columns.items(), key=lambda item: -max(group["pages"] for group in item[1].values())))


NEAR = 0.05
"""An extractor this close to the best is near enough for its speed to be mentioned."""

WORTH_SAYING = 1.5
"""A lower ratio of times is not mentioned."""


def headline(results: Results) -> str:
    """Return a sentence on which extractor leads, by how much, and over how many pages."""
    groups, measure = overall(results), primary(results)
    order = [name for name in ranked(groups, measure) if interval_of(groups[name], measure)]
    if not order:
        return "No page could be scored."
    best = order[0]
    return f"{best} leads with {_score(groups[best], measure)}{_behind(groups, order, measure)}."


def _score(group: Group, measure: str) -> str:
    interval = group["measures"][measure]
    bounds = f"{fraction(interval['low'])}–{fraction(interval['high'])}"
    return f"{fraction(interval['mean'])} ({bounds}) in {label(measure)} over {group['pages']:,} pages"


def _behind(groups: Mapping[str, Group], order: list[str], measure: str) -> str:
    if len(order) == 1:
        return ""
    first, second = (groups[name]["measures"][measure] for name in order[:2])
    gap = first["mean"] - second["mean"]
    overlap = " and within the error bars" if second["high"] >= first["low"] else ""
    return f"; {order[1]} is {fraction(gap)} behind{overlap}"


def speed(results: Results) -> str:
    """Return a sentence on a fast extractor close to the best; empty if the best is as fast."""
    groups, measure = overall(results), primary(results)
    order = ranked(groups, measure)
    top = mean_of(groups[order[0]], measure) if order else None
    if top is None:
        return ""
    near = [name for name in order if (mean_of(groups[name], measure) or 0.0) >= top - NEAR]
    fastest, best = min(near, key=lambda name: groups[name]["ms"]), order[0]
    ratio = groups[best]["ms"] / (groups[fastest]["ms"] or 1.0)
    if ratio < WORTH_SAYING:
        return ""
    cost = fraction(top - (mean_of(groups[fastest], measure) or 0.0))
    return f"{fastest} gives up {cost} and is {ratio:.1f} × as fast: {duration(groups[fastest]['ms'])} ms per page."
