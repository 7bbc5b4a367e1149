"""The results as one self-contained HTML page, for reading: nothing in it leaves the page.

Tables of extractors and plots stand in the page; its scripts add filters, sites, pages and a reader of the texts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports import figure_formats as formats
from newsextract.lab.evaluation.reports.embedding import UNKNOWN, embedded
from newsextract.lab.evaluation.reports.finding_sentences import headline, speed
from newsextract.lab.evaluation.reports.page_template import filled
from newsextract.lab.evaluation.reports.plots import plots

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from newsextract.lab.evaluation.contest.results import Group, GroupKind, Results

_MAX_BROKEN = 200
"""Broken records that the page lists for a corpus; the JSON has them all."""


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
    """Return the ends of an axis, in tenths, that has room for every interval of a measure."""
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
