"""A page as a sequence of blocks: runs of text that no block-level tag interrupts.

The elements and the text runs are numbered in document order. Blocks are slices of the runs; extractors select blocks,
and compute on the numbers without asking the tree again. Everything is linear in the size of the page at any depth, up
to a sort, and the tree is never edited.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field, replace
from itertools import compress, repeat
from types import MethodType
from typing import TYPE_CHECKING, Generic, TypeVar, cast
from weakref import WeakMethod

import numpy as np

from newsextract.page.characters import Characters, read_characters
from newsextract.page.lazy import cached_property
from newsextract.page.outline import Arrays, are, read_runs
from newsextract.page.text import as_read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.page.outline import Integers

    Rule = Callable[[str, HtmlElement], bool]
    """Takes a tag and its element, and tells whether the element is hidden."""


# The blocks of a page as columns: their texts as a reader sees them, and how many of their characters are links.


@dataclass(frozen=True, slots=True)
class BlockTable:
    """The same blocks as `Outline.blocks`, as columns for code that computes on all of them at once."""

    texts: list[str]
    link_chars: Integers
    starts: Integers
    stops: Integers
    owners: Integers


def tabulate(runs: list[str], arrays: Arrays) -> BlockTable:
    """Return the blocks that have at least one visible character."""
    bounds = arrays.bounds.tolist()
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    joined = [runs[start] for start in bounds[:-1]]
    for number in (stops - starts > 1).nonzero()[0].tolist():
        joined[number] = "".join(runs[bounds[number] : bounds[number + 1]])
    texts = list(map(as_read, joined))
    linked_chars = _all_link_chars(texts, runs, arrays)
    if "" in texts:
        kept = [number for number, text in enumerate(texts) if text]
        texts = [texts[number] for number in kept]
        starts, stops, linked_chars = starts[kept], stops[kept], linked_chars[kept]
    return BlockTable(texts, linked_chars, starts, stops, arrays.owners[arrays.holders[starts]])


def _all_link_chars(texts: list[str], runs: list[str], arrays: Arrays) -> Integers:
    """Return how many characters of each text lie inside links."""
    linked_before = np.append(0, arrays.linked.cumsum())
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    linked = linked_before[stops] - linked_before[starts]
    found: Integers = np.fromiter(map(len, texts), np.intp, len(texts)) * (linked == stops - starts)
    for number in ((linked > 0) & (linked < stops - starts)).nonzero()[0].tolist():
        inside = slice(starts[number], stops[number])
        found[number] = link_chars(texts[number], runs[inside], arrays.linked[inside].tolist())
    return found


def link_chars(text: str, runs: list[str], linked: list[bool]) -> int:
    """Return how many characters of the text made of these runs lie inside links."""
    if True not in linked:
        return 0
    return len(text) if False not in linked else len(as_read("".join(compress(runs, linked))))


_SHOWN_CHARS = 60
"""Characters of a block that its `repr` shows."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text unbroken by any block-level tag, as a reader sees it: spaces folded, on one line."""

    text: str = field(compare=False)
    link_chars: int = field(compare=False)
    """Characters of the text that lie inside links."""
    outline: Outline = field(repr=False)
    start: int
    stop: int
    """The block is `outline.runs[start:stop]`."""

    def __repr__(self) -> str:
        cut = self.text if len(self.text) <= _SHOWN_CHARS else f"{self.text[: _SHOWN_CHARS - 1]}…"
        return f"<Block {self.tag}: {cut!r}>"

    @property
    def element(self) -> HtmlElement:
        """The nearest block-level element around the text."""
        return self.outline.elements[self.owner]

    @property
    def owner(self) -> int:
        """The number of `element` in the outline."""
        return self.outline.owners[self.outline.holders[self.start]]

    @property
    def tag(self) -> str:
        """The tag of `element`."""
        return self.outline.tags[self.owner]

    @property
    def path(self) -> str:
        """The tags from the root to `element`, as in `html/body/div/p`."""
        return "/".join(reversed([self.outline.tags[i] for i in self.outline.lineage(self.owner)]))

    @property
    def link_density(self) -> float:
        """Share of the text that sits inside links, from 0 to 1."""
        return self.link_chars / len(self.text) if self.text else 0.0

    def cut(self, start: int, stop: int) -> Block:
        """Return the part of this block that lies in `outline.runs[start:stop]`."""
        return self.outline.block(max(start, self.start), min(stop, self.stop))


def _listed(name: str) -> cached_property[list[int]]:
    """Return a property that holds one of the outline's arrays as a list."""
    return cached_property(lambda outline: getattr(outline.arrays, name).tolist())


