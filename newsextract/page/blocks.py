"""A page as a sequence of blocks: runs of text that no block-level tag interrupts.

The elements and the text runs are numbered in document order. Blocks are slices of the runs; extractors select blocks,
and compute on the numbers without asking the tree again. Everything is linear in the size of the page at any depth, up
to a sort, and the tree is never edited.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, cast

from newsextract.page.block_columns import BlockTable, link_chars, tabulate
from newsextract.page.characters import Characters, read_characters
from newsextract.page.tag_codes import are
from newsextract.page.text_forms import as_read
from newsextract.page.text_runs import Arrays, read_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

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
    """The parent of each element, -1 for the root."""
    stops = _listed("stops")
    """One past the last descendant of each element."""
    owners = _listed("owners")
    """The nearest block-level element around each element, itself included."""
    run_starts = _listed("run_starts")
    """The first run inside each element."""
    run_stops = _listed("run_stops")
    """One past the last run inside each element."""
    holders = _listed("holders")
    """The element that directly holds each run."""
    tags_before = _listed("tags_before")
    """How many tags precede each run."""

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
        """Return the elements with a tag that `tag_codes` knows, in page order."""
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


def segment(tree: HtmlElement, base_url: str | None = None) -> Outline:
    """Return the outline of a page.

    Text under `td` or `body` itself makes blocks like any other; two line breaks in a row end a block, one does not.
    """
    elements = list(tree.iter())
    tags = cast("list[str]", [element.tag for element in elements])
    return Outline(base_url, elements, tags, *read_runs(elements, tags))
