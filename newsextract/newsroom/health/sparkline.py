"""A row of numbers as a row of bars, a character each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BARS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
"""For a number that is not there."""


def sparkline(values: Sequence[float | None], width: int) -> str:
    """Return bars from zero to the greatest; of more values than the width, the last ones.

    >>> sparkline([0, 1, None, 7], 10), sparkline([1, 2, 3], 2), sparkline([0, 0], 5)
    ('▁▂·█', '▆█', '▁▁')
    """
    shown = values[-width:]
    top = max((value for value in shown if value is not None), default=0.0) or 1.0
    return "".join(NOTHING if value is None else BARS[round(value / top * (len(BARS) - 1))] for value in shown)
