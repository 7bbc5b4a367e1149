"""A group of a site's pages with the same layout: how to tell its members, their template and their usual places."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from newsextract.page.hints import SiteEvidence
from newsextract.reading.site_memory.tally import PAGES, SEEN, Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from newsextract.page.nesting import Booleans
    from newsextract.reading.site_memory.block_fingerprints import Fingerprints, Keys
    from newsextract.reading.site_memory.page_lesson import Lesson

MIN_HOLDERS = 3
"""Other pages that must have a block for it to be template: two may quote each other, or tell the same news."""
MIN_SHARE = 0.1
"""Share of the group's pages that must have it: an agency's sentence is on many pages, but on a small share."""
MIN_SHARE_IN_BODY = 0.25
"""The same at a place that mostly holds the article: recurring headings of tables and columns stand there too."""
MIN_SHARE_WHILE_NEW = 0.6
"""The same in a group of fewer than `TELLING_PAGES`: who came first, and who passes a lower share, is chance."""
MIN_PLACE_PAGES = 5
"""Pages of the group that must have a place before the place counts."""
SURE = 0.6
"""Mean probability of a place's blocks from which on it speaks for a block; below 1 - SURE it speaks against."""
_DOUBT_BLOCKS, _DOUBT_MEAN = 3.0, 0.3
"""The prior mean of a place before its blocks are known, and how many blocks that prior weighs."""
_MOST_ODDS = 4.0
_ROUNDING = 0.01

KNOWN_PAGES = 10
"""Pages from which on a group can tell where a date belongs, and that a page does not fit."""
TELLING_PAGES = 6
"""Pages from which on its places and rarer repetitions count."""
_NO_PART = -20.0
"""The log-odds of a block that most pages have, so many that it counts in a new group: it is no part of an article,
however likely it looks."""
USUAL = 0.8
"""Share of a group's pages that makes a place the usual one."""

FADE_PAGES = 256
"""Pages of a group after which its counts are halved."""
_FORGOTTEN = 0.6
"""Rows below this count are dropped on halving: a row of one page goes, a row of two stays."""
_MOST_PLACES = 2_000
_MOST_NAMES = 20

_FIRST = 2
_BLOCKS, _LIKELY = 2, 3

_COPY_NEW = 0.2
"""Share of a page's kept text that may be new on a copy of an earlier page: a correction, another headline."""
_COPY_SAME = 0.5
"""Share of it that must have come first on one and the same page."""


