"""The plots of the report, made with matplotlib: each as SVG, with a caption."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from newsextract.evaluation.report_tables import (
    TOKEN_MEASURES,
    fraction,
    interval_of,
    label,
    overall,
    primary,
    ranked,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes

    from newsextract.evaluation.results import Group, Interval, Results


_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "newsextract",
    "text.parse_math": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
}
"""Text stays text, so that it can be searched; an extractor's name may contain dollars."""

_NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_BINS = 25
"""Bins of 0.04: the spikes at 0 and 1 stay visible."""

_CURVES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The values of F1 with a curve in the plot of precision and recall."""

_MARKERS = "osD^v<>pP*"
"""Markers that, combined with ten colours, tell the extractors apart."""

_NAME_CHARS = 17
"""Longer names are cut at the beginning."""

_ROW_INCHES = 0.34
"""Height of an extractor's row in plots with rows."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A drawing with its title and caption."""

    name: str
    title: str
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Contest:
    """The data of the plots: the extractors best first, their figures, and their scores page by page."""

    order: tuple[str, ...]
    measure: str
    groups: Mapping[str, Group]
    values: Mapping[str, Sequence[float]]

    def interval(self, name: str, measure: str = "") -> Interval:
        """Return an interval that is known to exist."""
        return self.groups[name]["measures"][measure or self.measure]


def plots(results: Results) -> Iterator[Plot]:
    """Yield the plots that the results have figures for."""
    groups, measure = overall(results), primary(results)
    order = tuple(name for name in ranked(groups, measure) if interval_of(groups[name], measure))
    scores = {name: [page["scores"].get(name, {}).get(measure) for page in results["pages"]] for name in order}
    values = {name: [value for value in found if isinstance(value, int | float)] for name, found in scores.items()}
    contest = Contest(order, measure, groups, values)
    for paint, title, caption in _PLOTS:
        needs = TOKEN_MEASURES if paint is precision_recall else ()
        if order and all(interval_of(groups[name], need) for name in order for need in needs):
            name = paint.__name__.replace("_", "-")
            yield Plot(name, title, caption.format(measure=label(measure)), _svg(f"plot-{name}", contest, paint))


def _svg(name: str, contest: Contest, paint: Callable[[Contest, Axes], None]) -> str:
    """Return the drawing as SVG; ids begin with a name, so that they differ from those of other plots on the page."""
    with mpl.rc_context():
        # The machine's own style is ignored: the same results make the same page everywhere.
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=(5.6, 4.4 if paint in _BY_POINT else 0.9 + _ROW_INCHES * len(contest.order)))
        FigureCanvasSVG(figure)
        figure.set_layout_engine("constrained")
        paint(contest, figure.subplots())
        # The artists of an extractor share an id so far; the page finds them by its beginning.
        for number, artist in enumerate(figure.findobj(lambda each: each.get_gid() is not None)):
            artist.set_gid(f"{artist.get_gid()}-{number}")
        target = io.StringIO()
        figure.savefig(target, format="svg", metadata=_NO_METADATA)
    svg = target.getvalue()
    return re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{name}-", svg[svg.index("<svg ") :])


def _series(row: int) -> dict[str, Any]:
    """Return the style of an extractor, and the id by which the page highlights it."""
    return {"color": f"C{row % 10}", "gid": f"series-{row}"}


def _error_bar(axes: Axes, row: int, at: tuple[float, float], across: Interval | None, up: Interval | None) -> None:
    spans = (None if bar is None else [[bar["mean"] - bar["low"]], [bar["high"] - bar["mean"]]] for bar in (across, up))
    xerr, yerr = spans
    look = _series(row)
    drawn = axes.errorbar(*at, yerr, xerr, fmt=_MARKERS[row % len(_MARKERS)], color=look["color"], ms=5, lw=1.4)
    for part in drawn.get_children():
        part.set_gid(look["gid"])


def ranking(contest: Contest, axes: Axes) -> None:
    """Draw a row per extractor: its mean with error bar, between its precision and its recall."""
    _rows(contest, axes, [contest.interval(name)["mean"] for name in contest.order])
    for row, name in enumerate(contest.order):
        for marker, measure in ((">", "token_precision"), ("<", "token_recall")):
            if side := interval_of(contest.groups[name], measure):
                axes.plot([side["mean"]], [row], marker, mfc="none", ms=5, **_series(row))
        bar = contest.interval(name)
        _error_bar(axes, row, (bar["mean"], row), bar, None)
    axes.set_xlabel(label(contest.measure))


