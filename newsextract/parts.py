"""Blocks as the parts of a document: what each is, inside which lists and tables, with which inline markup and images.

This is the form from which every output format is written, so that a format is only a way to write parts.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from newsextract.blocks import LINE_BREAK
from newsextract.images import images_among

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.blocks import Block, Outline
    from newsextract.images import Picture

MAX_NESTING = 12
"""Lists in lists and quotes in quotes beyond this depth are rendered flat."""

_LEAVES = {**{f"h{n}": f"h{max(n, 2)}" for n in range(1, 7)}, "figcaption": "figcaption", "pre": "pre"}
_CELLS = ("td", "th")
ROOMS = ("li", *_CELLS)
"""Containers in which a single paragraph needs no `p` of its own."""
_INLINE = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
}
_MAX_ROOMY_CELL_BLOCKS = 2
"""A table with more blocks in a cell than this lays out the page; it is not a table of the article."""


_SPACES = re.compile(rf"[^\S{LINE_BREAK}]+")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]+")
_AROUND_BREAK = re.compile(rf" ?{LINE_BREAK} ?")


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text under the same inline markup, outermost tag first; white space as in the source."""

    text: str
    tags: tuple[str, ...] = ()
    href: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A paragraph, heading, cell or picture, and the numbered containers around it, outermost first."""

    tag: str
    containers: tuple[tuple[int, str], ...] = ()
    spans: tuple[Span, ...] = ()
    picture: Picture | None = None


def parts_of(blocks: Sequence[Block]) -> Iterator[Part]:
    """Yield the blocks and the pictures between them as parts, in the order of the page."""
    if not blocks:
        return
    containers = _Containers(blocks)
    pictures = images_among(blocks)
    shown: set[tuple[int, int]] = set()
    for block in blocks:
        while pictures and pictures[0].place <= block.start:
            yield from _picture(pictures.pop(0), containers, shown)
        if (block.start, block.stop) not in shown:
            yield _text_part(block, containers)
    for picture in pictures:
        yield from _picture(picture, containers, shown)


def _text_part(block: Block, containers: _Containers) -> Part:
    around = containers.of(block.owner)
    tag = next((_LEAVES[tag] for tag in _tags_to_container(block) if tag in _LEAVES), "p")
    if tag == "figcaption":
        around = (*around, (block.owner, "figure"))
    return Part(tag, around, tuple(_spans(block)))


def _tags_to_container(block: Block) -> Iterator[str]:
    """Yield the tags around the text up to its cell, item or page."""
    outline = block.outline
    for element in outline.lineage(block.owner):
        yield outline.tags[element]
        if outline.tags[element] in ("body", "article", *ROOMS):
            return


def _picture(picture: Picture, containers: _Containers, shown: set[tuple[int, int]]) -> Iterator[Part]:
    """Yield a picture with its captions, which are then shown and need not be shown again."""
    frame = picture.figure if picture.figure >= 0 else picture.element
    around = (*containers.of(frame), (frame, "figure"))
    yield Part("img", around, picture=picture)
    for caption in picture.captions:
        if (caption.start, caption.stop) not in shown:
            shown.add((caption.start, caption.stop))
            yield Part("figcaption", around, tuple(_spans(caption)))


class _Containers:
    """The quotes, lists and tables of the article around any element of the page, remembered per element."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.outline = blocks[0].outline
        self.known: dict[int, tuple[tuple[int, str], ...]] = {-1: ()}
        self.layout_tables = _layout_tables(blocks)

    def of(self, element: int) -> tuple[tuple[int, str], ...]:
        pending = []
        while element not in self.known:
            pending.append(element)
            element = self.outline.parents[element]
        around = self.known[element]
        for inner in reversed(pending):
            around = self.known[inner] = self._within(around, inner)
        return around

    def _within(self, around: tuple[tuple[int, str], ...], element: int) -> tuple[tuple[int, str], ...]:
        tag = self.outline.tags[element]
        if len(around) >= MAX_NESTING:
            return around
        if tag in ("blockquote", "ul", "ol"):
            return (*around, (element, tag))
        if tag == "li":
            is_listed = around and around[-1][1] in ("ul", "ol")
            return (*around, (element, tag)) if is_listed else (*around, (-element, "ul"), (element, tag))
        if tag in ("table", "tr", *_CELLS) and not self._is_layout(element):
            return (*around, (element, tag))
        return around

    def _is_layout(self, element: int) -> bool:
        table = _table_of(self.outline, element)
        return table is None or table in self.layout_tables


def _table_of(outline: Outline, element: int) -> int | None:
    return next((i for i in outline.lineage(element) if outline.tags[i] == "table"), None)


def _layout_tables(blocks: Sequence[Block]) -> set[int | None]:
    """Return the tables that hold a cell of several blocks, or no more than one cell."""
    outline = blocks[0].outline
    cells: Counter[int] = Counter()
    for block in blocks:
        cells.update(element for element in outline.lineage(block.owner) if outline.tags[element] in _CELLS)
    tables = Counter(_table_of(outline, cell) for cell in cells)
    roomy = {_table_of(outline, cell) for cell, count in cells.items() if count > _MAX_ROOMY_CELL_BLOCKS}
    return roomy | {table for table, count in tables.items() if count < 2}


def _spans(block: Block) -> Iterator[Span]:
    outline, owner = block.outline, block.owner
    texts = outline.runs[block.start : block.stop]
    if "pre" not in map(outline.tags.__getitem__, outline.lineage(owner)):
        texts = _folded(texts)
    for run, text in enumerate(texts, block.start):
        tags: list[str] = []
        href = None
        for element in outline.lineage(outline.holders[run]):
            if element == owner:
                break
            tag = outline.tags[element]
            if tag == "a" and href is None:
                href = _absolute(outline, outline.elements[element].get("href"))
            elif tag in _INLINE and _INLINE[tag] not in tags:
                tags.append(_INLINE[tag])
        yield Span(text, tuple(reversed(tags)), href)


def _folded(texts: Sequence[str]) -> list[str]:
    r"""Return the runs with white space folded, line breaks kept, and none at either end of the block.

    >>> _folded(["\n a  b", " \u2028 c "])
    ['a b', '\u2028c']
    """
    folded = [_AROUND_BREAK.sub(LINE_BREAK, _SPACES.sub(" ", _INVISIBLE.sub("", text))) for text in texts]
    folded[0] = folded[0].lstrip()
    folded[-1] = folded[-1].rstrip()
    return folded


def _absolute(outline: Outline, href: str | None) -> str | None:
    if not href or href.startswith("#"):
        return None
    try:
        url = urljoin(outline.base_url or "", href.strip())
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://", "mailto:")) else None
