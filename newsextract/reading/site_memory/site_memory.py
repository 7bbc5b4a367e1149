"""The memory of one site: its groups of pages, the pages already counted, and what its titles share.

A page's title often has the site's name in a spelling found nowhere else on the page ("新华网" on xinhuanet.com); the
titles of three pages together show it.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

from newsextract.reading.metadata.titles.title_affixes import split_title
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.site_memory.page_group import KNOWN_PAGES, USUAL, PageGroup

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.hints import SiteEvidence
    from newsextract.reading.site_memory.page_lesson import Lesson, Sighting

MIN_TITLES = 3
"""Titles that must share a part: two may by chance, as articles on one subject."""
MIN_TITLE_SHARE = 0.3
"""Share of the site's titles: a section's name reaches it, the name of a person in the news does not."""
_MAX_TITLES = 500
"""Titles after which the counts are halved: a site may change its name."""
_MAX_END_CHARS = 80
"""A longer part is not the name of a site."""

ALIKE = 0.3
"""From this likeness on, a page belongs to a group."""
MAX_GROUPS = 8
"""Groups of a site; beyond that, the group without a page for the longest time is forgotten."""
MAX_BLOCKS = 20_000
"""Blocks remembered for a site: 20 bytes each, so that its memory stays well below 1 MB."""
MAX_PAGE_BLOCKS = 4_000
"""A page with more is a dump, which would push all others out of the memory."""
MAX_COUNTED = 4_096
"""Newest pages remembered as counted."""
FORGOTTEN_PAGES, FORGOTTEN_DAYS = 2_000, 365
"""Pages of the site, and days, after which a group without a new page is forgotten."""
MISFITS = 3
"""Pages of one URL shape in a row that must not fit before it is a change of layout: a single one is an odd page."""

_DAY = 86_400


@dataclass(slots=True)
class TitleMemory:
    """Counts the first and last parts of the titles of one site."""

    titles: dict[bytes, None] = field(default_factory=dict)
    """A hash of each title that counts, in order of arrival."""
    ends: Counter[str] = field(default_factory=Counter)

    def learn(self, title: str) -> None:
        """Count a title; a repeated title is ignored."""
        mark = blake2b(title.encode("utf-8", "replace"), digest_size=8).digest()
        if mark in self.titles:
            return
        self.titles[mark] = None
        self.ends.update(end for end in _ends(title) if len(end) <= _MAX_END_CHARS)
        if len(self.titles) > _MAX_TITLES:
            self.titles = dict.fromkeys(list(self.titles)[_MAX_TITLES // 2 :])
            self.ends = Counter({end: count // 2 for end, count in self.ends.items() if count > 1})

    def shared(self) -> frozenset[str]:
        """Return the parts that titles of the site share, in the form of `title_affixes.site_keys`."""
        least = max(MIN_TITLES, MIN_TITLE_SHARE * len(self.titles))
        return frozenset(end for end, count in self.ends.items() if count >= least)


def _ends(title: str) -> Iterator[str]:
    """Yield the first and the last part of a title that has several.

    >>> list(_ends("Rain in Spain | Weather - The Plain"))
    ['raininspain', 'theplain']
    """
    parts = split_title(title)
    if len(parts) > 1:
        keys = parts.keys
        # A word before a colon is more likely a label than a name.
        yield from (keys[-1],) if parts.behind_colon[1] else (keys[0], keys[-1])


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a site's memory says about a page."""

    sighting: Sighting
    group: PageGroup | None
    """The group that it belongs to, or `None`."""
    is_counted: bool = False
    """Whether the page is among those that the memory has learned from."""
    warnings: tuple[Notice, ...] = ()

    @property
    def evidence(self) -> SiteEvidence | None:
        """What the group's other pages say about this one, by what has been learned so far; `None` without a group."""
        if self.group is None:
            return None
        return self.group.evidence(self.sighting.prints, is_counted=self.is_counted)