def distribution(contest: Contest, axes: Axes) -> None:
    """Draw a row per extractor: the histogram of its scores over the pages."""
    medians = [float(np.median(contest.values[name])) if contest.values[name] else None for name in contest.order]
    _rows(contest, axes, medians)
    edges = np.linspace(0, 1, _BINS + 1)
    counts = [np.histogram(np.clip(contest.values[name], 0, 1), edges)[0] for name in contest.order]
    peak = max((int(count.max()) for count in counts), default=0) or 1
    for row, count in enumerate(counts):
        # The square root keeps small bins visible beside the peak.
        axes.stairs(row + 0.42 - 0.84 * np.sqrt(count / peak), edges, baseline=row + 0.42, fill=True, **_series(row))
        if (middle := medians[row]) is not None:
            axes.plot([middle, middle], [row + 0.42, row - 0.42], lw=1.6, **(_series(row) | {"color": "black"}))
    axes.set_xlabel(f"{label(contest.measure)} of a page (median at the right; heights are square roots)")


def _rows(contest: Contest, axes: Axes, figures: Sequence[float | None]) -> None:
    """Give every extractor a row, with its name on the left and a figure on the right."""
    rows = range(len(contest.order))
    axes.set_yticks(rows, [shorten(name) for name in contest.order])
    axes.set_ylim(len(rows) - 0.5, -0.6)
    axes.grid(visible=False, axis="y")
    right = axes.secondary_yaxis("right")
    right.set_yticks(rows, [fraction(figure) for figure in figures])
    right.tick_params(length=0)


def precision_recall(contest: Contest, axes: Axes) -> None:
    """Draw the extractors by precision and recall, over curves of equal F1."""
    points = []
    for row, name in enumerate(contest.order):
        across, upward = contest.interval(name, "token_precision"), contest.interval(name, "token_recall")
        points.append((across["mean"], upward["mean"]))
        _error_bar(axes, row, points[-1], across, upward)
    low = max(min(min(point) for point in points) - 0.06, 0.0)
    axes.set(xlim=(low, 1.005), ylim=(low, 1.005), xlabel="precision", ylabel="recall")
    for f1 in _CURVES:
        xs = np.linspace(f1 / (2 - f1), 1, 80)
        axes.plot(xs, f1 * xs / (2 * xs - f1), color="grey", lw=0.7, ls="--", zorder=0)
        if f1 / (2 - f1) >= low:
            axes.annotate(f"{f1:.1f}", (1, f1 / (2 - f1)), color="grey", fontsize=8, ha="right", va="bottom")
    _legend(contest, axes)


def time_quality(contest: Contest, axes: Axes) -> None:
    """Draw the extractors by time and score, with the line of those that no other beats on both."""
    points = []
    for row, name in enumerate(contest.order):
        bar = contest.interval(name)
        points.append((max(contest.groups[name]["ms"], 0.01), bar["mean"]))
        _error_bar(axes, row, points[-1], None, bar)
    front = sorted(p for p in points if not any(q != p and q[0] <= p[0] and q[1] >= p[1] for q in points))
    axes.step(*zip(*front, strict=True), where="post", color="grey", lw=0.9, ls="--", zorder=0)
    axes.set(xscale="log", xlabel="milliseconds per page", ylabel=label(contest.measure))
    axes.set_xlim(min(x for x, _ in points) / 1.8, max(x for x, _ in points) * 1.8)
    # Labels at 1, 2 and 5 of every decade, in plain numbers: left alone, a short axis labels its small ticks in TeX.
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    _legend(contest, axes)


def _legend(contest: Contest, axes: Axes) -> None:
    names = [shorten(name) for name in contest.order]
    handles: Any = axes.containers  # for error bars, which the type stubs do not know here
    axes.figure.legend(handles, names, loc="outside upper center", ncols=4, fontsize=8, frameon=False)


def shorten(name: str) -> str:
    """Return a name short enough for the plot; of a dotted path, the end is kept.

    >>> shorten("mss"), shorten("somebody.elses.package.extractors.LongestBlock")
    ('mss', '…ors.LongestBlock')
    """
    return name if len(name) <= _NAME_CHARS else f"…{name[-_NAME_CHARS + 1 :]}"


_BY_POINT = (precision_recall, time_quality)
_PLOTS = (
    (
        ranking,
        "Mean scores",
        "Dot: mean {measure}, with its 95 % interval. Triangles: precision ▷ and recall ◁.",
    ),
    (
        distribution,
        "Distribution of the scores",
        "Share of pages by {measure}, a row per extractor; the tick is the median. The left end holds the failures.",
    ),
    (
        precision_recall,
        "Precision and recall",
        "Right: less noise kept. Up: less of the article lost. Crosses are 95 % intervals, curves have equal F1.",
    ),
    (
        time_quality,
        "Score and time",
        "Time (on a logarithmic axis) against {measure}. The line joins those that no other beats on both.",
    ),
)
"""The function that draws each plot, its title and its caption."""