@dataclass(eq=False)
class Outline:
    """The elements and the text runs of a page as parallel lists, both in document order.

    An element is its number: `tags[i]`, `parents[i]` (-1 for the root), `stops[i]` (one past its last descendant),
    `owners[i]` (itself, or its nearest block-level ancestor), and `run_starts[i]:run_stops[i]`, the runs inside it.
    A run is a text node with something visible in it: its text with the gap before it, the element that directly
    `holders[r]` it, whether it is `linked[r]`, and the `tags_before[r]` it: two an element, one if it is void, and none
    of those of elements that bear no text.

    The numbers are made as `arrays`, and as lists when a list is first asked for; so are the blocks.
    """

    base_url: str | None
    elements: list[HtmlElement]
    tags: list[str]
    runs: list[str]
    arrays: Arrays

    parents = _listed("parents")
    stops = _listed("stops")
    owners = _listed("owners")
    run_starts = _listed("run_starts")
    run_stops = _listed("run_stops")
    holders = _listed("holders")
    tags_before = _listed("tags_before")

    @cached_property
    def tag_names(self) -> frozenset[str]:
        """Every tag that the page has."""
        return frozenset(self.tags)

    @cached_property
    def linked(self) -> list[bool]:
        """Whether each run lies in a link."""
        linked: list[bool] = self.arrays.linked.tolist()
        return linked

    @cached_property
    def table(self) -> BlockTable:
        """The blocks as columns."""
        return tabulate(self.runs, self.arrays)

    @cached_property
    def characters(self) -> Characters:
        """The characters of each block, counted by class."""
        return read_characters(self.table.texts)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that have at least one visible character."""
        table = self.table
        columns = table.link_chars.tolist(), repeat(self), table.starts.tolist(), table.stops.tolist()
        return tuple(map(Block, table.texts, *columns))

    def blocks_at(self, numbers: Iterable[int]) -> tuple[Block, ...]:
        """Return the blocks of these numbers, without making the others."""
        table = self.table
        return tuple(
            Block(table.texts[n], int(table.link_chars[n]), self, int(table.starts[n]), int(table.stops[n]))
            for n in numbers
        )

    def tagged(self, tag: str) -> list[int]:
        """Return the elements with a tag that `codes_of` numbers, in page order."""
        found: list[int] = are(self.arrays.codes, tag).nonzero()[0].tolist()
        return found

    def lineage(self, element: int) -> Iterator[int]:
        """Yield the element and its ancestors, innermost first."""
        while element >= 0:
            yield element
            element = self.parents[element]

    def runs_of(self, element: int) -> tuple[int, int]:
        """Return the start and stop of the runs inside an element."""
        return self.run_starts[element], self.run_stops[element]

    def block(self, start: int, stop: int) -> Block:
        """Return the block made of `runs[start:stop]`."""
        runs = self.runs[start:stop]
        text = as_read("".join(runs))
        return Block(text, link_chars(text, runs, self.linked[start:stop]), self, start, stop)

    def blocks_between(self, start: int, stop: int) -> tuple[Block, ...]:
        """Return the blocks that make up `runs[start:stop]`, the outer two cut where it cuts them."""
        first = max(bisect_right(self.blocks, start, key=lambda block: block.start) - 1, 0)
        last = bisect_left(self.blocks, stop, key=lambda block: block.start)
        found = []
        for block in self.blocks[first:last]:
            if block.stop > start:
                is_whole = start <= block.start and block.stop <= stop
                found.append(block if is_whole else block.cut(start, stop))
        return tuple(block for block in found if block.text)


def segment(elements: list[HtmlElement], base_url: str | None = None) -> Outline:
    """Return the outline of a page of these elements.

    Text under `td` or `body` itself makes blocks like any other; two line breaks in a row end a block, one does not.
    """
    tags = cast("list[str]", [element.tag for element in elements])
    return Outline(base_url, elements, tags, *read_runs(elements, tags))


# What an element inherits from its ancestors, and what lies inside it; linear in the size of the page at any depth.

_T = TypeVar("_T")


class Inherited(Generic[_T]):
    """A property that each element derives from its parent's; computed on demand, once for each element."""

    def __init__(self, outline: Outline, outside: _T, step: Callable[[_T, int], _T]) -> None:
        """Take the value outside the root, and the function from (parent's value, element) to the element's value.

        A method's object must live as long as this, which does not keep it.
        """
        self._parents = outline.parents
        self._known = {-1: outside}
        # An object that holds this would be in a cycle with it, and keep its page until the garbage collector runs.
        self._step = WeakMethod(step) if isinstance(step, MethodType) else lambda: step

    def of(self, element: int) -> _T:
        """Return the value for an element."""
        try:
            return self._known[element]
        except KeyError:
            return self._derived(element)

    def _derived(self, element: int) -> _T:
        pending = []
        while element not in self._known:
            pending.append(element)
            element = self._parents[element]
        value = self._known[element]
        step = self._step()
        if step is None:
            raise ReferenceError("the object whose method computes the property is gone")
        for inner in reversed(pending):
            value = self._known[inner] = step(value, inner)
        return value


