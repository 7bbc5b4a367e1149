"""What the titles of a site share at their ends, learned as its pages go by.

A page seldom spells its site's name as its title does ("新华网" on xinhuanet.com); three pages of the site together
show it.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from newsextract.metadata.titles.title_parts import split_title

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_TITLES = 3
"""Titles that must end alike: two articles on one matter may."""
MIN_SHARE = 0.3
"""Of the site's titles: a section has its share of them, the name of a person in the news has not."""
_MAX_SITES = 2_000
_MAX_TITLES = 500
"""Titles counted a site; by then its name is known."""


@dataclass(slots=True)
class _Site:
    titles: set[bytes] = field(default_factory=set)
    ends: Counter[str] = field(default_factory=Counter)


class TitleMemory:
    """Counts the first and last parts of titles by site; the sites met longest ago are forgotten."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, _Site] = OrderedDict()

    def learn(self, site: str, title: str) -> None:
        """Count a title of the site; the same title again says nothing new."""
        known = self._sites.setdefault(site, _Site())
        self._sites.move_to_end(site)
        if len(self._sites) > _MAX_SITES:
            self._sites.popitem(last=False)
        mark = blake2b(title.encode("utf-8", "replace"), digest_size=8).digest()
        if mark not in known.titles and len(known.titles) < _MAX_TITLES:
            known.titles.add(mark)
            known.ends.update(_ends(title))

    def shared(self, site: str) -> frozenset[str]:
        """Return what titles of the site share, in the form of `affixes.site_keys`."""
        known = self._sites.get(site)
        if known is None:
            return frozenset()
        least = max(MIN_TITLES, MIN_SHARE * len(known.titles))
        return frozenset(end for end, count in known.ends.items() if count >= least)


def _ends(title: str) -> Iterator[str]:
    """Yield the first and the last part of a title that has several.

    >>> list(_ends("Rain in Spain | Weather - The Plain"))
    ['raininspain', 'theplain']
    """
    parts = split_title(title)
    if len(parts) > 1:
        keys = parts.keys
        # A word before a colon is rather a label than a name.
        yield from (keys[-1],) if parts.behind_colon[1] else (keys[0], keys[-1])
