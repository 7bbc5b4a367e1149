"""The memory of one site: its groups of pages, which of its pages were counted, and what its titles share.

A page seldom spells its site's name as its title does ("新华网" on xinhuanet.com); three pages of the site together
show it.
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
"""Titles that must end alike: two articles on one matter may."""
MIN_TITLE_SHARE = 0.3
"""Of the site's titles: a section has its share of them, the name of a person in the news has not."""
_MAX_TITLES = 500
"""Titles counted before half of what they say fades: a site may get another name."""
_MAX_END_CHARS = 80
"""No name of a site is longer."""

ALIKE = 0.3
"""Likeness from which on a page belongs to a group."""
MAX_GROUPS = 8
"""Groups of a site; of more the one is forgotten that had a page longest ago."""
MAX_BLOCKS = 20_000
"""Blocks remembered of a site: 20 bytes each, so that a site's memory stays well below 1 MB."""
MAX_PAGE_BLOCKS = 4_000
"""A page of more is a dump, which would make the memory forget all others."""
MAX_COUNTED = 4_096
"""Pages of which it is remembered that they were counted."""
FORGOTTEN_PAGES, FORGOTTEN_DAYS = 2_000, 365
"""Pages of the site, and days, after which a group without a new page is forgotten."""
MISFITS = 3
"""Pages of one kind of address in a row, of which none fits, that make a change of layout: one is an odd page."""

_DAY = 86_400


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
        """Return what titles of the site share, in the form of `title_affixes.site_keys`."""
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
        # A word before a colon is rather a label than a name.
        yield from (keys[-1],) if parts.behind_colon[1] else (keys[0], keys[-1])


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a memory says of a page."""

    sighting: Sighting
    group: PageGroup | None
    """The group that it is of, if there is one yet."""
    evidence: SiteEvidence | None
    warnings: tuple[Notice, ...] = ()


@dataclass
class SiteMemory:
    """What is known of one site."""

    site: str
    pages: int = 0
    """How many have been counted since the site was first met."""
    groups: list[PageGroup] = field(default_factory=list)
    counted: dict[int, None] = field(default_factory=dict)
    """The keys of the newest pages that were counted."""
    titles: TitleMemory = field(default_factory=TitleMemory)
    misfits: Counter[str] = field(default_factory=Counter)
    """By shape of the address, the newest pages in a row that did not fit; of this run only."""
    _matched: tuple[Sighting, PageGroup | None] | None = field(default=None, repr=False, compare=False)
    """The page that was recalled last, and its group: as a rule it is learned next."""

    def recall(self, sighting: Sighting) -> Recalled:
        """Return what the other pages of its group say of a page."""
        group = self._group_of(sighting)
        warnings: tuple[Notice, ...] = ()
        if self.misfits[sighting.shape] >= MISFITS - 1 and self._is_misfit(sighting, group):
            warnings = (Notice(NoticeCode.LAYOUT_CHANGED, shape=sighting.shape),)
        if group is None:
            return Recalled(sighting, None, None, warnings)
        is_counted = sighting.page_key in self.counted
        return Recalled(sighting, group, group.evidence(sighting.prints, is_counted=is_counted), warnings)

    def learn(self, lesson: Lesson, day: int | None = None) -> PageGroup | None:
        """Count a page, and return its group; `None` for one that is counted already, or a copy of one."""
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
        """Return warnings for what is not where it usually is on pages of this group."""
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
        """Tell whether a page has the address of a known group and is made otherwise."""
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
        """Drop the groups that are out of use and the blocks that are too many."""
        self.groups = [
            group
            for group in self.groups
            if self.pages - group.newest <= FORGOTTEN_PAGES and day - group.day <= FORGOTTEN_DAYS
        ]
        while len(self.groups) > MAX_GROUPS:
            self.groups.remove(min(self.groups, key=lambda group: group.newest))
        while sum(len(group.blocks) for group in self.groups) > MAX_BLOCKS:
            largest = max(self.groups, key=lambda group: len(group.blocks))
            # A quarter at a time: sorting for every page would cost more than all the rest.
            largest.blocks.keep_best(len(largest.blocks) * 3 // 4)
