"""What the titles of a site share at their ends, learned as its pages go by.

A page seldom spells its site's name as its title does ("新华网" on xinhuanet.com); three pages of the site together
show it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from newsextract.reading.metadata.titles.title_affixes import split_title

if TYPE_CHECKING:
    from collections.abc import Iterator

MIN_TITLES = 3
"""Titles that must end alike: two articles on one matter may."""
MIN_SHARE = 0.3
"""Of the site's titles: a section has its share of them, the name of a person in the news has not."""
_MAX_TITLES = 500
"""Titles counted before half of what they say fades: a site may get another name."""
_MAX_END_CHARS = 80
"""No name of a site is longer."""


@dataclass(slots=True)
class TitleMemory:
    """Counts the first and last parts of the titles of one site."""

    titles: dict[bytes, None] = field(default_factory=dict)
    """A mark of each title that counts, in the order of their arrival."""
    ends: Counter[str] = field(default_factory=Counter)

    def learn(self, title: str) -> None:
        """Count a title; the same title again says nothing new."""
        mark = blake2b(title.encode("utf-8", "replace"), digest_size=8).digest()
        if mark in self.titles:
            return
        self.titles[mark] = None
        self.ends.update(end for end in _ends(title) if len(end) <= _MAX_END_CHARS)
        if len(self.titles) > _MAX_TITLES:
            self.titles = dict.fromkeys(list(self.titles)[_MAX_TITLES // 2 :])
            self.ends = Counter({end: count // 2 for end, count in self.ends.items() if count > 1})

    def shared(self) -> frozenset[str]:
        """Return what titles of the site share, in the form of `affixes.site_keys`."""
        least = max(MIN_TITLES, MIN_SHARE * len(self.titles))
        return frozenset(end for end, count in self.ends.items() if count >= least)


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
