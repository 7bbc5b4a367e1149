"""The zones of a page: the elements that hold a fair share of its text, each identified by its path.

Deturck 2015, section 4.4.2: every element gets the share of the page's tokens under it, nested elements included, and
those below 2 % are pruned. What divides the text rather than the page is no zone: paragraphs, lists and the like, and a
bare `div`, since the element to find should have "a class name and CSS properties" (page 39). Nor is one that merely
encloses zones, as `html` does: of its own, without the zones inside it, a zone must have 2 % too.

Comments and galleries, named so in a class, an id or a style, are no zones either (page 39).

Two elements of two pages are comparable if their paths are the same: the tags from the root, with their ids and
classes. The thesis's XPath also counts siblings, and is void as soon as one page has one more (its section 5.3.2).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

from newsextract.page.text import words

if TYPE_CHECKING:
    from newsextract.page.blocks import Outline
    from newsextract.page.page import Page

MIN_SHARE = 0.02
"""Least share of the page's tokens that makes a zone; the thesis's example (page 37)."""

TEXT_TAGS = frozenset(
    "p br hr span font a b i u em strong small big sub sup mark abbr cite code q s strike del ins tt center nobr wbr "
    "blockquote pre ul ol li dl dt dd figure figcaption img picture table thead tbody tr label time address "
    "h1 h2 h3 h4 h5 h6".split()
)
"""Elements that divide a text rather than a page; the thesis filters "by a list of tags" (page 43) but prints none."""

_NAMES = ("class", "id", "style")
_ASIDE = re.compile("comment|gallery", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Zone:
    """An element with a fair share of the text of a page."""

    element: int
    """Its number in the outline."""
    stop: int
    """One past its last descendant."""
    share: float
    """Share of the page's tokens under the element, from 0 to 1; with `own` shares the next figure."""
    own: float
    """Share of the page's tokens that belong to the zone and to no zone inside it."""

    def encloses(self, other: Zone) -> bool:
        """Tell whether another zone lies inside this one."""
        return self.element < other.element < self.stop


@dataclass(eq=False)
class PageZones:
    """The zones of a page, and its elements by path; computed on first use."""

    page: Page
    min_share: float = MIN_SHARE
    is_nested: bool = True
    """Whether the share of a zone includes that of the zones inside it."""
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
    def sums(self) -> list[int]:
        """How many tokens precede each run, and the end."""
        return [0, *accumulate(map(len, self.tokens))]

    @cached_property
    def zones(self) -> list[Zone]:
        """The zones with at least `min_share` of the page's tokens, in document order."""
        own: Counter[int] = Counter()
        for holder, tokens in zip(self.outline.holders, self.tokens, strict=True):
            own[self._zone_elements[holder]] += len(tokens)
        total, stops = self.sums[-1], self.outline.stops
        return [
            Zone(el, stops[el], self.share(el) if self.is_nested else n / total, n / total)
            for el, n in sorted(own.items())
            if n and n / total >= self.min_share
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

    def share(self, element: int) -> float:
        """Return the share of the page's tokens under an element, from 0 to 1."""
        start, stop = self.outline.runs_of(element)
        return (self.sums[stop] - self.sums[start]) / self.sums[-1] if self.sums[-1] else 0.0

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
