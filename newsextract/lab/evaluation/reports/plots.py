"""The plots of the report, by matplotlib, as SVG that stands in the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from newsextract.lab.evaluation.reports.drawings import Contest, distribution, precision_recall, ranking, time_quality
from newsextract.lab.evaluation.reports.figure_formats import (
    TOKEN_MEASURES,
    interval_of,
    label,
    overall,
    primary,
    ranked,
)
from newsextract.lab.evaluation.reports.svg import draw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from matplotlib.figure import Figure

    from newsextract.lab.evaluation.contest.results import Results

_ROW_INCHES = 0.34
"""Height of an extractor in a plot that gives each one a row."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with what it says in words."""

    name: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class _Kind:
    """How a plot is drawn, which measures it needs, and how it is explained."""

    name: str
    title: str
    caption: str
    paint: Callable[[Contest, Figure], None]
    needs: tuple[str, ...] = ()
    row_inches: float = 0.0
    inches: float = 4.4


_KINDS = (
    _Kind(
        "ranking",
        "Who scores best",
        "Dot: mean {measure}, with its 95 % interval. Triangles: precision ▷ and recall ◁.",
        ranking,
        row_inches=_ROW_INCHES,
        inches=0.9,
    ),
    _Kind(
        "distribution",
        "How the scores spread",
        "Share of pages by {measure}, an extractor a row; the tick is the median. The left end holds the failures.",
        distribution,
        row_inches=_ROW_INCHES,
        inches=0.9,
    ),
    _Kind(
        "precision-recall",
        "What is kept, what is lost",
        "Right: less noise kept. Up: less of the article lost. Crosses are 95 % intervals, curves have equal F1.",
        precision_recall,
        needs=TOKEN_MEASURES,
    ),
    _Kind(
        "time-quality",
        "What quality costs",
        "Time (each step is ten times more) against {measure}. The line joins those that nothing beats on both.",
        time_quality,
    ),
)


def plots(results: Results) -> Iterator[Plot]:
    """Yield the plots that the results have figures for."""
    contest = _contest(results)
    for kind in _KINDS:
        if not contest.order or not all(_has(contest, measure) for measure in kind.needs):
            continue
        size = (5.6, kind.inches + kind.row_inches * len(contest.order))
        svg = draw(f"plot-{kind.name}", size, partial(kind.paint, contest))
        yield Plot(kind.name, kind.title, kind.caption.format(measure=label(contest.measure)), svg)


def _contest(results: Results) -> Contest:
    groups, measure = overall(results), primary(results)
    order = [name for name in ranked(groups, measure) if interval_of(groups[name], measure)]
    values: dict[str, list[float]] = {name: [] for name in order}
    for page in results["pages"]:
        for name in values.keys() & page["scores"].keys():
            value = page["scores"][name].get(measure)
            if isinstance(value, int | float):
                values[name].append(value)
    return Contest(tuple(order), measure, groups, values)


def _has(contest: Contest, measure: str) -> bool:
    return all(interval_of(contest.groups[name], measure) for name in contest.order)
