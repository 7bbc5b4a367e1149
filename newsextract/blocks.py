"""A page as a sequence of blocks: runs of text that no block-level tag interrupts.

One iterative pass over the tree numbers the elements and the text runs in document order. Blocks are slices of the
runs; extractors select blocks, and compute on the numbers without asking the tree again. The pass is linear in the
size of the page at any depth, and the tree is never edited.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from lxml.etree import iterwalk

from newsextract.markup import BLOCK_LEVEL, TEXTLESS, VOID, is_hidden

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

LINE_BREAK = "\u2028"
"""Stands for one `<br>` at the head of a run; Unicode's line separator, so that it folds like any space."""

_VOID, _BLOCK, _MUTE, _LINK, _BREAK = (1 << bit for bit in range(5))
_ROLES: dict[str, int] = {}
for _role, _tags in (
    (_VOID, VOID), (_BLOCK, BLOCK_LEVEL), (_MUTE, TEXTLESS), (_LINK, {"a"}), (_BREAK, {"br"})
):  # fmt: skip
    for _tag in _tags:
        _ROLES[_tag] = _ROLES.get(_tag, 0) | _role
_role_of = _ROLES.get


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


@dataclass(eq=False, slots=True)
class Outline:
    """The elements and the text runs of a page as parallel lists, both in document order.

    An element is its number: `tags[i]`, `parents[i]` (-1 for the root), `stops[i]` (one past its last descendant),
    `owners[i]` (itself, or its nearest block-level ancestor), and `run_starts[i]:run_stops[i]`, the runs inside it.
    A run is a text node with something visible in it: its text with the gap before it, the element that directly
    `holders[r]` it, whether it is `linked[r]`, and the `tags_before[r]` it: two an element, one if it is void, and none
    of those of elements that bear no text.
    """

    base_url: str | None
    elements: list[HtmlElement] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    run_starts: list[int] = field(default_factory=list)
    run_stops: list[int] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    holders: list[int] = field(default_factory=list)
    linked: list[bool] = field(default_factory=list)
    tags_before: list[int] = field(default_factory=list)
    blocks: tuple[Block, ...] = ()

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
        if stop - start == 1:
            text = fold(self.runs[start])
            return Block(text, len(text) if self.linked[start] else 0, self, start, stop)
        runs = self.runs[start:stop]
        text = fold("".join(runs))
        linked = self.linked[start:stop]
        if True not in linked:
            link_chars = 0
        elif False not in linked:
            link_chars = len(text)
        else:
            link_chars = len(fold("".join(run for run, is_link in zip(runs, linked, strict=True) if is_link)))
        return Block(text, link_chars, self, start, stop)

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


def fold(text: str) -> str:
    r"""Return the text with invisible characters gone and every run of white space as one space.

    >>> fold("  a\u00ad\u200bb \n c\xa0")
    'ab c'
    """
    if not text.isascii():
        for char in "\u00ad\u200b\u2060\ufeff":
            if char in text:
                text = text.replace(char, "")
    return " ".join(text.split())


def segment(tree: HtmlElement, base_url: str | None = None) -> Outline:
    """Return the outline of a page, with its blocks.

    Text under `td` or `body` itself makes blocks like any other; two line breaks in a row end a block, one does not.
    """
    outline = Outline(base_url)
    bounds = _walk(tree, outline)
    blocks = (outline.block(start, stop) for start, stop in pairwise(bounds))
    outline.blocks = tuple(block for block in blocks if block.text)
    return outline


def _walk(tree: HtmlElement, outline: Outline) -> list[int]:  # noqa: C901, PLR0912, PLR0915
    """Fill the outline in one pass; return where each block starts among the runs, and where the last one ends.

    Every page pays for this loop, twice an element: it is one function on local names because calls would double
    its time.
    """
    elements, tags, parents, stops = outline.elements, outline.tags, outline.parents, outline.stops
    owners, run_starts, run_stops = outline.owners, outline.run_starts, outline.run_stops
    runs, holders, linked, tags_before = outline.runs, outline.holders, outline.linked, outline.tags_before
    bounds = [0]
    current = muted_by = linked_by = -1  # the innermost open element; the outermost open one of its kind
    depth = uncounted = 0  # open elements; tags in `2 * len(tags)` that void and muted elements do not have
    counted = 0  # tags before the outermost open element that bears no text
    gap = ""  # what separates the next run from the last: nothing, white space, or line breaks
    broken = False  # whether there is a line break in the gap

    for event, element in iterwalk(tree, events=("start", "end")):
        if event == "start":
            index = len(tags)
            tag: str = element.tag  # type: ignore[assignment]
            role = _role_of(tag, 0)
            elements.append(element)
            tags.append(tag)
            parents.append(current)
            stops.append(0)
            run_starts.append(len(runs))
            run_stops.append(0)
            owners.append(index if role & _BLOCK or not index else owners[current])
            if muted_by >= 0:
                pass
            elif role & _MUTE or is_hidden(element, tag):
                muted_by = index
                counted = 2 * index - depth - uncounted
            elif role & _BLOCK:
                gap, broken = "", False
                if bounds[-1] < len(runs):
                    bounds.append(len(runs))
            elif role & _BREAK:
                if broken and bounds[-1] < len(runs):
                    bounds.append(len(runs))
                gap += LINE_BREAK
                broken = True
            elif role & _LINK and linked_by < 0 and element.get("href") is not None:
                linked_by = index
            current = index
            depth += 1
            text = element.text
        else:
            role = _role_of(tags[current], 0)
            stops[current] = len(tags)
            run_stops[current] = len(runs)
            if role & _BLOCK and muted_by < 0:
                gap, broken = "", False
                if bounds[-1] < len(runs):
                    bounds.append(len(runs))
            depth -= 1
            if role & _VOID:
                uncounted += 1
            if current == muted_by:
                muted_by = -1
                uncounted = 2 * len(tags) - depth - counted
            elif current == linked_by:
                linked_by = -1
            current = parents[current]
            text = element.tail
        if not text or muted_by >= 0:
            continue
        if text.isspace():
            gap += text
            continue
        runs.append(gap + text if gap else text)
        gap, broken = "", False
        holders.append(current)
        linked.append(linked_by >= 0)
        tags_before.append(2 * len(tags) - depth - uncounted)
    if bounds[-1] < len(runs):
        bounds.append(len(runs))
    return bounds