@dataclass
class SiteMemory:
    """What is known of one site."""

    site: str
    pages: int = 0
    """Pages counted since the site was first met."""
    groups: list[PageGroup] = field(default_factory=list)
    counted: dict[int, None] = field(default_factory=dict)
    """The keys of the newest pages that were counted."""
    titles: TitleMemory = field(default_factory=TitleMemory)
    misfits: Counter[str] = field(default_factory=Counter)
    """By URL shape, the newest pages in a row that did not fit; counted in this run only."""
    _matched: tuple[Sighting, PageGroup | None] | None = field(default=None, repr=False, compare=False)
    """The page recalled last, and its group: usually it is learned next."""

    def recall(self, sighting: Sighting) -> Recalled:
        """Return the group of a page, and what the group's other pages say about it."""
        group = self._group_of(sighting)
        warnings: tuple[Notice, ...] = ()
        if self.misfits[sighting.shape] >= MISFITS - 1 and self._is_misfit(sighting, group):
            warnings = (Notice(NoticeCode.LAYOUT_CHANGED, shape=sighting.shape),)
        return Recalled(sighting, group, sighting.page_key in self.counted, warnings)

    def learn(self, lesson: Lesson, day: int | None = None) -> PageGroup | None:
        """Count a page and return its group; `None` if it is counted already, is a copy of a page, or is too large."""
        day = int(time.time() / _DAY) if day is None else day
        if lesson.title:
            self.titles.learn(lesson.title)
        key, group = lesson.sighting.page_key, self._group_of(lesson.sighting)
        if key in self.counted or len(lesson.kept) > MAX_PAGE_BLOCKS:
            return None
        self._note(key)
        if group is not None and group.is_copy(lesson):
            return None
        self._note_fit(lesson.sighting, group)
        self.pages += 1
        if group is None:
            group = PageGroup(self.pages)
            self.groups.append(group)
        group.learn(lesson, self.pages, day)
        self._forget(day)
        self._matched = None
        return group

    def misses(self, lesson: Lesson, group: PageGroup | None) -> tuple[Notice, ...]:
        """Return notices of what is not at its usual place on pages of this group."""
        if group is None or group.pages < KNOWN_PAGES:
            return ()
        warnings = []
        for name in ("body", "date", "author"):
            place, share = group.usual(name)
            found = lesson.places.get(name)
            held = sum(group.names.get(name, {}).values())
            if share >= USUAL and held >= USUAL * group.pages and found != place:
                warnings.append(Notice(NoticeCode.MISPLACED, part=name, place=place))
        return tuple(warnings)

    def _group_of(self, sighting: Sighting) -> PageGroup | None:
        if self._matched is not None and self._matched[0] is sighting:
            return self._matched[1]
        places, _ = sighting.prints.distinct
        likeness, best = max(((group.likeness(places), -n) for n, group in enumerate(self.groups)), default=(0.0, 0))
        group = self.groups[-best] if likeness >= ALIKE else None
        self._matched = (sighting, group)
        return group

    def _is_misfit(self, sighting: Sighting, group: PageGroup | None) -> bool:
        """Tell whether a page has the URL shape of a known group, but another layout."""
        if not sighting.shape or (group is not None and group.pages >= KNOWN_PAGES):
            return False
        known = (other for other in self.groups if other is not group and other.pages >= KNOWN_PAGES)
        return any(usual[0] == sighting.shape and usual[1] >= USUAL for usual in (one.usual("shape") for one in known))

    def _note_fit(self, sighting: Sighting, group: PageGroup | None) -> None:
        if self._is_misfit(sighting, group):
            self.misfits[sighting.shape] += 1
        else:
            self.misfits.pop(sighting.shape, None)

    def _note(self, key: int) -> None:
        self.counted[key] = None
        if len(self.counted) > MAX_COUNTED:
            del self.counted[next(iter(self.counted))]

    def _forget(self, day: int) -> None:
        """Drop groups that are out of use, and the least useful blocks beyond the limit."""
        self.groups = [
            group
            for group in self.groups
            if self.pages - group.newest <= FORGOTTEN_PAGES and day - group.day <= FORGOTTEN_DAYS
        ]
        while len(self.groups) > MAX_GROUPS:
            self.groups.remove(min(self.groups, key=lambda group: group.newest))
        while sum(len(group.blocks) for group in self.groups) > MAX_BLOCKS:
            largest = max(self.groups, key=lambda group: len(group.blocks))
            # Drop a quarter at a time: sorting for every page would cost more than everything else.
            largest.blocks.keep_best(len(largest.blocks) * 3 // 4)
