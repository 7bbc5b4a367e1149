"""What each plot of the report draws, in one ink: the extractors are told apart by their names, not by nine colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from newsextract.lab.evaluation.reports.figure_formats import fraction, interval_of, label
from newsextract.lab.evaluation.reports.svg import ACCENT, INK, MUTED, series

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from newsextract.lab.evaluation.contest.results import Group, Interval

_BINS = 25
"""Steps of 0.04: the spikes of total failure and of perfection stay visible."""

_CURVES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""The values of F1 that the precision and recall plot has curves for."""

_LETTER, _LINE, _GAP = 0.0165, 0.05, 0.025
"""Width of a letter, height of a line and distance of a name from its dot, in fractions of a plot."""

_NAME_CHARS = 17
"""Longer names lose their beginning."""

_LINES = (0, 1, -1, 2, -2, 3, -3, 4, -4)
"""Where a name may move, in lines, when its place is taken: nearest first."""


@dataclass(frozen=True, slots=True)
class Contest:
    """What the plots show: the extractors best first, their figures, and their scores page by page."""

    order: tuple[str, ...]
    measure: str
    groups: Mapping[str, Group]
    values: Mapping[str, Sequence[float]]

    def interval(self, name: str, measure: str = "") -> Interval:
        """Return an interval that is known to be there."""
        return self.groups[name]["measures"][measure or self.measure]


def ranking(contest: Contest, figure: Figure) -> None:
    """Draw an extractor a row: its mean with error bar, between its precision and its recall."""
    axes = _rows(contest, figure)
    for row, name in enumerate(contest.order):
        group, bar = contest.groups[name], contest.interval(name)
        for marker, measure in ((">", "token_precision"), ("<", "token_recall")):
            if side := interval_of(group, measure):
                axes.plot([side["mean"]], [row], marker, mfc="none", mec=MUTED, ms=5, gid=series(row))
        axes.plot([bar["low"], bar["high"]], [row, row], color=ACCENT, lw=2.2, marker="|", ms=7, gid=series(row))
        axes.plot([bar["mean"]], [row], "o", color=ACCENT, ms=6, gid=series(row))
        _right(axes, row, fraction(bar["mean"]))
    _zoom(axes, contest)
    axes.set_xlabel(label(contest.measure))


def _zoom(axes: Axes, contest: Contest) -> None:
    shown = (contest.measure, "token_precision", "token_recall")
    bars = [bar for name in contest.order for measure in shown if (bar := interval_of(contest.groups[name], measure))]
    axes.set_xlim(min(bar["low"] for bar in bars) - 0.02, min(max(bar["high"] for bar in bars) + 0.02, 1.01))


def distribution(contest: Contest, figure: Figure) -> None:
    """Draw an extractor a row: the histogram of its scores over the pages."""
    axes = _rows(contest, figure)
    edges = np.linspace(0, 1, _BINS + 1)
    counts = {name: np.histogram(np.clip(contest.values[name], 0, 1), edges)[0] for name in contest.order}
    peak = max((int(count.max()) for count in counts.values()), default=0) or 1
    for row, name in enumerate(contest.order):
        # The root keeps the small bins of failures visible beside the peak of successes.
        heights = 0.84 * np.sqrt(counts[name] / peak)
        bars = axes.bar(edges[:-1], -heights, 1 / _BINS, row + 0.42, align="edge", color=ACCENT, alpha=0.75, lw=0)
        for bar in bars:
            bar.set_gid(series(row))
        if len(contest.values[name]):
            middle = float(np.median(contest.values[name]))
            axes.plot([middle, middle], [row + 0.42, row - 0.42], color=INK, lw=1.6, gid=series(row))
            _right(axes, row, fraction(middle))
    axes.set_xlabel(f"{label(contest.measure)} of a page (median at the right; heights are square roots)")


def _rows(contest: Contest, figure: Figure) -> Axes:
    axes = figure.subplots()
    axes.set_yticks(range(len(contest.order)), [shorten(name) for name in contest.order], color=INK)
    for row, tick in enumerate(axes.get_yticklabels()):
        tick.set_gid(series(row))
    axes.set_ylim(len(contest.order) - 0.5, -0.6)
    axes.set_xlim(-0.01, 1.01)
    axes.grid(visible=False, axis="y")
    return axes


def _right(axes: Axes, row: int, text: str) -> None:
    axes.annotate(
        text, (1.02, row), xycoords=("axes fraction", "data"), va="center", annotation_clip=False, gid=series(row)
    )  # fmt: skip


