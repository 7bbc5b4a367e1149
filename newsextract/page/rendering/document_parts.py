"""Turn blocks into the parts of a document: paragraphs, headings, code, images and tables, with what is around them.

HTML and Markdown are written from these parts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from newsextract.page.media.illustrations import illustrations_among
from newsextract.page.media.media_links import MediumLink, links_to
from newsextract.page.rendering.containers import Container, Containers, Context
from newsextract.page.rendering.inline_spans import Span
from newsextract.page.rendering.tables import Row, rows_of
from newsextract.page.text_forms import without_controls
from newsextract.page.text_runs import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from newsextract.page.block_images import BlockImage
    from newsextract.page.blocks import Block
    from newsextract.page.media.illustrations import Illustrations


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, heading, caption, code, image or table, and the containers around it, outermost first."""

    tag: str
    containers: Containers = ()
    spans: tuple[Span, ...] = ()
    image: BlockImage | None = None
    table: Table | None = None
    language: str = ""
    """Of a `pre`: the programming language, if the page tells it."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data: its captions, and its rows with the parts in each cell."""

    captions: tuple[Part, ...]
    rows: tuple[Row[tuple[Part, ...]], ...]


def parts_of(
    blocks: Sequence[Block], left_out: Collection[str] = (), shown: Illustrations | None = None
) -> Iterator[Part]:
    """Yield the blocks and the images between them as parts, in the order of the page.

    Images without a caption, and links of videos and the like, whose URLs are in `left_out` are not among them; `shown`
    is what is among the blocks, if that is known already.
    """
    if blocks:
        context = Context(blocks)
        between = _between(blocks, shown or illustrations_among(blocks), left_out)
        parts = _flat_parts(blocks, context, between)
        yield from _with_tables(parts, context) if context.tables.grids else parts


def code_of(blocks: Iterable[Block]) -> str:
    """Return the text of the blocks of one `pre` with its line breaks; elements that stand on lines are lines."""
    code = ""
    for block in blocks:
        text = "".join(block.outline.runs[block.start : block.stop])
        gap = "\n" if code and not code.endswith("\n") and not text.startswith(LINE_BREAK) else ""
        code += gap + text.replace(LINE_BREAK, "\n").replace("\r\n", "\n")
    return without_controls(code).strip("\n")


def _between(
    blocks: Sequence[Block], shown: Illustrations, left_out: Collection[str]
) -> deque[BlockImage | MediumLink]:
    images = (image for image in shown.images if image.captions or image.url not in left_out)
    found: list[BlockImage | MediumLink] = [*images, *links_to(shown.media, blocks, left_out)]
    return deque(sorted(found, key=lambda each: (each.place, each.element)))


def _flat_parts(blocks: Sequence[Block], context: Context, between: deque[BlockImage | MediumLink]) -> Iterator[Part]:
    shown: set[int] = set()
    for (pre, start), group in groupby(blocks, key=context.unit):
        while between and between[0].place <= start:
            yield from _parts_between(between.popleft(), context, shown)
        together = list(group)
        if context.captioned.of(together[0].owner) not in shown:
            yield from _code_parts(together, pre, context) if pre >= 0 else (_text_part(together[0], context),)
    for each in between:
        yield from _parts_between(each, context, shown)


def _text_part(block: Block, context: Context) -> Part:
    around = context.around(block.owner)
    tag = context.leaves.of(block.owner)[0]
    if tag == "figcaption":
        around = (*around, Container(block.owner, "figure"))
    return Part(tag, around, context.spans(block))


def _code_parts(blocks: Sequence[Block], pre: int, context: Context) -> Iterator[Part]:
    code = code_of(blocks)
    if not context.is_gutter(pre, code):
        yield Part("pre", context.around(blocks[0].owner), (Span(code),), language=context.language(pre))


def _parts_between(each: BlockImage | MediumLink, context: Context, shown: set[int]) -> Iterator[Part]:
    if isinstance(each, MediumLink):
        yield _link_part(each, context)
    else:
        yield from _image_parts(each, context, shown)


def _link_part(link: MediumLink, context: Context) -> Part:
    around = context.around(link.element)
    if around and around[-1].tag == "table":  # in a table, but in no cell: it stands before it, as images do
        around = (*around, Container(link.element, "figure"))
    return Part("p", around, (Span(link.label, (), link.url),))


def _image_parts(image: BlockImage, context: Context, shown: set[int]) -> Iterator[Part]:
    """Yield an image and the captions of its figure, and mark the figure as shown so that it is not repeated."""
    frame = image.figure if image.figure >= 0 else image.element
    around = (*context.around(frame), Container(frame, "figure"))
    yield Part("img", around, image=image)
    if image.captions and image.figure not in shown:
        shown.add(image.figure)
        for caption in image.captions:
            yield Part("figcaption", around, context.spans(caption))


def _with_tables(parts: Iterable[Part], context: Context) -> Iterator[Part]:
    """Yield the parts with those of each data table as one."""
    for place, group in groupby(parts, key=_table_place):
        if place is None:
            yield from group
        else:
            yield from _table_parts(list(group), place[0], context)


def _table_place(part: Part) -> tuple[int, int] | None:
    """Return the depth of the data table around a part, and its number."""
    found = ((depth, c.element) for depth, c in enumerate(part.containers) if c.tag == "table")
    return next(found, None)


def _table_parts(parts: Sequence[Part], depth: int, context: Context) -> Iterator[Part]:
    """Yield what stands in the table but in no cell, then the table."""
    grid = context.tables.grids[parts[0].containers[depth].element]
    outside = parts[0].containers[:depth]
    captions: list[Part] = []
    contents: dict[int, list[Part]] = {}
    for part in parts:
        room, inside = part.containers[depth + 1], part.containers[depth + 2 :]
        if room.tag == "caption":
            captions.append(replace(part, containers=inside))
        elif room.element in grid.cells:
            contents.setdefault(room.element, []).append(replace(part, containers=inside))
        else:
            yield replace(part, containers=(*outside, room, *inside))
    rows = rows_of(grid, {cell: tuple(held) for cell, held in contents.items()})
    yield Part("table", outside, table=Table(tuple(captions), tuple(rows)))
