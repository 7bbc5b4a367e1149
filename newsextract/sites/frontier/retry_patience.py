"""How often a URL that gave no article is retried, and after how long, by how its visit ended."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from collections.abc import Mapping

Waits: TypeAlias = tuple[timedelta, ...]
"""Waits after the first failure in a row, the second, and so on; after the last one the URL is given up."""

_DAY = timedelta(days=1)
_HALF_HOURS = tuple(timedelta(minutes=30) * 2**times for times in range(6))

TRANSIENT: Waits = (timedelta(0), *_HALF_HOURS, _DAY, _DAY, _DAY)
"""A problem of the server: the next run retries, then fewer and fewer do, for four days."""
LASTING: Waits = (_DAY, 3 * _DAY)
"""A problem of the page: it is gone, or not a page. Sites do lose pages for a day when they move."""
REFUSED: Waits = (_DAY, 2 * _DAY, 4 * _DAY, 8 * _DAY)
"""Access is denied. A firewall that took us for an attack forgets within days."""
EMPTY: Waits = (_DAY,)
"""An article that was announced before it was written."""
NEVER: Waits = ()

_ENDS = (PageState.OTHER, PageState.LISTING, PageState.DUPLICATE, PageState.PART, PageState.DROPPED)
_WAITS_BY_STATE: Mapping[str, Waits] = {**dict.fromkeys(_ENDS, NEVER), PageState.EMPTY: EMPTY}

_BUSY = ("http 408", "http 425", "http 429")
_DENIED = ("robots.txt", "private address", "http 401", "http 402", "http 403", "http 407", "http 451")
_BROKEN = (
    "not HTML", "too large", "too slow", "too many redirects", "redirect loop",
    "redirects off the site", "redirects to another page", "unsupported scheme",
)  # fmt: skip
_WAITS_BY_REASON: Mapping[str, Waits] = {
    **dict.fromkeys(_BUSY, TRANSIENT),
    **dict.fromkeys(_DENIED, REFUSED),
    **dict.fromkeys(_BROKEN, LASTING),
}


def waits_for(state: str, reason: str) -> Waits:
    """Return the waits after a visit that ended in this state for this reason; an unknown reason counts as temporary.

    >>> waits_for("error", "http 500") is TRANSIENT, waits_for("error", "http 404") is LASTING
    (True, True)
    """
    if state in _WAITS_BY_STATE:
        return _WAITS_BY_STATE[state]
    return _WAITS_BY_REASON.get(reason) or (LASTING if reason.startswith("http 4") else TRANSIENT)
