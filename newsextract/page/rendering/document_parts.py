"""Turn blocks into the parts of a document: paragraphs, headings, cells and images, with their containers and markup.

Every output format is written from these parts.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from newsextract.page.ancestry import Inherited, nearest
from newsextract.page.block_images import images_among
from newsextract.page.text_forms import INVISIBLE
from newsextract.page.text_runs import LINE_BREAK
from newsextract.page.urls.page_links import absolute_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.block_images import BlockImage
    from newsextract.page.blocks import Block, Outline

MAX_NESTING = 12
"""Lists in lists and quotes in quotes beyond this depth are rendered flat."""

_LEAVES = {**{f"h{n}": f"h{max(n, 2)}" for n in range(1, 7)}, "figcaption": "figcaption", "pre": "pre"}
_CELLS = ("td", "th")
ROOMS = ("li", *_CELLS)
"""Containers in which a single paragraph needs no `p` of its own."""
_BOUNDARIES = ("body", "article", *ROOMS)
_INLINE = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
_MAX_ROOMY_CELL_BLOCKS = 2
"""A table with more blocks than this in a cell is page layout, not a table of the article."""

Containers: TypeAlias = tuple[tuple[int, str], ...]
"""The quotes, lists and tables around a part, outermost first: each as its element's number and its tag."""

_Markup: TypeAlias = tuple[tuple[str, ...], str | None]
_PLAIN: _Markup = ((), None)
_SPACES = re.compile(rf"[^\S{LINE_BREAK} ][^\S{LINE_BREAK}]*| [^\S{LINE_BREAK}]+")
"""White space other than a single space."""
_INVISIBLE = re.compile(f"[{INVISIBLE}]+")
_AROUND_BREAK = re.compile(rf" ?{LINE_BREAK} ?")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text under the same inline markup, outermost tag first; white space as in the source."""

    text: str
    tags: tuple[str, ...] = ()
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, heading, cell or image, and the numbered containers around it, outermost first."""

    tag: str
    containers: Containers = ()
    spans: tuple[Span, ...] = ()
    image: BlockImage | None = None


def parts_of(blocks: Sequence[Block]) -> Iterator[Part]:
    """Yield the blocks and the images between them as parts, in the order of the page."""
    if not blocks:
        return
    context = _Context(blocks)
    images = deque(images_among(blocks))
    shown: set[int] = set()
    for block in blocks:
        while images and images[0].place <= block.start:
            yield from _image_parts(images.popleft(), context, shown)
        if context.figures.of(block.owner) not in shown:
            yield _text_part(block, context)
    for image in images:
        yield from _image_parts(image, context, shown)


def _text_part(block: Block, context: _Context) -> Part:
    around = context.containers.of(block.owner)
    tag = context.leaves.of(block.owner)
    if tag == "figcaption":
        around = (*around, (block.owner, "figure"))
    return Part(tag, around, context.spans(block, is_code=tag == "pre"))


def _image_parts(image: BlockImage, context: _Context, shown: set[int]) -> Iterator[Part]:
    """Yield an image and the captions of its figure, and mark the figure as shown so that it is not repeated."""
    frame = image.figure if image.figure >= 0 else image.element
    around = (*context.containers.of(frame), (frame, "figure"))
    yield Part("img", around, image=image)
    if image.captions and image.figure not in shown:
        shown.add(image.figure)
        for caption in image.captions:
            yield Part("figcaption", around, context.spans(caption, is_code=False))


class _Context:
    """What the elements around a text say about it."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.outline = outline = blocks[0].outline
        self.tables = nearest(outline, "table")
        self.figures = nearest(outline, "figure")
        self.layout_tables = {-1, *_layout_tables(blocks, self.tables)}
        self.containers: Inherited[Containers] = Inherited(outline, (), self._containers)
        self.leaves = Inherited(outline, "p", self._leaf)
        self.markup: Inherited[_Markup] = Inherited(outline, _PLAIN, self._markup)

    def spans(self, block: Block, *, is_code: bool) -> tuple[Span, ...]:
        """Return the text of a block with its inline markup; runs one after another without any are one span."""
        gathered: list[tuple[_Markup, list[str]]] = []
        runs = slice(block.start, block.stop)
        for text, holder in zip(self.outline.runs[runs], self.outline.holders[runs], strict=True):
            markup = self.markup.of(holder)
            if gathered and markup == gathered[-1][0] == _PLAIN:
                gathered[-1][1].append(text)
            else:
                gathered.append((markup, [text]))
        texts = ["".join(parts) for _, parts in gathered]
        folded = texts if is_code else _folded(texts)
        return tuple(Span(text, *markup) for text, (markup, _) in zip(folded, gathered, strict=True))

    def _containers(self, around: Containers, element: int) -> Containers:
        tag = self.outline.tags[element]
        if len(around) >= MAX_NESTING:
            return around
        if tag in ("blockquote", "ul", "ol"):
            return (*around, (element, tag))
        if tag == "li":
            is_listed = around and around[-1][1] in ("ul", "ol")
            return (*around, (element, tag)) if is_listed else (*around, (-element, "ul"), (element, tag))
        if tag in ("table", "tr", *_CELLS) and self.tables.of(element) not in self.layout_tables:
            return (*around, (element, tag))
        return around

    def _leaf(self, around: str, element: int) -> str:
        """Return the kind of a text, by the innermost element that tells it, up to its cell, list item or page."""
        tag = self.outline.tags[element]
        return "p" if tag in _BOUNDARIES else _LEAVES.get(tag, around)

    def _markup(self, around: _Markup, element: int) -> _Markup:
        outline = self.outline
        tags, href = around
        tag = outline.tags[element]
        if outline.owners[element] == element:
            return _PLAIN
        if tag == "a":
            return tags, _link(outline, element) or href
        inline = _INLINE.get(tag)
        return around if inline is None or inline in tags else ((*tags, inline), href)


def _layout_tables(blocks: Sequence[Block], tables: Inherited[int]) -> Iterator[int]:
    """Yield the tables used for layout: those with a cell of several blocks, or with at most one cell."""
    outline = blocks[0].outline
    starts = [block.start for block in blocks]
    cells: Counter[int] = Counter()
    for element, tag in enumerate(outline.tags):
        if tag in _CELLS:
            first = bisect_left(starts, outline.run_starts[element])
            count = bisect_left(starts, outline.run_stops[element], first) - first
            if count > _MAX_ROOMY_CELL_BLOCKS:
                yield tables.of(element)
            elif count:
                cells[tables.of(element)] += 1
    yield from (table for table, count in cells.items() if count < 2)


def _link(outline: Outline, element: int) -> str | None:
    href = outline.elements[element].get("href")
    return None if not href or href.startswith("#") else absolute_url(outline.base_url, href)


def _folded(texts: Sequence[str]) -> list[str]:
    r"""Return the runs with white space folded, line breaks kept, and none at either end of the block.

    >>> _folded(["\n a  b", " \u2028 c "])
    ['a b', '\u2028c']
    """
    folded = [_folded_run(text) for text in texts]
    folded[0] = folded[0].lstrip()
    folded[-1] = folded[-1].rstrip()
    return folded


def _folded_run(text: str) -> str:
    # Invisible characters, line breaks among them, and all white space but the space count as not printable.
    if text.isprintable():
        return _SPACES.sub(" ", text) if "  " in text else text
    visible = text if text.isascii() else _INVISIBLE.sub("", text)
    folded = _SPACES.sub(" ", visible)
    return _AROUND_BREAK.sub(LINE_BREAK, folded) if LINE_BREAK in folded else folded
