"""The quotes, lists, tables and other elements around a text that hold paragraphs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from newsextract.page.ancestry import Inherited
from newsextract.page.block_images import caption_figures
from newsextract.page.rendering.inline_spans import InlineMarkup
from newsextract.page.rendering.list_numbers import LISTS, ListNumbers, numbering
from newsextract.page.rendering.tables import ROOMS_OF_TABLES, DataTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block

MAX_NESTING = 40
"""Lists in lists and quotes in quotes beyond this depth are rendered flat: 20 lists, as an item is a container too."""

ROOMS = ("li", "summary", *ROOMS_OF_TABLES)
"""Containers in which a single paragraph needs no `p` of its own."""
_BOUNDARIES = ("body", "article", *ROOMS)
_LEAVES = {**{f"h{n}": f"h{max(n, 2)}" for n in range(1, 7)}, "figcaption": "figcaption", "pre": "pre"}

_LANGUAGE = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|brush:\s*|highlight-source-)([\w+#.-]{1,30})(?:[\s;]|$)")
_MAX_CLASS_CHARS = 200
_MAX_DIGITS = 9


class Container(NamedTuple):
    """An element that holds parts: its number, which is below 0 if the page lacks the element, and its tag."""

    element: int
    tag: str
    number: int | None = None
    """Of an item: its number in an ordered list."""
    numbering: str = ""
    """Of an ordered list: its `type`, if that is not plain numbers."""
    is_reversed: bool = False
    """Of an ordered list: whether its numbers fall."""


Containers: TypeAlias = tuple[Container, ...]
"""Outermost first."""
_Leaf: TypeAlias = tuple[str, int]


class Context:
    """What the elements around a text say about it."""

    def __init__(self, blocks: Sequence[Block], tables: DataTables | None = None) -> None:
        self.outline = outline = blocks[0].outline
        self.tables = tables or DataTables(blocks)
        self.captioned = caption_figures(outline)
        self.numbers = ListNumbers(outline)
        self.last_items: dict[int, Container] = {}
        """The last item met in each list."""
        self.containers: Inherited[Containers] = Inherited(outline, (), self._containers)
        self.leaves: Inherited[_Leaf] = Inherited(outline, ("p", -1), self._leaf)
        self.spans = InlineMarkup(outline).spans

    def around(self, element: int) -> Containers:
        """Return the containers around what an element holds; what stands in a list outside its items is an item."""
        around = self.containers.of(element)
        return (*around, Container(~element, "li")) if _is_list(around) else around

    def unit(self, block: Block) -> tuple[int, int]:
        """Return a key that blocks of the same `pre` share, and no others do: its number, or -1, and a place."""
        tag, element = self.leaves.of(block.owner)
        return (element, self.outline.run_starts[element]) if tag == "pre" else (-1, block.start)

    def language(self, pre: int) -> str:
        """Return the programming language that a `pre`, or the `code` in it, is said to be in; else an empty string."""
        outline = self.outline
        inner = pre + 1 if pre + 1 < outline.stops[pre] and outline.tags[pre + 1] == "code" else pre
        for element in (outline.elements[inner], outline.elements[pre]):
            if found := _LANGUAGE.search(element.get("class", "")[:_MAX_CLASS_CHARS]):
                return found[1].lower()
        return ""

    def is_gutter(self, pre: int, code: str) -> bool:
        """Tell whether a `pre` holds but the line numbers of the code in the next cell of its table."""
        lines = code.split()
        outline = self.outline
        cell = outline.parents[pre] if lines and lines[0].isdecimal() else -1
        while cell >= 0 and outline.tags[cell] == "div":
            cell = outline.parents[cell]
        if cell < 0 or outline.tags[cell] != "td" or (after := outline.stops[cell]) >= len(outline.tags):
            return False
        is_beside_code = outline.tags[after] == "td" and "pre" in outline.tags[after : outline.stops[after]]
        first = int(lines[0][:_MAX_DIGITS])
        return is_beside_code and lines == [str(first + number) for number in range(len(lines))]

    def _containers(self, around: Containers, element: int) -> Containers:
        tag = self.outline.tags[element]
        if tag in ROOMS_OF_TABLES:
            return self._in_table(around, element, tag)
        if len(around) >= MAX_NESTING:
            return around
        if tag in LISTS:
            return self._list(around, element, LISTS[tag])
        if tag == "li":
            return self._item(around, element)
        is_summary = tag == "summary" and bool(around) and around[-1].tag == "details"
        if is_summary or tag in ("blockquote", "details") or (tag == "table" and element in self.tables.grids):
            item = (Container(~element, "li"),) if _is_list(around) else ()
            return (*around, *item, Container(element, tag))
        return around

    def _in_table(self, around: Containers, element: int, tag: str) -> Containers:
        table = self.tables.table_of(element)
        place = next((n for n, container in enumerate(around) if container.element == table), None)
        return around if place is None else (*around[: place + 1], Container(element, tag))

    def _list(self, around: Containers, element: int, tag: str) -> Containers:
        if _is_list(around):  # a list directly in a list belongs to the item before it, as browsers show it
            item = self.last_items.get(around[-1].element) or Container(~element, "li")
            around = (*around, item)
        if tag == "ul":
            return (*around, Container(element, tag))
        is_reversed = self.outline.elements[element].get("reversed") is not None
        return (*around, Container(element, tag, None, numbering(self.outline, element), is_reversed))

    def _item(self, around: Containers, element: int) -> Containers:
        if not _is_list(around):
            return (*around, Container(~self.outline.parents[element], "ul"), Container(element, "li"))
        parent = around[-1]
        number = self.numbers.of(parent.element, element) if parent.tag == "ol" else None
        item = self.last_items[parent.element] = Container(element, "li", number)
        return (*around, item)

    def _leaf(self, around: _Leaf, element: int) -> _Leaf:
        """Return the kind of a text, by the innermost element that tells it, up to its cell, list item or page."""
        tag = self.outline.tags[element]
        if tag in _BOUNDARIES:
            return "p", -1
        return (_LEAVES[tag], element) if tag in _LEAVES else around


def _is_list(around: Containers) -> bool:
    return bool(around) and around[-1].tag in ("ul", "ol")
