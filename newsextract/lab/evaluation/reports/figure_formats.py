"""How every report writes figures, names measures and ranks extractors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from newsextract.lab.evaluation.contest.results import Group, Interval, Results

ABSENT = "–"
"""Shown for a value that could not be computed."""

TOKEN_MEASURES = ("token_f1", "token_precision", "token_recall")
"""The measures at the start of every report."""

OTHER_MEASURES = ("cleaneval_f", "cleaneval_micro", "shingle_f1", "cosine", "edit_similarity")
"""The measures shown beside them: one of each family, and CleanEval's average over words, which publications give."""

_LABELS = {
    "token_f1": "token F1",
    "token_precision": "precision",
    "token_recall": "recall",
    "token_accuracy": "token accuracy",
    "cleaneval_f": "CleanEval F",
    "cleaneval_micro": "CleanEval micro",
    "cleaneval_micro_p": "CleanEval micro P",
    "cleaneval_micro_r": "CleanEval micro R",
    "cleaneval_p": "CleanEval P",
    "cleaneval_r": "CleanEval R",
    "cleaneval_tag_f": "CleanEval tags F",
    "shingle_f1": "4‑gram F1",
    "shingle_precision": "4‑gram precision",
    "shingle_recall": "4‑gram recall",
    "exact": "exact answers",
    "exactitude": "cosine ≥ 0.9",
    "equal": "T = T*",
    "inside": "T ⊂ T*",
    "around": "T* ⊂ T",
    "edit_similarity": "edit similarity",
    "includes": "includes hit",
    "excludes": "excludes hit",
}


def label(measure: str) -> str:
    """Return the name of a measure for people.

    >>> label("token_f1"), label("some_new_f")
    ('token F1', 'some new f')
    """
    return _LABELS.get(measure, measure.replace("_", " "))


def fraction(value: float | None) -> str:
    """Return a score to three places.

    >>> fraction(0.86749), fraction(None)
    ('0.867', '–')
    """
    return ABSENT if value is None or not math.isfinite(value) else f"{value:.3f}"


def half_width(interval: Interval | None) -> str:
    """Return the error bar as one figure, half of the interval.

    >>> half_width({"mean": 0.86, "low": 0.85, "high": 0.87})
    '±0.010'
    """
    width = (interval["high"] - interval["low"]) / 2 if interval else math.nan
    return f"±{width:.3f}" if math.isfinite(width) else ""


def duration(value: float) -> str:
    """Return milliseconds with a sensible number of digits.

    >>> duration(0.04), duration(18.96), duration(1234.5)
    ('0.04', '19.0', '1234')
    """
    places = next((places for limit, places in ((1, 2), (100, 1)) if value < limit), 0)
    return f"{value:.{places}f}" if math.isfinite(value) else ABSENT


def interval_of(group: Group | None, measure: str) -> Interval | None:
    """Return a measure of a group, `None` if there is no such group or measure."""
    return group["measures"].get(measure) if group else None


def mean_of(group: Group | None, measure: str) -> float | None:
    """Return the mean of a measure over a group, `None` if there is none."""
    interval = interval_of(group, measure)
    return interval["mean"] if interval and math.isfinite(interval["mean"]) else None


def overall(results: Results) -> dict[str, Group]:
    """Return each extractor's figures over all pages, in the order of the results."""
    summary = results["summary"]
    return {name: summary[name]["all"] for name in results["extractors"] if name in summary}


def measured(results: Results) -> list[str]:
    """Return the measures that at least one extractor has over all pages."""
    groups = overall(results).values()
    return [name for name in results["measures"] if any(name in group["measures"] for group in groups)]


def primary(results: Results) -> str:
    """Return the measure that ranks the extractors: token F1, or the first available if no page has a gold text."""
    return next(iter(main_measures(results)), next(iter(measured(results)), TOKEN_MEASURES[0]))


def main_measures(results: Results) -> list[str]:
    """Return the measures that get a column of their own."""
    present = set(measured(results))
    return [name for name in TOKEN_MEASURES + OTHER_MEASURES if name in present]


def ranked(groups: Mapping[str, Group], measure: str) -> list[str]:
    """Return the extractors, best first; those without the measure come last."""
    return sorted(groups, key=lambda name: -(mean_of(groups[name], measure) or 0.0))


def average(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not `None`.

    >>> average([0.5, None, 1.0]), average([None])
    (0.75, None)
    """
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None
