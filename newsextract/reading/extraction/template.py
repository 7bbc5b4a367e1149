"""Keep what differs between pages of one site and structure, after a thesis on the useful content of news sites.

Deturck, "Détection de contenu utile depuis des sites d'actualité" (INALCO, 2015). One page says nothing to it: `fit`
gives it five or more pages of a site, and returns an extractor for the pages of that site.

Departures: pages are grouped by the pq-grams of their elements, which approximate the tree edit distance of the thesis
in n log n; the body is the largest element whose text no other page has, and the pages of a group vote on its place,
as the conclusion of the thesis proposes (page 50). The pages are read one after the other and only what is compared is
kept, so that a thousand fit in memory; a page is read again when it, or one paired with it, is extracted.

Weak at: an element that holds more than the body, as a list of links around it, or less, as where the standfirst has a
box of its own; comments with names that do not say so; a page unlike all others, which has no answer unless it has an
element where the other bodies of the site are.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from newsextract.page.lazy import cached_property
from newsextract.page.text import words
from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page


MIN_PAGES = 5
"""Fewer pages tell too little about a site's structures; the thesis's smaller corpus had five (page 44)."""

TOO_FEW = Notice(NoticeCode.TOO_FEW_PAGES)
OUTLIER = Notice(NoticeCode.OUTLIER)

_RETOLD = 0.95
"""Two pages whose largest texts have a higher cosine tell the same story, and are not paired."""

_KEPT_PAIRS = 32
"""Parsed pages kept in memory: the pivots, which most pages are compared with."""

State: TypeAlias = Literal["kept", "differs", "template"]
"""The state of a block: kept, different in the other page but outside the body, or the same in both."""


@dataclass(eq=False)
class SiteTemplate:
    """An extractor that knows some pages of one site."""

    pages: Sequence[Page]
    name: str = "template"
    _read: dict[int, PageZones] = field(default_factory=dict, repr=False)

    @cached_property
    def grouping(self) -> Grouping:
        """The pages in their groups; raises `ModuleNotFoundError` without scikit-learn."""
        return group_pages([sketch.structure for sketch in self._sketches])

    def extract(self, page: Page) -> Extraction:
        """Return the useful content of a page of the site, one of `pages` or another."""
        if len(self.pages) < MIN_PAGES:
            return Extraction(self.name, warnings=(TOO_FEW,))
        group, pair = self._place(page)
        mine = PageZones(page)
        zone = self._body(mine, group, pair)
        if zone is None:
            return Extraction(self.name, warnings=(OUTLIER,) if pair is None else ())
        return Extraction(self.name, useful_blocks(zone, mine, None if pair is None else self._zones_of(pair)))

    def body(self, page: Page) -> int | None:
        """Return the element that holds the body of a page of the site; `None` if there is none."""
        zone = self._body(PageZones(page), *self._place(page))
        return None if zone is None else zone.element

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
        if pair is None:
            return ["kept" if block in kept else "differs" for block in page.blocks]
        mine, other = PageZones(page), self._zones_of(pair)
        spans = {run for block in kept for run in range(block.start, block.stop)}
        return [
            "kept" if block.start in spans else "template" if is_same(block.owner, mine, other) else "differs"
            for block in page.blocks
        ]

    def _place(self, page: Page) -> tuple[int, int | None]:
        """Return the group of a page, and the number of the page that it is compared with."""
        number = self._numbers.get(id(page))
        if number is not None:
            return self.grouping.groups[number], self.pair(number)
        mine, pivots = profile(page.outline.tags, page.outline.parents), self.grouping.pivots
        away = [distance(mine, self._sketches[pivot].structure) for pivot in pivots]
        group = away.index(min(away))
        return group, pivots[group]

    def _body(self, page: PageZones, group: int, pair: int | None) -> Zone | None:
        """Return the zone where the group has its bodies, an outlier's where the site has them, else the page's own."""
        path = self._elected[None if pair is None else group]
        there = _largest(zone for zone in page.zones if zone.path == path)
        return there or (None if pair is None else self._chosen(page.zones))

    def _chosen(self, zones: Iterable[Zone]) -> Zone | None:
        return _largest(zone for zone in zones if self._holders[zone.path, zone.text] <= 1)

    @cached_property
    def _holders(self) -> Counter[tuple[int, int]]:
        """On how many pages each text stands at each path."""
        return Counter(text for sketch in self._sketches for text in {(zone.path, zone.text) for zone in sketch.zones})

    @cached_property
    def _elected(self) -> dict[int | None, int | None]:
        """The path that most pages of each group choose; under the key `None`, that of the whole site."""
        votes: dict[int | None, Counter[int]] = defaultdict(Counter)
        for number, sketch in enumerate(self._sketches):
            zone = self._chosen(sketch.zones)
            if zone is not None and self.grouping.pairs[number] is not None:
                votes[self.grouping.groups[number]][zone.path] += 1
        votes[None] = sum(votes.values(), Counter())
        groups = (None, *range(len(self.grouping.pivots)))
        return {group: max(votes[group], key=votes[group].__getitem__, default=None) for group in groups}

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(page): number for number, page in enumerate(self.pages)}

    @cached_property
    def _sketches(self) -> list[_Sketch]:
        found = []
        for page in self.pages:
            zones = PageZones(copy(page))  # a copy, so that memory is freed page by page
            largest = _largest(zones.zones)
            structure = profile(zones.outline.tags, zones.outline.parents)
            found.append(_Sketch(structure, zones.zones, zones.bag(largest.element) if largest else Counter()))
        return found

    def _tells_the_same(self, one: int, other: int) -> bool:
        return cosine(self._sketches[one].largest, self._sketches[other].largest) > _RETOLD

    def _zones_of(self, number: int) -> PageZones:
        """Return the zones of a page that others are compared with."""
        if number not in self._read:
            if len(self._read) >= _KEPT_PAIRS:
                self._read.pop(next(iter(self._read)))
            self._read[number] = PageZones(copy(self.pages[number]))
        return self._read[number]


class _Sketch(NamedTuple):
    """What is kept of a page of the site."""

    structure: Profile
    zones: list[Zone]
    largest: Counter[str]
    """The words of its largest zone."""


@register
@dataclass(frozen=True)
class Template:
    """Keeps what differs from other pages of a known site."""

    name: ClassVar[str] = "template"
    requires: ClassVar[tuple[str, ...]] = ("sklearn",)
    extra: ClassVar[str] = "evaluate"
    min_pages: ClassVar[int] = MIN_PAGES
    """Fewest pages of a site that `fit` accepts."""

    def fit(self, pages: Sequence[Page]) -> SiteTemplate:
        """Group these pages of one site, and return an extractor for pages of that site."""
        site = SiteTemplate(pages)
        if len(pages) >= self.min_pages:
            _ = site.grouping  # computed on first use, and kept
        return site

    def extract(self, page: Page) -> Extraction:  # noqa: ARG002 - one page has no pair
        """Return an empty extraction with a warning: without `fit`, a single page cannot be compared."""
        return Extraction(self.name, warnings=(TOO_FEW,))


# Group the pages of one site by structure, and pair each with another.
#
# Deturck 2015, section 4.3: the distance matrix is laid out in two dimensions (classical scaling after Torgerson, then
# less stress), k-means groups the points, k by the silhouette coefficient; a page alone in its group is an outlier, the
# page nearest to the centroid is the pivot, and every other page of the group is paired with it. Layout and groups come
# from scikit-learn, in the extra `evaluate`; they are seeded, so that two runs agree, which the thesis's did not.
#
# Above `MAX_SAMPLE` pages a sample is grouped and every other page joins the group of the pivot nearest to it.

MAX_SAMPLE = 60
"""Pages that are grouped by all their distances; the thesis had 50 a site."""
MAX_GROUPS = 10
"""Groups tried; a site has fewer kinds of page than that."""
SEED = 2015
"""Fixed, so that two runs over the same pages agree."""
_STARTS = 10
"""Starts of k-means; the best result counts."""
_SAME = 1e-9
"""Smaller distances are zero except for rounding."""


@dataclass(frozen=True)
class Grouping:
    """The pages of a site in their groups; pages are numbers, in the order given."""

    points: NDArray[np.float64]
    """The position of each page in two dimensions: n rows of two."""
    groups: tuple[int, ...]
    """The group of each page, from 0."""
    pivots: tuple[int, ...]
    """The page nearest to the centroid of each group."""
    pairs: tuple[int | None, ...]
    """The page of its own group that each is compared with; `None` for an outlier."""

    @property
    def outliers(self) -> tuple[int, ...]:
        """The pages alone in their group."""
        return tuple(page for page, pair in enumerate(self.pairs) if pair is None)

    def members(self, group: int) -> tuple[int, ...]:
        """Return the pages of a group."""
        return tuple(page for page, its in enumerate(self.groups) if its == group)


def group_pages(structures: Sequence[Profile]) -> Grouping:
    """Return the groups of some pages of one site, given the structure of each."""
    count = len(structures)
    sample = list(range(count))
    if count > MAX_SAMPLE:
        sample = sorted(np.random.default_rng(SEED).choice(count, MAX_SAMPLE, replace=False).tolist())
    distances = np.array([[distance(structures[one], structures[other]) for other in sample] for one in sample])
    points = _scaled(distances)
    labels = _clustered(points)
    pivots = [sample[place] for place in _pivots(points, labels)]
    groups, layout = np.zeros(count, np.int64), np.zeros((count, 2))
    groups[sample], layout[sample] = labels, points
    for page in sorted(set(range(count)) - set(sample)):
        groups[page] = np.argmin([distance(structures[page], structures[pivot]) for pivot in pivots])
        layout[page] = points[np.argmin([distance(structures[page], structures[other]) for other in sample])]
    pairs = tuple(_pair(page, int(groups[page]), groups, pivots, layout) for page in range(count))
    return Grouping(layout, tuple(groups.tolist()), tuple(pivots), pairs)


def _scaled(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return n points in the plane whose distances are close to these n x n distances.

    Torgerson's classical scaling, improved by SMACOF's descent of the stress: no chance in either.
    """
    from sklearn.manifold import smacof  # noqa: PLC0415 - an extra

    count = len(distances)
    if count < 2 or distances.max() < _SAME:
        return np.zeros((count, 2))
    centring = np.eye(count) - 1 / count
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    # An eigenvector's sign is arbitrary: its largest component is made positive.
    vectors = vectors[:, -2:] * np.sign(vectors[np.abs(vectors[:, -2:]).argmax(axis=0), [-2, -1]])
    start = vectors * np.sqrt(np.maximum(values[-2:], 0))
    points: NDArray[np.float64] = smacof(distances, init=start, n_init=1, normalized_stress=False)[0]
    return points


