"""The stretch of a page with the largest sum: the global step of maximum subsequence segmentation.

Pasternack & Roth, "Extracting Article Text from the Web with Maximum Subsequence Segmentation" (WWW 2009), section 3,
on blocks: each has the log-odds that it is content, weighted by its length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_SUREST = 1e-4


def log_odds(probabilities: Floats) -> Floats:
    """Return the logarithms of the odds, none surer than 1 in 10,000.

    >>> log_odds(np.array([0.5, 0.0])).round(1).tolist()
    [0.0, -9.2]
    """
    bounded = np.clip(probabilities, _SUREST, 1 - _SUREST)
    odds: Floats = np.log(bounded / (1 - bounded))
    return odds


def best_segment(scores: Floats) -> tuple[int, int]:
    """Return the bounds of the slice with the largest sum; an empty slice where no sum is above 0.

    >>> best_segment(np.array([-1.0, 3.0, -1.0, 2.0, -4.0, 1.0]))
    (1, 4)
    >>> best_segment(np.array([-1.0]))
    (0, 0)
    """
    sums = np.zeros(len(scores) + 1)
    np.cumsum(scores, out=sums[1:])
    lowest = np.minimum.accumulate(sums)
    stop = int(np.argmax(sums - lowest))
    if sums[stop] <= lowest[stop]:
        return 0, 0
    return int((sums[: stop + 1] == lowest[stop]).nonzero()[0][-1]), stop