@dataclass
class PageGroup:
    """Counts over the pages of one group; old pages fade by repeated halving."""

    number: int
    """Number of the site's page that founded the group; tells the groups of a site apart."""
    pages: float = 0.0
    newest: int = 0
    """Number of its newest page."""
    day: int = 0
    """When that page came, in days since 1970."""
    blocks: Tally = field(default_factory=lambda: Tally(3))
    """Counts by text and place; the third column is the number of the first page that had the block."""
    places: Tally = field(default_factory=lambda: Tally(4))
    """Counts by place; also how many blocks have been judged there, and the sum of their probabilities."""
    names: dict[str, Counter[str]] = field(default_factory=dict)
    """How often the body, the date and the author were found at which place; also the shapes of the URLs."""

    def likeness(self, places: Keys) -> float:
        """Return how similar a page with these distinct places is to the group, from 0 to 1 (weighted Jaccard)."""
        if not self.pages:
            return 0.0
        shared = float(self.places.column(places, PAGES).sum()) / self.pages
        expected = float(self.places.values[:, PAGES].sum()) / self.pages
        return shared / max(len(places) + expected - shared, 1e-9)

    def evidence(self, prints: Fingerprints, *, is_counted: bool) -> SiteEvidence:
        """Return what the group's other pages say about a page; `is_counted`: the page itself is in the counts.

        While the group is new, only blocks that most of its pages have count, and no places: so it hardly matters which
        pages came first.
        """
        others = self.blocks.column(prints.keys, PAGES) - is_counted
        if self.pages - is_counted < TELLING_PAGES:
            least_new = max(MIN_HOLDERS, MIN_SHARE_WHILE_NEW * (self.pages - is_counted))
            is_shared = others > least_new - _ROUNDING
            return SiteEvidence(is_shared, np.where(is_shared, _NO_PART, 0.0), dict(self._known_places()))
        means = self._means(prints.places)
        shares = np.where(means >= 0.5, MIN_SHARE_IN_BODY, MIN_SHARE)
        least = np.maximum(MIN_HOLDERS, shares * (self.pages - is_counted))
        is_sure = (means >= SURE) | (means <= 1 - SURE)
        odds = np.where(is_sure, np.clip(np.log(means / (1 - means)), -_MOST_ODDS, _MOST_ODDS), 0.0)
        most = max(MIN_HOLDERS, MIN_SHARE_WHILE_NEW * (self.pages - is_counted))
        odds[others > most - _ROUNDING] = _NO_PART
        return SiteEvidence(others > least - _ROUNDING, odds, dict(self._known_places()))

    def _means(self, places: Keys) -> NDArray[np.float64]:
        """Return the mean probability of the blocks at each place, NaN where too little is known."""
        means = np.full(len(places), np.nan)
        rows, is_known = self.places.find(places)
        if is_known.any():
            counts = self.places.values[rows].astype(np.float64)
            is_known &= (counts[:, PAGES] >= MIN_PLACE_PAGES) & (counts[:, _BLOCKS] > 0)
            likely = counts[:, _LIKELY] + _DOUBT_MEAN * _DOUBT_BLOCKS
            means[is_known] = (likely / (counts[:, _BLOCKS] + _DOUBT_BLOCKS))[is_known]
        return means

    def is_copy(self, lesson: Lesson) -> bool:
        """Tell whether nearly all that was kept of a page comes from one earlier page."""
        is_kept = lesson.kept >= 0.5
        prints = lesson.sighting.prints
        sizes = prints.lengths[is_kept]
        if not len(sizes):
            return False
        rows, is_known = self.blocks.find(prints.keys[is_kept])
        known = sizes[is_known]
        if known.sum() < (1 - _COPY_NEW) * sizes.sum():
            return False
        firsts = self.blocks.values[rows[is_known], _FIRST].astype(np.intp)
        _, numbers = np.unique(firsts, return_inverse=True)
        return bool(np.bincount(numbers, known).max() >= _COPY_SAME * sizes.sum())

    def learn(self, lesson: Lesson, number: int, day: int) -> None:
        """Count a page; `number` is its number in the site."""
        self.pages += 1
        self.newest, self.day = number, day
        prints = lesson.sighting.prints
        rows, is_new = self.blocks.rows(np.unique(prints.keys))
        self.blocks.values[rows, PAGES] += 1
        self.blocks.values[rows, SEEN] = number
        self.blocks.values[rows[is_new], _FIRST] = number
        self._learn_places(lesson, number)
        for name, value in (*lesson.places.items(), ("shape", lesson.sighting.shape)):
            counter = self.names.setdefault(name, Counter())
            counter[value] += 1
            if len(counter) > _MOST_NAMES:
                del counter[min(counter, key=counter.__getitem__)]
        if self.pages > FADE_PAGES:
            self.fade()

    def _learn_places(self, lesson: Lesson, number: int) -> None:
        keys, numbers = lesson.sighting.prints.distinct
        rows, _ = self.places.rows(keys)
        self.places.values[rows, PAGES] += 1
        self.places.values[rows, SEEN] = number
        if lesson.is_judged:
            is_judged: Booleans = ~np.isnan(lesson.kept)
            judged = numbers[is_judged]
            self.places.values[rows, _BLOCKS] += np.bincount(judged, minlength=len(keys)).astype(np.float32)
            likely = np.bincount(judged, lesson.kept[is_judged], minlength=len(keys))
            self.places.values[rows, _LIKELY] += likely.astype(np.float32)
        self.places.keep_best(_MOST_PLACES)

    def fade(self) -> None:
        """Halve all counts, and drop the rows that become too small."""
        self.pages /= 2
        self.blocks.values[:, PAGES] /= 2
        self.places.values[:, [PAGES, _BLOCKS, _LIKELY]] /= 2
        for tally in (self.blocks, self.places):
            tally.keep(tally.values[:, PAGES] >= _FORGOTTEN)
        for counter in self.names.values():
            for name in counter:
                counter[name] = (counter[name] + 1) // 2

    def _known_places(self) -> Iterator[tuple[str, str]]:
        """Yield the places of the date and the author, if most pages have them at one place."""
        for name in ("date", "author"):
            place, share = self.usual(name)
            if share >= USUAL and sum(self.names[name].values()) >= max(KNOWN_PAGES, USUAL * self.pages):
                yield name, place

    def usual(self, name: str) -> tuple[str, float]:
        """Return the most frequent place of the body, the date or the author, and its share of the pages."""
        counter = self.names.get(name)
        if not counter:
            return "", 0.0
        place, count = max(counter.items(), key=lambda item: item[1])
        return place, count / max(sum(counter.values()), 1)
