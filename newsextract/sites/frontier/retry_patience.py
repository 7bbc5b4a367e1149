"""How often a URL that gave no article is retried, and after how long, by how its visit ended."""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from collections.abc import Mapping

Waits: TypeAlias = tuple[timedelta, ...]
"""Waits after the first failure in a row, the second, and so on; after the last one the URL is given up."""

_DAY = timedelta(days=1)
_HALF_HOURS = tuple(timedelta(minutes=30) * 2**times for times in range(6))


class Patience(Enum):
    """How long to retry after a visit that gave no article; the values are the waits."""

    TRANSIENT = (timedelta(0), *_HALF_HOURS, _DAY, _DAY, _DAY)
    """A problem of the server: the next run retries, later runs retry less often, for four days."""
    LASTING = (_DAY, 3 * _DAY)
    """A problem of the page: it is gone, or not a page. Sites do lose pages for a day when they move."""
    REFUSED = (_DAY, 2 * _DAY, 4 * _DAY, 8 * _DAY)
    """Access is denied. A firewall that took us for an attack forgets within days."""
    EMPTY = (_DAY,)
    """An article that was announced before it was written."""
    NEVER = ()
    """It is not an article, and will not become one."""

    @property
    def waits(self) -> Waits:
        """The waits after the first failure in a row, the second, and so on."""
        found: Waits = self.value
        return found

    @classmethod
    def of_state(cls, state: str) -> Patience:
        """Return the patience with pages in a state, if nothing more is known about them."""
        return _BY_STATE.get(state, cls.TRANSIENT)

    @classmethod
    def of_status(cls, status: int) -> Patience:
        """Return the patience with the HTTP status of a failed response.

        >>> [Patience.of_status(status).name for status in (404, 403, 429, 500)]
        ['LASTING', 'REFUSED', 'TRANSIENT', 'TRANSIENT']
        """
        if status in _DENYING:
            return cls.REFUSED
        return cls.LASTING if 400 <= status < 500 and status not in _BUSY else cls.TRANSIENT


_BUSY = frozenset((408, 425, 429))
_DENYING = frozenset((401, 402, 403, 407, 451))

_ENDS = (PageState.OTHER, PageState.LISTING, PageState.DUPLICATE, PageState.PART, PageState.DROPPED)
_BY_STATE: Mapping[str, Patience] = {
    **dict.fromkeys(_ENDS, Patience.NEVER),
    PageState.EMPTY: Patience.EMPTY,
    PageState.BLOCKED: Patience.REFUSED,
}