def nearest(outline: Outline, tag: str) -> Inherited[int]:
    """Return, for each element, the nearest one of this tag among itself and its ancestors, or -1."""
    return Inherited(outline, -1, lambda around, element: element if outline.tags[element] == tag else around)


def blocks_inside(outline: Outline, elements: Iterable[int]) -> Iterator[Block]:
    """Yield the blocks inside these elements, which come in page order; blocks of nested elements come once."""
    reached = 0
    for element in elements:
        start, stop = outline.runs_of(element)
        yield from outline.blocks_between(max(start, reached), stop)
        reached = max(reached, stop)


# Masks hide parts of a page from an extractor without changing the page. A mask of elements is a rule for one element,
# which hides all that it holds; a mask of blocks hides blocks by their numbers. Masking returns
# another outline with the same numbers, in which hidden runs are empty and hidden tags are not counted: a block keeps
# its position, so every extractor works with every mask.

WUTSI_TAGS = frozenset("head style script nav iframe noscript header footer aside form".split())
"""Elements that hold no text of the article (Wutsi's list)."""

WUTSI_NAMES = frozenset(
    "footer comments menu-ay-side-menu-mine mashsb-container top-nav related_posts share-post navbar nav addthis_tool "
    "embedly-card sidebar rrssb-buttons the_champ_sharing_container a2a_kit post-infos jeg_share_top_container "
    "jeg_share_bottom_container jeg_post_tags jp-relatedposts truncate-read-more jnews_author_box_container "
    "jnews_related_post_container jnews_prev_next_container jnews_inline_related_post_wrapper ads-wrapper "
    "td-post-sharing".split()
)
"""Ids and classes of sections without article text: those of Wutsi's published program, whole names."""

_SHARING = re.compile(
    r"twitter\.com/(?:intent/tweet|share)|facebook\.com/sharer?\.php|plus\.google\.com/share|"
    r"linkedin\.com/(?:shareArticle|cws/share)|pinterest\.com/pin/create/button"
)


def wutsi_rule(tag: str, element: HtmlElement) -> bool:
    """Tell whether Wutsi's cleaning phase removes an element; no tree has HTML comments by then."""
    if tag in WUTSI_TAGS:
        return True
    names = element.get("class", "").lower().split()
    if tag == "a" and (
        "tag" in names + element.get("rel", "").lower().split() or _SHARING.search(element.get("href", ""))
    ):
        return True
    return not WUTSI_NAMES.isdisjoint((*names, element.get("id", "").lower()))


RULES: dict[str, Rule] = {"wutsi": wutsi_rule}
"""The masks of elements that can be chosen by name."""

MOST_OF_PAGE = 0.95
"""Share of a page's characters. With .9 dragnet loses .004 of F1, without a limit chaos .037 and wcxb .017."""


def mask(outline: Outline, rule: Rule) -> Outline:
    """Return the outline without the elements that the rule hides; those left empty bear no text, so they go too.

    An element with `MOST_OF_PAGE` of the text is not hidden, whatever its name: libxml2 leaves a header open whose end
    tag crosses another element, and all that follows is in it.
    """
    chars = np.append(0, np.cumsum([len(run) for run in outline.runs]))
    inside = chars[outline.arrays.run_stops] - chars[outline.arrays.run_starts]
    is_page = (inside >= MOST_OF_PAGE * chars[-1]).tolist()
    gone: list[bool] = []
    for tag, element, parent, spared in zip(outline.tags, outline.elements, outline.parents, is_page, strict=True):
        gone.append((parent >= 0 and gone[parent]) or (not spared and rule(tag, element)))
    runs = ["" if gone[holder] else run for run, holder in zip(outline.runs, outline.holders, strict=True)]
    return replace(outline, runs=runs, arrays=outline.arrays.counting(~np.array(gone)))


def mask_blocks(outline: Outline, gone: NDArray[np.bool_]) -> Outline:
    """Return the outline without the text of some of its blocks; all tags are counted as before."""
    runs = list(outline.runs)
    table = outline.table
    for start, stop in zip(table.starts[gone].tolist(), table.stops[gone].tolist(), strict=True):
        runs[start:stop] = [""] * (stop - start)
    return replace(outline, runs=runs)
