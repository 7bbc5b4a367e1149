"""Keep what differs between pages of one site and structure, after a thesis on the useful content of news sites.

Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015). One page says nothing to it: `fit`
gives it five or more pages of a site, and returns an extractor for the pages of that site.

A departure: pages are grouped by the pq-grams of their elements, which approximate the tree edit distance of the thesis
in n log n. `distance="edit"` is that distance itself, on sites whose pages have at most 1,500 elements each.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.extraction.page_structure import (
    CHOICES,
    MIN_SHARE,
    PageZones,
    Zone,
    block_states,
    cosine,
    differing_zones,
    elected,
    group_pages,
    largest_zone,
    useful_blocks,
    zone_at,
)
from newsextract.reading.extraction.tree_distance import (
    MAX_FORESTS,
    distance,
    essential_element,
    profile,
    tree_distance,
    tree_of,
)
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.page_structure import Grouping, State
    from newsextract.reading.extraction.tree_distance import Profile, Tree


# Compare pages of one site, and find the useful content of each, or of another page of the site.
#
# The pages are read one after the other and only their structure and their largest text are kept, so that a thousand
# fit in memory; a page is read again when it, or one paired with it, is extracted.

MIN_PAGES = 5
"""Fewer pages tell too little about a site's structures; the thesis's smaller corpus had five (page 44)."""

TOO_FEW = Notice(NoticeCode.TOO_FEW_PAGES)
OUTLIER = Notice(NoticeCode.OUTLIER)
NO_MAPPING = Notice(NoticeCode.NO_MAPPING)

_RETOLD = 0.95
"""Two pages whose largest texts have a higher cosine tell the same story, and are not paired."""

_KEPT_PAIRS = 32
"""Parsed pages kept in memory: the pivots, which most pages are compared with."""


@dataclass(frozen=True)
class Method:
    """How the useful content is found once every page has a pair."""

    choice: str = "order"
    """`order` or `share`; see `useful.Choice`."""
    vote: bool = False
    """Whether the element that most pages of the group return is the body in all of them."""
    mapping: bool = False
    """Whether the first line of attack of the thesis is used, with its edit mapping, on pages small enough."""
    min_share: float = MIN_SHARE
    """Share of a page's tokens; elements with less are pruned."""
    shares: str = "nested"
    """Whether the share of an element includes `nested` zones, or is its `own`."""
    distance: str = "pqgrams"
    """`pqgrams`, or `edit` for the tree edit distance, on sites whose pages are small enough."""


@dataclass(eq=False)
class SiteTemplate:
    """An extractor that knows some pages of one site."""

    pages: Sequence[Page]
    method: Method = Method()
    name: str = "template"
    _read: dict[int, PageZones] = field(default_factory=dict, repr=False)

    @cached_property
    def grouping(self) -> Grouping:
        """The pages in their groups.

        Raises:
            TemplateUnavailable: scikit-learn is missing.
        """
        return group_pages(self._sketches, self._distance)

    def extract(self, page: Page) -> Extraction:
        """Return the useful content of a page of the site, one of `pages` or another."""
        if len(self.pages) < MIN_PAGES:
            return Extraction(self.name, warnings=(TOO_FEW,))
        number = self._numbers.get(id(page))
        group, pair = self._place(page) if number is None else (self.grouping.groups[number], self.pair(number))
        if pair is None and not self.method.vote:
            return Extraction(self.name, warnings=(OUTLIER,))
        mine = self._read_zones(page)
        other = mine if pair is None else self._zones_of(pair)
        zone = self._zone(mine, None if pair is None else other, group)
        if zone is None:
            return Extraction(self.name, warnings=(NO_MAPPING,) if self.method.mapping else ())
        if other is mine:
            return Extraction(self.name, page.outline.blocks_between(*page.outline.runs_of(zone.element)))
        return Extraction(self.name, useful_blocks(zone, mine, other))

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
        mine = self._read_zones(page)
        if pair is None:
            return ["kept" if block in kept else "differs" for block in page.blocks]
        return block_states(kept, mine, self._zones_of(pair))

    def _place(self, page: Page) -> tuple[int, int | None]:
        """Return the group whose pivot a new page is nearest to, and that pivot."""
        mine = _sketch(self._read_zones(page))
        pivots = self.grouping.pivots
        group = int(np.argmin([self._distance(mine, self._sketches[pivot]) for pivot in pivots]))
        return group, pivots[group]

    def _zone(self, page: PageZones, pair: PageZones | None, group: int) -> Zone | None:
        chosen = self._chosen(page, pair) if pair is not None else None
        if not self.method.vote:
            return chosen
        return zone_at(self._elected[group if pair is not None else None], page) or chosen

    def _chosen(self, page: PageZones, pair: PageZones) -> Zone | None:
        if self.method.mapping:
            element = essential_element(page, pair)
            share = 0.0 if element is None else page.share(element)
            return None if element is None else Zone(element, page.outline.stops[element], share, share)
        return CHOICES[self.method.choice](differing_zones(page, pair))

    @cached_property
    def _elected(self) -> dict[int | None, int | None]:
        """The path that each group returns most; under the key `None`, that of the whole site."""
        returned: dict[int, list[int | None]] = {group: [] for group in self.grouping.groups}
        for number, group in enumerate(self.grouping.groups):
            if (pair := self.pair(number)) is not None:
                page = self._read_zones(copy(self.pages[number]))
                zone = self._chosen(page, self._zones_of(pair))
                returned[group].append(None if zone is None else page.paths[zone.element])
        everywhere = elected(path for paths in returned.values() for path in paths)
        return {None: everywhere, **{group: elected(paths) for group, paths in returned.items()}}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(page): number for number, page in enumerate(self.pages)}

    @cached_property
    def _sketches(self) -> list[_Sketch]:
        # Copies are read, so that memory is freed page by page.
        return [_sketch(self._read_zones(copy(page))) for page in self.pages]

    @cached_property
    def _measures_edits(self) -> bool:
        """Whether the tree edit distance is wanted, and no page is too large: two measures cannot be in one matrix."""
        return self.method.distance == "edit" and all(sketch.tree.forests <= MAX_FORESTS for sketch in self._sketches)

    def _distance(self, one: _Sketch, other: _Sketch) -> float:
        if self._measures_edits:
            return tree_distance(one.tree, other.tree)
        return distance(one.profile, other.profile)

    def _read_zones(self, page: Page) -> PageZones:
        return PageZones(page, self.method.min_share, self.method.shares == "nested")

    def _tells_the_same(self, one: int, other: int) -> bool:
        return cosine(self._sketches[one].largest, self._sketches[other].largest) > _RETOLD

    def _zones_of(self, number: int) -> PageZones:
        """Return the zones of a page that others are compared with."""
        if number not in self._read:
            if len(self._read) >= _KEPT_PAIRS:
                self._read.pop(next(iter(self._read)))
            self._read[number] = self._read_zones(copy(self.pages[number]))
        return self._read[number]