def precision_recall(contest: Contest, figure: Figure) -> None:
    """Draw the extractors by precision and recall, over curves of equal F1."""
    axes = figure.subplots()
    points = []
    for row, name in enumerate(contest.order):
        across, upward = contest.interval(name, "token_precision"), contest.interval(name, "token_recall")
        x, y = across["mean"], upward["mean"]
        axes.plot([across["low"], across["high"]], [y, y], color=ACCENT, lw=1.2, gid=series(row))
        axes.plot([x, x], [upward["low"], upward["high"]], color=ACCENT, lw=1.2, gid=series(row))
        axes.plot([x], [y], "o", color=ACCENT, ms=5, gid=series(row))
        points.append((across["high"], y))
    low = max(min(min(x, y) for x, y in points) - 0.06, 0.0)
    axes.set(xlim=(low, 1.005), ylim=(low, 1.005), xlabel="precision", ylabel="recall")
    _curves(axes, low)
    _names(axes, contest.order, points)


def _curves(axes: Axes, low: float) -> None:
    for f1 in _CURVES:
        xs = np.linspace(f1 / (2 - f1) + 1e-6, 1, 80)
        ys = f1 * xs / (2 * xs - f1)
        seen = (ys <= 1) & (xs >= low) & (ys >= low)
        if seen.any():
            axes.plot(xs[seen], ys[seen], color=MUTED, lw=0.7, ls=(0, (4, 4)), alpha=0.7)
            axes.annotate(f"{f1:.1f}", (xs[seen][-1], ys[seen][-1]), color=MUTED, fontsize=8, ha="right", va="bottom")


def time_quality(contest: Contest, figure: Figure) -> None:
    """Draw the extractors by time and score, with the line of those that no other beats on both."""
    axes = figure.subplots()
    points = []
    for row, name in enumerate(contest.order):
        bar, x = contest.interval(name), max(contest.groups[name]["ms"], 0.01)
        axes.plot([x, x], [bar["low"], bar["high"]], color=ACCENT, lw=1.6, gid=series(row))
        axes.plot([x], [bar["mean"]], "o", color=ACCENT, ms=5, gid=series(row))
        points.append((x, bar["mean"]))
    front = sorted(p for p in points if not any(q != p and q[0] <= p[0] and q[1] >= p[1] for q in points))
    axes.step([x for x, _ in front], [y for _, y in front], where="post", color=MUTED, lw=0.9, ls=(0, (4, 4)), zorder=0)
    axes.set_xscale("log")
    axes.set_xlim(min(x for x, _ in points) / 1.8, max(x for x, _ in points) * 3)
    # Labels at 1, 2 and 5 of every decade, in plain numbers: left alone, a short axis labels its small ticks in TeX.
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set(xlabel="milliseconds a page", ylabel=label(contest.measure))
    _names(axes, contest.order, points)


def _names(axes: Axes, names: Sequence[str], points: Sequence[tuple[float, float]]) -> None:
    axes.margins(y=0.08)
    spots = [(float(x), float(y)) for x, y in (axes.transScale + axes.transLimits).transform(points)]
    for row, (name, point, (x, y)) in enumerate(zip(names, points, places(names, spots), strict=True)):
        moved = abs(y - spots[row][1]) > _LINE / 2
        axes.annotate(
            shorten(name), point, (x, y), xycoords="data", textcoords="axes fraction",
            va="center", fontsize=9, gid=series(row),
            arrowprops={"arrowstyle": "-", "color": MUTED, "lw": 0.6, "gid": series(row)} if moved else None,
        )  # fmt: skip


def places(names: Sequence[str], spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return where each name stands, in fractions of the plot: beside its dot, or the nearest line that is free.

    >>> places(["mss", "wutsi"], [(0.5, 0.5), (0.5, 0.5)])
    [(0.525, 0.5), (0.525, 0.55)]
    """
    taken = [(x, x, y) for x, y in dict.fromkeys(spots)]
    found = []
    for name, (x, y) in zip(names, spots, strict=True):
        width = _LETTER * len(shorten(name))
        left = x + _GAP if x + _GAP + width <= 1 else x - _GAP - width
        free = (y + line * _LINE for line in _LINES if not _is_taken(taken, left, left + width, y + line * _LINE))
        height = next(free, y)
        taken.append((left, left + width, height))
        found.append((round(left, 4), round(height, 4)))
    return found


def shorten(name: str) -> str:
    """Return a name that leaves room for the plot: of a dotted path, the end tells more.

    >>> shorten("mss"), shorten("somebody.elses.package.extractors.LongestBlock")
    ('mss', '…ors.LongestBlock')
    """
    return name if len(name) <= _NAME_CHARS else f"…{name[-_NAME_CHARS + 1 :]}"


def _is_taken(taken: Sequence[tuple[float, float, float]], left: float, right: float, y: float) -> bool:
    return any(start < right and left < stop + 1e-9 and abs(height - y) < _LINE * 0.9 for start, stop, height in taken)