def _clustered(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the group of each point; the silhouette coefficient chooses the number of groups."""
    from sklearn.cluster import KMeans  # noqa: PLC0415 - an extra
    from sklearn.metrics import silhouette_score  # noqa: PLC0415 - an extra

    best, best_score = np.zeros(len(points), np.int64), 0.0
    places = len(np.unique(points.round(9), axis=0))
    for k in range(2, min(MAX_GROUPS, places, len(points) - 1) + 1):
        labels = KMeans(k, n_init=_STARTS, random_state=SEED).fit_predict(points)
        score = float(silhouette_score(points, labels))
        if score > best_score + _SAME:
            best, best_score = labels.astype(np.int64), score
    return best


def _pivots(points: NDArray[np.float64], labels: NDArray[np.int64]) -> list[int]:
    """Return, for each group, the index of the point nearest to its centroid."""
    found = []
    for group in range(int(labels.max(initial=0)) + 1):
        members = np.flatnonzero(labels == group)
        away = np.linalg.norm(points[members] - points[members].mean(axis=0), axis=1)
        found.append(int(members[away.argmin()]))
    return found


def _pair(
    page: int, group: int, groups: NDArray[np.int64], pivots: Sequence[int], points: NDArray[np.float64]
) -> int | None:
    """Return the pivot, or for the pivot itself the page of its group nearest to it."""
    if pivots[group] != page:
        return pivots[group]
    others = [int(other) for other in np.flatnonzero(groups == group) if other != page]
    return min(others, key=lambda other: float(np.linalg.norm(points[other] - points[page])), default=None)


# The pq-gram distance between the structures of two pages.
#
# Augsten, Böhlen & Gamper, "Approximate Matching of Hierarchical Data Using pq-Grams" (VLDB 2005, pages 301-312). A
# pq-gram is an element with its p - 1 nearest ancestors (the stem) and q consecutive children (the base). The tree is
# extended by null nodes so that every element has stems and bases: p - 1 above the root, q - 1 before the first and
# after the last child, q below a leaf (definition 3.1). Here p is 2 and q is 3, as in the paper's experiments (section
# 6). The profile P of a tree is the bag of its pq-grams, and
#
#     distance = 1 - 2 |P ∩ P'| / (|P| + |P'|)                                                        (definition 4.3)
#
# from 0, for equal profiles, to 1. Labels are tags: neither text nor attributes count.

Profile: TypeAlias = "Counter[int]"
"""The bag of the pq-grams of a tree, each as a number, the same in one process."""


def profile(tags: Sequence[str], parents: Sequence[int]) -> Profile:
    """Return the profile of a tree given in document order, `parents[i]` being -1 for the root.

    >>> profile(["a", "a", "e", "b", "b", "c"], [-1, 0, 1, 1, 0, 0]).total()
    13
    """
    children: dict[int, list[str]] = defaultdict(list)
    for tag, parent in zip(tags, parents, strict=True):
        children[parent].append(tag)
    found: Profile = Counter()
    for node, (tag, parent) in enumerate(zip(tags, parents, strict=True)):
        inner = children.get(node)
        row = ("", "", *inner, "", "") if inner else ("", "", "")
        stem = tags[parent] if parent >= 0 else "", tag
        found.update(hash((*stem, *base)) for base in zip(row, row[1:], row[2:], strict=False))
    return found


def distance(one: Profile, other: Profile) -> float:
    """Return the pq-gram distance of two trees, from 0 to 1; two empty trees are alike."""
    total = one.total() + other.total()
    return 1 - 2 * (one & other).total() / total if total else 0.0


# Find the useful content of a page by another of the same structure.
#
# Deturck 2015, section 4.4.2, takes the second differing zone in source order that holds more than the first; the zone
# with most text of its own, of those whose text no other page has at this place, is right more often.
#
# The comparison goes on within the body: an element of it that says the same in the pair is template too, by the
# thesis's own definition of the useful content as "the text that differs between two pages of a site" (page 3).

_SAME_CONTENT = 1 - 1e-9
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
    return any(cosine(bag, pair.bag(other)) > _SAME_CONTENT for other in pair.by_path.get(page.paths[element], ()))


def useful_blocks(zone: Zone, page: PageZones, pair: PageZones | None) -> tuple[Block, ...]:
    """Return the blocks of a zone, without what is the same in the other page, comments and galleries."""
    inside = range(zone.element + 1, page.outline.stops[zone.element])

    def is_gone(owner: int) -> bool:
        return owner in inside and (page.is_aside(owner) or (pair is not None and is_same(owner, page, pair)))

    blocks = page.outline.blocks_between(*page.outline.runs_of(zone.element))
    return tuple(block for block in blocks if not is_gone(block.owner))


def _largest(zones: Iterable[Zone]) -> Zone | None:
    return max(zones, key=lambda zone: zone.own, default=None)


# The zones of a page: the elements that hold text of their own, each identified by its path.
#
# Deturck 2015, section 4.4.2. What divides the text rather than the page is no zone: paragraphs, lists and the like,
# and a bare `div`, since the element to find should have "a class name and CSS properties" (page 39). The text inside
# a zone is not that of the zone around it; so no share of the page's text is needed below which elements are pruned.
#
# Comments and galleries, named so in a class, an id or a style, are no zones either (page 39).
#
# Two elements of two pages are comparable if their paths are the same: the tags from the root, with their ids and
# classes. The thesis's XPath also counts siblings, and is void as soon as one page has one more (its section 5.3.2).

TEXT_TAGS = frozenset(
    "p br hr span font a b i u em strong small big sub sup mark abbr cite code q s strike del ins tt center nobr wbr "
    "blockquote pre ul ol li dl dt dd figure figcaption img picture table thead tbody tr label time address "
    "h1 h2 h3 h4 h5 h6".split()
)
"""Elements that divide a text rather than a page; the thesis filters "by a list of tags" (page 43) but prints none."""

_NAMES = ("class", "id", "style")
_ASIDE = re.compile("comment|gallery", re.IGNORECASE)


class Zone(NamedTuple):
    """An element with text of its own, neither of comments nor of a gallery."""

    element: int
    """Its number in the outline."""
    path: int
    text: int
    """Its words, and how often it has each, as a number."""
    own: int
    """Words that belong to it and to no zone inside it."""


@dataclass(eq=False)
class PageZones:
    """The zones of a page, and its elements by path; computed on first use."""

    page: Page
    _bags: dict[int, Counter[str]] = field(default_factory=dict, repr=False)

    @property
    def outline(self) -> Outline:
        """The elements and runs of the page."""
        return self.page.outline

    @cached_property
    def tokens(self) -> list[list[str]]:
        """The words of each run, in lower case."""
        return [words(run.lower()) for run in self.outline.runs]

    @cached_property
    def zones(self) -> list[Zone]:
        """The zones, in document order."""
        own: Counter[int] = Counter()
        for holder, tokens in zip(self.outline.holders, self.tokens, strict=True):
            own[self._zone_elements[holder]] += len(tokens)
        return [
            Zone(element, self.paths[element], hash(frozenset(self.bag(element).items())), count)
            for element, count in sorted(own.items())
            if count and not self.is_aside(element)
        ]

    @cached_property
    def paths(self) -> list[int]:
        """The path of each element as a number, the same on all pages in one process."""
        found: list[int] = []
        for tag, element, parent in zip(self.outline.tags, self.outline.elements, self.outline.parents, strict=True):
            above = found[parent] if parent >= 0 else 0
            found.append(hash((above, tag, element.get("id"), element.get("class"))))
        return found

    @cached_property
    def by_path(self) -> dict[int, list[int]]:
        """The elements with text of each path."""
        found: dict[int, list[int]] = defaultdict(list)
        for element, (start, stop) in enumerate(zip(self.outline.run_starts, self.outline.run_stops, strict=True)):
            if stop > start:
                found[self.paths[element]].append(element)
        return found

    def bag(self, element: int) -> Counter[str]:
        """Return how often each token occurs under an element."""
        if element not in self._bags:
            start, stop = self.outline.runs_of(element)
            self._bags[element] = Counter(token for tokens in self.tokens[start:stop] for token in tokens)
        return self._bags[element]

    def is_aside(self, element: int) -> bool:
        """Tell whether an element or one around it is named as a comment or a gallery."""
        return any(_ASIDE.search(names) is not None for names in map(self._names, self.outline.lineage(element)))

    @cached_property
    def _zone_elements(self) -> list[int]:
        """For each element, the nearest one among itself and its ancestors that may be a zone."""
        found: list[int] = []
        for number, (tag, parent) in enumerate(zip(self.outline.tags, self.outline.parents, strict=True)):
            is_text = tag in TEXT_TAGS or (tag == "div" and not self._names(number).strip())
            found.append(found[parent] if is_text and parent >= 0 else number)
        return found

    def _names(self, element: int) -> str:
        """Return the class, the id and the style of an element; those of `html` and `body` name the page."""
        if self.outline.tags[element] in ("html", "body"):
            return ""
        el = self.outline.elements[element]
        return " ".join(el.get(name) or "" for name in _NAMES)
