"""Turn blocks into the parts of a document: paragraphs, headings, code, images and tables, with what is around them.

HTML and Markdown are written from these parts.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, replace
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from newsextract.article_parts import Embed
from newsextract.page.blocks import Inherited
from newsextract.page.embeds import media_key, provider_of
from newsextract.page.links import absolute_url
from newsextract.page.media import caption_figures, illustrations_among
from newsextract.page.outline import LINE_BREAK
from newsextract.page.rendering.table_grids import ROOMS_OF_TABLES, DataTables, Row, rows_of
from newsextract.page.text import INVISIBLE, without_controls

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.media import BlockImage, BlockMedium, Illustrations, Medium
    from newsextract.page.rendering.table_grids import Row


# The text of a block as spans: stretches under the same inline markup.

_INLINE = {
    **dict.fromkeys(("em", "i", "cite", "dfn", "var"), "em"),
    **dict.fromkeys(("strong", "b"), "strong"),
    **dict.fromkeys(("code", "kbd", "samp", "tt"), "code"),
    **dict.fromkeys(("del", "s", "strike"), "del"),
    "sub": "sub",
    "sup": "sup",
}

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


class InlineMarkup:
    """The inline markup of a page."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.markup: Inherited[_Markup] = Inherited(outline, _PLAIN, self._markup)

    def spans(self, block: Block) -> tuple[Span, ...]:
        """Return the text of a block with its inline markup; runs one after another without any are one span."""
        if block.stop == block.start + 1:
            markup = self.markup.of(self.outline.holders[block.start])
            return (Span(_folded_text(self.outline.runs[block.start]).strip(), *markup),)
        runs = slice(block.start, block.stop)
        pairs = zip(self.outline.runs[runs], self.outline.holders[runs], strict=True)
        marked = [(text, self.markup.of(holder)) for text, holder in pairs]
        gathered = [(markup, "".join(text for text, _ in group)) for markup, group in groupby(marked, itemgetter(1))]
        folded = _folded([text for _, text in gathered])
        return tuple(Span(text, *markup) for text, (markup, _) in zip(folded, gathered, strict=True))

    def _markup(self, around: _Markup, element: int) -> _Markup:
        outline = self.outline
        tags, href = around
        tag = outline.tags[element]
        if outline.owners[element] == element:
            return _PLAIN
        if tag == "a":
            return tags, _link(outline, element) or href
        inline = _INLINE.get(tag)
        if inline is None or inline in tags:
            return around
        # Code is innermost: Markdown takes marks in it literally.
        return ((*tags[:-1], inline, "code") if "code" in tags else (*tags, inline)), href


def trimmed(spans: Sequence[Span]) -> tuple[str, list[Span], str]:
    """Return the white space before the spans' text, the spans without it, and that behind it; no spans if blank.

    >>> trimmed([Span(" "), Span(" a", ("em",)), Span("b ")])
    ('  ', [Span(text='a', tags=('em',), href=None), Span(text='b', tags=(), href=None)], ' ')
    """
    if spans and spans[0].text[:1].strip() and spans[-1].text[-1:].strip():
        return "", list(spans), ""
    texts = [span.text for span in spans]
    first = next((n for n, text in enumerate(texts) if text and not text.isspace()), len(texts))
    if first == len(texts):
        return "".join(texts), [], ""
    last = next(n for n in range(len(texts) - 1, -1, -1) if texts[n] and not texts[n].isspace())
    before = "".join(texts[:first]) + texts[first][: len(texts[first]) - len(texts[first].lstrip())]
    after = texts[last][len(texts[last].rstrip()) :] + "".join(texts[last + 1 :])
    kept = list(spans[first : last + 1])
    kept[0] = replace(kept[0], text=kept[0].text.lstrip())
    kept[-1] = replace(kept[-1], text=kept[-1].text.rstrip())
    return before, kept, after


def by_link(spans: Sequence[Span]) -> Iterator[tuple[str | None, list[Span]]]:
    """Yield the neighbours with the same link together."""
    return ((href, list(group)) for href, group in groupby(spans, key=lambda span: span.href))