@dataclass(frozen=True)
class _Sketch:
    """What is kept of a page of the site."""

    profile: Profile
    tree: Tree
    largest: Counter[str]
    """The words of its largest zone."""


def _sketch(page: PageZones) -> _Sketch:
    largest = largest_zone(page.zones)
    words = Counter() if largest is None else page.bag(largest.element)
    tags, parents = page.outline.tags, page.outline.parents
    return _Sketch(profile(tags, parents), tree_of(tags, parents), words)


@register
@dataclass(frozen=True)
class Template:
    """Keeps what differs from other pages of a known site."""

    name: ClassVar[str] = "template"
    requires: ClassVar[tuple[str, ...]] = ("apted", "sklearn")
    extra: ClassVar[str] = "template"
    min_pages: ClassVar[int] = MIN_PAGES
    """Fewest pages of a site that `fit` accepts."""

    choice: str = "order"
    """The body is the second differing zone in source `order`, as in the thesis, or that with most text of its own."""
    vote: bool = False
    """Whether a group's pages agree on the element by vote, as the thesis's conclusion proposes."""
    mapping: bool = False
    """Whether to use the thesis's first line of attack, the edit mapping of token trees, on pages small enough."""
    min_share: float = MIN_SHARE
    """Elements with a smaller share of a page's tokens are pruned; 2 % in the thesis."""
    shares: str = "nested"
    """The share of an element includes `nested` zones, as in the thesis, or is its `own`."""
    distance: str = "pqgrams"
    """How far two structures are apart: by `pqgrams`, or by the `edit` distance of the trees, which takes longer."""

    def __post_init__(self) -> None:
        if self.choice not in CHOICES:
            raise ValueError(f"`choice` must be one of {', '.join(CHOICES)}, not {self.choice!r}")
        for name, allowed in (("shares", ("nested", "own")), ("distance", ("pqgrams", "edit"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"`{name}` must be {' or '.join(allowed)}, not {getattr(self, name)!r}")
        if not 0 <= self.min_share < 1:
            raise ValueError("`min_share` must be at least 0 and below 1")

    def fit(self, pages: Sequence[Page]) -> SiteTemplate:
        """Group these pages of one site, and return an extractor for pages of that site."""
        site = SiteTemplate(pages, Method(**asdict(self)))
        if len(pages) >= self.min_pages:
            _ = site.grouping  # computed on first use, and kept
        return site

    def extract(self, page: Page) -> Extraction:  # noqa: ARG002 - one page has no pair
        """Return an empty extraction with a warning: without `fit`, a single page cannot be compared."""
        return Extraction(self.name, warnings=(TOO_FEW,))
