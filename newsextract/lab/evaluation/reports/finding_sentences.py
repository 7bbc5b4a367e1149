"""The finding of an evaluation, in two sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from newsextract.lab.evaluation.contest.results import Group, Results

NEAR = 0.05
"""An extractor this close to the best is near enough for its speed to be worth a word."""

WORTH_SAYING = 1.5
"""A lower ratio of times is not worth a sentence."""


def headline(results: Results) -> str:
    """Return who leads, by how much, and over what."""
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
    """Return which fast extractor comes near the best, empty when the best is as fast."""
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
    return f"{fastest} gives up {cost} and is {ratio:.1f} × as fast: {duration(groups[fastest]['ms'])} ms a page."
