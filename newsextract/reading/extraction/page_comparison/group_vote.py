"""The vote over a group: the element that most of its pages return.

The conclusion of the thesis (Deturck 2015, page 50) proposes it against errors of the grouping, and for pages too far
from the rest of their group: there the outliers, which have no pair, are answered by the vote of the whole site.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.reading.extraction.page_comparison.zones import PageZones, Zone


def elected(paths: Iterable[int | None]) -> int | None:
    """Return the path that is returned most, of equally many the first; None if nobody returns any.

    >>> elected([7, None, 8, 8, None, None])
    8
    """
    votes = Counter(path for path in paths if path is not None)
    return max(votes, key=lambda path: votes[path], default=None)


def zone_at(path: int | None, page: PageZones) -> Zone | None:
    """Return the zone of a page that has this path, of several the one with the largest share."""
    found = [zone for zone in page.zones if page.paths[zone.element] == path]
    return max(found, key=lambda zone: zone.share, default=None)