def by_tag(spans: Sequence[Span], depth: int) -> Iterator[tuple[str | None, list[Span]]]:
    """Yield the neighbours that have the same tag at this depth, or none there, together."""
    alike = groupby(spans, key=lambda span: span.tags[depth] if len(span.tags) > depth else None)
    return ((tag, list(group)) for tag, group in alike)


def text_of(spans: Sequence[Span]) -> str:
    """Return the text of the spans."""
    return spans[0].text if len(spans) == 1 else "".join(span.text for span in spans)


def _link(outline: Outline, element: int) -> str | None:
    href = outline.elements[element].get("href")
    return None if not href or href.startswith("#") else absolute_url(outline.base_url, href)


def _folded(texts: Sequence[str]) -> list[str]:
    r"""Return the texts with white space folded, line breaks kept, and none at either end of the block.

    >>> _folded(["\n a  b", " \u2028 c "])
    ['a b', '\u2028c']
    """
    folded = [_folded_text(text) for text in texts]
    folded[0] = folded[0].lstrip()
    folded[-1] = folded[-1].rstrip()
    return folded


def _folded_text(text: str) -> str:
    # Invisible characters, line breaks among them, and all white space but the space count as not printable.
    if text.isprintable():
        return _SPACES.sub(" ", text) if "  " in text else text
    visible = text if text.isascii() else _INVISIBLE.sub("", text)
    folded = _SPACES.sub(" ", without_controls(visible))
    return _AROUND_BREAK.sub(LINE_BREAK, folded) if LINE_BREAK in folded else folded


# The numbers of the items of ordered lists, by `start`, `value` and `reversed`, as browsers show them.

LISTS = {"ul": "ul", "ol": "ol", "menu": "ul", "dir": "ul"}
"""The elements that are lists, and as which they are written."""
NUMBERINGS = ("a", "A", "i", "I")
"""Values of an ordered list's `type` that are not the default, which is numbers."""

_INTEGER = re.compile(r"\s*([+-]?[0-9]{1,9})(?![0-9])")


