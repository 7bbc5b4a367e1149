"""Who has a vote on what the majority keeps: extractors that are good enough, and that somebody agrees with.

An extractor has no vote if it chooses nothing (a control), if none of its text is on the page, if its mean token F1 on
annotated pages is below `LEAST_MEASURED`, or if it shares less than `LEAST_SHARED` with any other that still has one.
If fewer than two would be left by the last two reasons, they are not applied: those who are asked for are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTROLS = frozenset({"everything"})
"""Extractors that make no choice: shown beside the others, but without a vote."""

MEASURED: Mapping[str, float] = MappingProxyType(
    {
        "readability": 0.900,
        "trafilatura": 0.884,
        "mss": 0.864,
        "eatiht": 0.849,
        "boilerpipe": 0.777,
        "wutsi": 0.840,
        "dom_criteria": 0.779,
        "html_killer": 0.712,
    }
)
"""The mean token F1 of extractors, by name, from docs/results.md; `auto` was trained on those pages."""

LEAST_MEASURED = 0.8
"""An extractor below it is known to be weak: a fifth of what it keeps or should keep is wrong."""

LEAST_SHARED = 0.5
"""A token F1 below it with everybody else is no agreement: less than half of the text is common."""

RULE = (
    "Without a vote are controls, those none of whose text is on the page, those known to be weak "
    f"(mean token F1 below {LEAST_MEASURED} in docs/results.md), and those that agree with nobody "
    f"(token F1 below {LEAST_SHARED} with every other voter of the page). "
    "Where fewer than two would be left, the weak and the lonely vote too."
)
"""The rule as readers of a report need it."""


@dataclass(frozen=True)
class Candidate:
    """What decides on the vote of an extractor on one page."""

    name: str
    is_empty: bool
    """Whether it failed or found nothing."""
    is_on_page: bool
    """Whether it kept any block of the page."""


def refusals(candidates: Sequence[Candidate], pairs: Sequence[Sequence[float]]) -> list[str]:
    """Return for each extractor why it has no vote, or an empty string; `pairs` has the token F1 of each with each."""
    barred = [_barred(one) for one in candidates]
    weak = [reason or _weak(one.name) for reason, one in zip(barred, candidates, strict=True)]
    lonely = list(weak)
    voters = [number for number, reason in enumerate(weak) if not reason]
    for number in voters:
        best = max((pairs[number][other] for other in voters if other != number), default=0.0)
        if len(voters) > 2 and best < LEAST_SHARED:
            lonely[number] = f"agrees with nobody: a token F1 of {best:.2f} at most"
    return next((reasons for reasons in (lonely, weak) if reasons.count("") > 1), barred)


def strength(name: str, majority: float) -> float:
    """Return how good an extractor is: as measured, or as far as it agrees with the majority where it was not."""
    return 1.0 if name == "auto" else MEASURED.get(name, majority)


def _barred(one: Candidate) -> str:
    if one.name in CONTROLS:
        return "control, chooses nothing"
    if one.is_empty:
        return "kept nothing"
    return "" if one.is_on_page else "its text is not on the page itself, so none of it is coloured"


def _weak(name: str) -> str:
    measured = MEASURED.get(name, 1.0)
    return f"known to be weak: a token F1 of {measured:.2f} on annotated pages" if measured < LEAST_MEASURED else ""
