"""Keep what differs between pages of one site and structure, after a thesis on the useful content of news sites.

Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015). One page says nothing to it: `fit`
gives it five or more pages of a site, and returns an extractor for the pages of that site.

A departure: pages are grouped by the pq-grams of their elements, which approximate the tree edit distance of the thesis
in n log n. The pages are read one after the other and only their structure and their largest text are kept, so that a
thousand fit in memory; a page is read again when it, or one paired with it, is extracted.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.extraction.page_structure import (
    PageZones,
    block_states,
    cosine,
    differing_zones,
    distance,
    group_pages,
    largest_zone,
    profile,
    second_zone,
    useful_blocks,
)
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.page_structure import Grouping, Profile, State


MIN_PAGES = 5
"""Fewer pages tell too little about a site's structures; the thesis's smaller corpus had five (page 44)."""

TOO_FEW = Notice(NoticeCode.TOO_FEW_PAGES)
OUTLIER = Notice(NoticeCode.OUTLIER)

_RETOLD = 0.95
"""Two pages whose largest texts have a higher cosine tell the same story, and are not paired."""

_KEPT_PAIRS = 32
"""Parsed pages kept in memory: the pivots, which most pages are compared with."""


@dataclass(eq=False)
class SiteTemplate:
    """An extractor that knows some pages of one site."""

    pages: Sequence[Page]
    is_nested: bool = True
    """Whether the share of a zone includes that of the zones inside it."""
    name: str = "template"
    _read: dict[int, PageZones] = field(default_factory=dict, repr=False)

    @cached_property
    def grouping(self) -> Grouping:
        """The pages in their groups; raises `ModuleNotFoundError` without scikit-learn."""
        return group_pages([sketch.profile for sketch in self._sketches])

    def extract(self, page: Page) -> Extraction:
        """Return the useful content of a page of the site, one of `pages` or another."""
        if len(self.pages) < MIN_PAGES:
            return Extraction(self.name, warnings=(TOO_FEW,))
        number = self._numbers.get(id(page))
        pair = self._nearest_pivot(page) if number is None else self.pair(number)
        if pair is None:
            return Extraction(self.name, warnings=(OUTLIER,))
        mine, other = PageZones(page, self.is_nested), self._zones_of(pair)
        zone = second_zone(differing_zones(mine, other))
        return Extraction(self.name, useful_blocks(zone, mine, other) if zone else ())

    def pair(self, number: int) -> int | None:
        """Return the page that one of `pages` is compared with; `None` for an outlier.

        It is the one that the grouping gives, unless that tells the same story: then the nearest page that does not, of
        the same group if possible.
        """
        first = self.grouping.pairs[number]
        if first is None or not self._tells_the_same(number, first):
            return first
        points, groups = self.grouping.points, np.array(self.grouping.groups)
        away = np.linalg.norm(points - points[number], axis=1)
        nearest = np.lexsort((away, groups != groups[number]))
        others = (int(other) for other in nearest if other != number)
        return next((other for other in others if not self._tells_the_same(number, other)), first)

    def states(self, page: Page, kept: Sequence[Block]) -> list[State]:
        """Return the state of each block of one of `pages`, given the kept ones."""
        pair = self.pair(self._numbers[id(page)])
        mine = PageZones(page, self.is_nested)
        if pair is None:
            return ["kept" if block in kept else "differs" for block in page.blocks]
        return block_states(kept, mine, self._zones_of(pair))

    def _nearest_pivot(self, page: Page) -> int:
        mine = profile(page.outline.tags, page.outline.parents)
        return min(self.grouping.pivots, key=lambda pivot: distance(mine, self._sketches[pivot].profile))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(page): number for number, page in enumerate(self.pages)}

    @cached_property
    def _sketches(self) -> list[_Sketch]:
        # Copies are read, so that memory is freed page by page.
        return [_sketch(PageZones(copy(page), self.is_nested)) for page in self.pages]

    def _tells_the_same(self, one: int, other: int) -> bool:
        return cosine(self._sketches[one].largest, self._sketches[other].largest) > _RETOLD

    def _zones_of(self, number: int) -> PageZones:
        """Return the zones of a page that others are compared with."""
        if number not in self._read:
            if len(self._read) >= _KEPT_PAIRS:
                self._read.pop(next(iter(self._read)))
            self._read[number] = PageZones(copy(self.pages[number]), self.is_nested)
        return self._read[number]


@dataclass(frozen=True)
class _Sketch:
    """What is kept of a page of the site."""

    profile: Profile
    largest: Counter[str]
    """The words of its largest zone."""


def _sketch(page: PageZones) -> _Sketch:
    largest = largest_zone(page.zones)
    words = Counter() if largest is None else page.bag(largest.element)
    tags, parents = page.outline.tags, page.outline.parents
    return _Sketch(profile(tags, parents), words)


@register
@dataclass(frozen=True)
class Template:
    """Keeps what differs from other pages of a known site."""

    name: ClassVar[str] = "template"
    requires: ClassVar[tuple[str, ...]] = ("sklearn",)
    extra: ClassVar[str] = "template"
    min_pages: ClassVar[int] = MIN_PAGES
    """Fewest pages of a site that `fit` accepts."""

    shares: str = "nested"
    """The share of an element includes `nested` zones, as in the thesis, or is its `own`."""

    def __post_init__(self) -> None:
        if self.shares not in ("nested", "own"):
            raise ValueError(f"`shares` must be nested or own, not {self.shares!r}")

    def fit(self, pages: Sequence[Page]) -> SiteTemplate:
        """Group these pages of one site, and return an extractor for pages of that site."""
        site = SiteTemplate(pages, self.shares == "nested")
        if len(pages) >= self.min_pages:
            _ = site.grouping  # computed on first use, and kept
        return site

    def extract(self, page: Page) -> Extraction:  # noqa: ARG002 - one page has no pair
        """Return an empty extraction with a warning: without `fit`, a single page cannot be compared."""
        return Extraction(self.name, warnings=(TOO_FEW,))