class ListNumbers:
    """The numbers of items, computed once for each list."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._of_list: dict[int, dict[int, int]] = {}

    def of(self, ordered: int, item: int) -> int | None:
        """Return the number of an item in an ordered list; `None` if it is no item of the list."""
        if ordered not in self._of_list:
            self._of_list[ordered] = self._number(ordered)
        return self._of_list[ordered].get(item)

    def _number(self, ordered: int) -> dict[int, int]:
        items = _items(self._outline, ordered)
        element = self._outline.elements[ordered]
        step = -1 if element.get("reversed") is not None else 1
        following = _integer(element.get("start"))
        if following is None:
            following = len(items) if step < 0 else 1
        numbers = {}
        for item in items:
            value = _integer(self._outline.elements[item].get("value"))
            numbers[item] = following if value is None else value
            following = numbers[item] + step
        return numbers


def numbering(outline: Outline, ordered: int) -> str:
    """Return how a list is numbered: one of `NUMBERINGS`, or an empty string for plain numbers."""
    kind = (outline.elements[ordered].get("type") or "").strip()
    return kind if kind in NUMBERINGS else ""


def _items(outline: Outline, ordered: int) -> list[int]:
    """Return the items of a list, without those of the lists inside it."""
    items, number = [], ordered + 1
    while number < outline.stops[ordered]:
        tag = outline.tags[number]
        if tag == "li":
            items.append(number)
        number = outline.stops[number] if tag in LISTS else number + 1
    return items


def _integer(text: str | None) -> int | None:
    found = _INTEGER.match(text or "")
    return int(found[1]) if found else None


# The quotes, lists, tables and other elements around a text that hold paragraphs.

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


# The links that stand for the videos, recordings and embeds of an article in its HTML and Markdown.
#
# A frame is nothing that a reader of clean HTML may see, so that its place has a link. An embedded post whose words and
# link are kept has what it needs; one that lacks its link gets it, and so do posts whose words are only in their frame.

_MAX_LABEL_CHARS = 80
"""Longer URLs are shortened to their domain and their end."""
_MAX_END_CHARS = 40
_MAX_RUNS = 500
"""Runs of one post searched for its link."""


@dataclass(frozen=True, slots=True)
class MediumLink:
    """A link and the run that follows it; `element` is what it stands for."""

    place: int
    element: int
    url: str
    label: str


def links_to(
    found: Sequence[BlockMedium], blocks: Sequence[Block], left_out: Collection[str] = ()
) -> Iterator[MediumLink]:
    """Yield a link for each video, recording and embed found among the blocks, except for posts whose link is kept.

    Those whose URLs are in `left_out` have a link elsewhere.
    """
    media = [medium for medium in found if medium.item.url not in left_out]
    if not media:
        return
    outline = blocks[0].outline
    kept = {run for block in blocks for run in range(block.start, block.stop)}
    for medium in media:
        start, stop = outline.runs_of(medium.element)
        runs = [run for run in range(start, min(stop, start + _MAX_RUNS)) if run in kept]
        if not _has_link(outline, runs, medium):
            # Behind the words of a post, so that its last kept text comes first.
            yield MediumLink(stop if runs else medium.place, medium.element, medium.item.url, _label(medium.item))


def _has_link(outline: Outline, runs: Sequence[int], medium: BlockMedium) -> bool:
    wanted = media_key(medium.item.url).partition("?")[0]
    around = {element for run in runs for element in islice(outline.lineage(outline.holders[run]), 4)}
    return any(wanted in outline.elements[each].get("href", "") for each in around if outline.tags[each] == "a")


def _label(item: Medium) -> str:
    """Return what the link says: the author of a post, or the name, else the URL without its scheme, or its ends."""
    author = item.author if isinstance(item, Embed) else None
    bare = item.url.partition("://")[2].removeprefix("www.").rstrip("/")
    short = f"{provider_of(item.url) or ''}/…/{bare.partition('?')[0].rpartition('/')[2][-_MAX_END_CHARS:]}"
    return author or item.name or (bare if len(bare) <= _MAX_LABEL_CHARS else short)


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


# What the body of an article may hold besides its text: tables, links and images, each wanted or not.


@dataclass(frozen=True, slots=True)
class BodyContent:
    """What is wanted of a body besides its paragraphs."""

    tables: bool = True
    """Tables of data. Those that only lay out the page are never tables, their text stays."""
    links: bool = True
    """The addresses of links; their text stays in any case."""
    images: bool = True
    """Images with their captions, in HTML and Markdown; plain text has none."""

    def blocks(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Return the wanted ones of the blocks of a body."""
        if self.tables or not blocks:
            return blocks
        tables = DataTables(blocks)
        return tuple(block for block in blocks if tables.table_of(block.owner) < 0)

    def parts(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the wanted ones of the parts of a body, without the addresses of unwanted links."""
        frame: Containers | None = None
        for part in parts:
            if part.image is not None:
                frame = part.containers
            is_picture = part.image is not None or (part.tag == "figcaption" and part.containers == frame)
            if (self.tables or part.table is None) and (self.images or not is_picture):
                yield self._reduced(part)

    def _reduced(self, part: Part) -> Part:
        if self.links and self.images:
            return part
        spans = part.spans if self.links else tuple(replace(span, href=None) for span in part.spans)
        return replace(part, spans=spans, table=part.table and self._table(part.table))

    def _table(self, table: Table) -> Table:
        return replace(table, captions=tuple(self.parts(table.captions)), rows=tuple(map(self._row, table.rows)))

    def _row(self, row: Row[tuple[Part, ...]]) -> Row[tuple[Part, ...]]:
        return replace(
            row,
            slots=tuple(slot and replace(slot, content=tuple(self.parts(slot.content or ()))) for slot in row.slots),
        )


EVERYTHING = BodyContent()
"""All that the page has."""
