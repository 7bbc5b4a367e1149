"""A page as a sequence of blocks: runs of text that no block-level tag interrupts.

The elements and the text runs are numbered in document order. Blocks are slices of the runs; extractors select blocks,
and compute on the numbers without asking the tree again. Everything is linear in the size of the page at any depth, up
to a sort, and the tree is never edited.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import compress, repeat
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from newsextract.runs import Arrays, read_runs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from newsextract.nesting import Integers


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


@dataclass(frozen=True, slots=True)
class BlockTable:
    """The blocks of a page as columns: the same as `Outline.blocks`, for those who compute on all of them at once."""

    texts: list[str]
    link_chars: Integers
    starts: Integers
    stops: Integers
    owners: Integers


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

    @cached_property
    def parents(self) -> list[int]:
        """The parent of each element, -1 for the root."""
        return _listed(self.arrays.parents)

    @cached_property
    def stops(self) -> list[int]:
        """One past the last descendant of each element."""
        return _listed(self.arrays.stops)

    @cached_property
    def owners(self) -> list[int]:
        """The nearest block-level element around each element, itself included."""
        return _listed(self.arrays.owners)

    @cached_property
    def run_starts(self) -> list[int]:
        """The first run inside each element."""
        return _listed(self.arrays.run_starts)

    @cached_property
    def run_stops(self) -> list[int]:
        """One past the last run inside each element."""
        return _listed(self.arrays.run_stops)

    @cached_property
    def holders(self) -> list[int]:
        """The element that directly holds each run."""
        return _listed(self.arrays.holders)

    @cached_property
    def linked(self) -> list[bool]:
        """Whether each run lies in a link."""
        return _listed(self.arrays.linked)

    @cached_property
    def tags_before(self) -> list[int]:
        """How many tags precede each run."""
        return _listed(self.arrays.tags_before)

    @cached_property
    def table(self) -> BlockTable:
        """The blocks as columns."""
        return _tabulate(self.runs, self.arrays)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that have a visible letter."""
        table = self.table
        columns = table.link_chars.tolist(), repeat(self), table.starts.tolist(), table.stops.tolist()
        return tuple(map(Block, table.texts, *columns))

    def lineage(self, element: int) -> Iterator[int]:
        """Yield the element and its ancestors, innermost first."""
        while element >= 0:
            yield element
            element = self.parents[element]

    def runs_of(self, element: int) -> tuple[int, int]:
        """Return where the runs inside an element start and stop."""
        return self.run_starts[element], self.run_stops[element]

    def block(self, start: int, stop: int) -> Block:
        """Return the block made of `runs[start:stop]`."""
        runs = self.runs[start:stop]
        text = fold("".join(runs))
        return Block(text, _link_chars(text, runs, self.linked[start:stop]), self, start, stop)

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


def _listed(array: NDArray[Any]) -> list[Any]:
    numbers: list[Any] = array.tolist()
    return numbers


def fold(text: str) -> str:
    r"""Return the text with invisible characters gone and every run of white space as one space.

    >>> fold("  a\u00ad\u200bb \n c\xa0")
    'ab c'
    """
    text = text.strip()
    # All white space but the space, and all that is invisible, counts as not printable; most text is folded already.
    if text.isprintable():
        return " ".join(text.split()) if "  " in text else text
    if not text.isascii():
        for char in "\u00ad\u200b\u2060\ufeff":
            if char in text:
                text = text.replace(char, "")
    return " ".join(text.split())


def segment(tree: HtmlElement, base_url: str | None = None) -> Outline:
    """Return the outline of a page.

    Text under `td` or `body` itself makes blocks like any other; two line breaks in a row end a block, one does not.
    """
    elements = list(tree.iter())
    tags = cast("list[str]", [element.tag for element in elements])
    return Outline(base_url, elements, tags, *read_runs(elements, tags))


def _tabulate(runs: list[str], arrays: Arrays) -> BlockTable:
    bounds = arrays.bounds.tolist()
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    joined = [runs[start] for start in bounds[:-1]]
    for number in (stops - starts > 1).nonzero()[0].tolist():
        joined[number] = "".join(runs[bounds[number] : bounds[number + 1]])
    texts = list(map(fold, joined))
    link_chars = _all_link_chars(texts, runs, arrays)
    if "" in texts:
        kept = [number for number, text in enumerate(texts) if text]
        texts = [texts[number] for number in kept]
        starts, stops, link_chars = starts[kept], stops[kept], link_chars[kept]
    return BlockTable(texts, link_chars, starts, stops, arrays.owners[arrays.holders[starts]])


def _all_link_chars(texts: list[str], runs: list[str], arrays: Arrays) -> Integers:
    """Return how many characters of each text lie inside links."""
    linked_before = np.append(0, arrays.linked.cumsum())
    starts, stops = arrays.bounds[:-1], arrays.bounds[1:]
    linked = linked_before[stops] - linked_before[starts]
    link_chars: Integers = np.fromiter(map(len, texts), np.intp, len(texts)) * (linked == stops - starts)
    for number in ((linked > 0) & (linked < stops - starts)).nonzero()[0].tolist():
        inside = slice(starts[number], stops[number])
        link_chars[number] = _link_chars(texts[number], runs[inside], arrays.linked[inside].tolist())
    return link_chars


def _link_chars(text: str, runs: list[str], linked: list[bool]) -> int:
    """Return how many characters lie inside links of a text made of these runs."""
    if True not in linked:
        return 0
    return len(text) if False not in linked else len(fold("".join(compress(runs, linked))))
