"""Find the useful content of a page by another of the same structure, and let a group vote on its place.

Deturck 2015, section 4.4.2. Zones that say the same in both pages are template, comments and galleries are left out. Of
the others, in source order, the first is the headline; the second, which must hold more than the first and lie outside
it, is the body. Where no zone follows that holds more, the first is the body: a headline below 2 % is no zone.

The comparison goes on within the body: an element of it that says the same in the pair is template too, by the thesis's
own definition of the useful content as "the text that differs between two pages of a site" (page 3).

The conclusion of the thesis (page 50) proposes the vote, for the element that most pages of a group return, against
errors of the grouping, and for pages too far from the rest of their group: there the outliers, which have no pair, are
answered by the vote of the whole site.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from newsextract.page.blocks import Block
    from newsextract.reading.extraction.page_comparison.zones import PageZones, Zone

Choice: TypeAlias = Literal["order", "share"]
"""How the body is chosen: the second in source order, as the thesis does, or the one with most text of its own."""

_SAME = 1 - 1e-9
"""A cosine above this is 1 except for rounding."""


def cosine(one: Counter[str], other: Counter[str]) -> float:
    """Return the cosine of the angle between two bags of words, from 0 to 1; 1 for two empty ones.

    >>> from collections import Counter
    >>> round(cosine(Counter("ab"), Counter("bc")), 9), cosine(Counter("aab"), Counter("aba"))
    (0.5, 1.0)
    """
    if one == other:
        return 1.0
    norms = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    return sum(n * other[token] for token, n in one.items() if token in other) / norms if norms else 0.0


def is_same(element: int, page: PageZones, pair: PageZones) -> bool:
    """Tell whether an element has the same text as one with the same path and attributes in the other page."""
    bag = page.bag(element)
    return any(cosine(bag, pair.bag(other)) > _SAME for other in pair.by_path.get(page.paths[element], ()))


def differing_zones(page: PageZones, pair: PageZones) -> list[Zone]:
    """Return the zones that are neither template nor comments nor galleries, in source order.

    Zones around one with more text of its own are left out: too high in the tree (page 38 of the thesis).
    """
    found = [zone for zone in page.zones if not page.is_aside(zone.element) and not is_same(zone.element, page, pair)]
    return [zone for zone in found if not any(zone.encloses(other) and other.own > zone.own for other in found)]


def second_zone(zones: Sequence[Zone]) -> Zone | None:
    """Return the first zone after the headline that holds more and lies outside it; the headline if there is none.

    >>> from newsextract.reading.extraction.page_comparison.zones import Zone
    >>> second_zone([Zone(3, 5, 0.05, 0.05), Zone(6, 7, 0.02, 0.02), Zone(8, 30, 0.6, 0.4), Zone(9, 12, 0.2, 0.2)])
    Zone(element=8, stop=30, share=0.6, own=0.4)
    """
    if not zones:
        return None
    headline = zones[0]
    return next((zone for zone in zones if zone.share > headline.share and not headline.encloses(zone)), headline)


def largest_zone(zones: Sequence[Zone]) -> Zone | None:
    """Return the zone with most text of its own; of equal ones the first."""
    return max(zones, key=lambda zone: zone.own, default=None)


CHOICES: dict[str, Callable[[Sequence[Zone]], Zone | None]] = {"order": second_zone, "share": largest_zone}
"""The choices by name."""


State: TypeAlias = Literal["kept", "differs", "template"]
"""The state of a block: kept, different in the other page but outside the body, or the same in both."""


def block_states(kept: Sequence[Block], page: PageZones, pair: PageZones) -> list[State]:
    """Return the state of each block of a page, in order."""
    spans = {run for block in kept for run in range(block.start, block.stop)}
    return [
        "kept" if block.start in spans else "template" if is_same(block.owner, page, pair) else "differs"
        for block in page.outline.blocks
    ]


def useful_blocks(zone: Zone, page: PageZones, pair: PageZones) -> tuple[Block, ...]:
    """Return the blocks of a zone, without what is the same in the other page, comments and galleries."""
    gone: dict[int, bool] = {zone.element: False}

    def is_gone(owner: int) -> bool:
        if owner not in gone:
            is_within = zone.element < owner < zone.stop
            gone[owner] = is_within and (page.is_aside(owner) or is_same(owner, page, pair))
        return gone[owner]

    blocks = page.outline.blocks_between(*page.outline.runs_of(zone.element))
    return tuple(block for block in blocks if not is_gone(block.owner))


def elected(paths: Iterable[int | None]) -> int | None:
    """Return the most frequent path, the first of equally frequent ones; `None` if there is none.

    >>> elected([7, None, 8, 8, None, None])
    8
    """
    votes = Counter(path for path in paths if path is not None)
    return max(votes, key=lambda path: votes[path], default=None)


def zone_at(path: int | None, page: PageZones) -> Zone | None:
    """Return the zone of a page with this path; of several, the one with most text of its own."""
    return largest_zone([zone for zone in page.zones if page.paths[zone.element] == path])
