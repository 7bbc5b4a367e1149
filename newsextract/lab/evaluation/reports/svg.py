"""From a matplotlib figure to an SVG that is at home inside a page: the page's colours and font, ids of its own."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Callable

INK, MUTED, RULE, ACCENT, SURFACE = "#0a0a01", "#0a0a02", "#0a0a03", "#0a0a04", "#0a0a05"
"""Stand-ins for the page's colours, which change with the reader's theme after the plot is drawn."""

_VARIABLES = {INK: "--ink", MUTED: "--muted", RULE: "--rule", ACCENT: "--accent", SURFACE: "--surface"}

_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "newsextract",
    "text.parse_math": False,
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": RULE,
    "axes.labelcolor": MUTED,
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
}
"""Text stays text: it can be searched, read aloud, and takes the page's font."""

_EDITS = (
    (re.compile(r"^.*?(?=<svg )", re.DOTALL), ""),
    (re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL), ""),
    # matplotlib's style rule would apply to the whole page.
    (re.compile(r"<style .*?</style>", re.DOTALL), ""),
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),
    (re.compile(r"font-family: [^;\"]*;? ?"), ""),
    (re.compile(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"'), r"\1"),
    (re.compile(r' id="series-(\d+)[^"]*"'), r' class="series" data-rank="\1"'),
    (re.compile(r' id="(?:figure|axes|patch|line2d|text|[xy]tick|matplotlib|[A-Za-z]*Collection)[^"]*"'), ""),
    (re.compile(r" *\n *"), " "),
)
"""What matplotlib writes that a page does not want, and what takes its place."""


def series(rank: int) -> str:
    """Return the id that lets the page bring forward what belongs to one extractor."""
    return f"series-{rank}"


def draw(name: str, size: tuple[float, float], paint: Callable[[Figure], None]) -> str:
    """Return the SVG of what `paint` draws; `name` sets its ids apart from those of the page's other plots."""
    with mpl.rc_context():
        # Not what this machine prefers: the same results make the same page everywhere.
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasSVG(figure)
        paint(figure)
        target = io.StringIO()
        figure.savefig(target, format="svg", transparent=True, metadata={"Date": None})
    return _at_home(name, target.getvalue())


def _at_home(name: str, svg: str) -> str:
    for pattern, replacement in _EDITS:
        svg = pattern.sub(replacement, svg)
    for colour, variable in _VARIABLES.items():
        svg = re.sub(rf"{colour}(?=[;\"])", f"var({variable})", svg)
    return re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{name}-", svg)
