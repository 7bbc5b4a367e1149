"""Render blocks as text, clean HTML and Markdown, for all extractors."""

from __future__ import annotations

import re
from collections import Counter
from html import escape
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

import nh3

from newsextract.page.blocks import Inherited, nearest
from newsextract.page.outline import LINE_BREAK
from newsextract.page.page import Page
from newsextract.page.rendering.document import (
    EVERYTHING,
    ROOMS,
    Context,
    by_link,
    by_tag,
    code_of,
    parts_of,
    text_of,
    trimmed,
)
from newsextract.page.rendering.markdown import write_markdown
from newsextract.page.rendering.table_grids import DataTables, rows_of
from newsextract.page.text import as_read

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.media import Illustrations
    from newsextract.page.rendering.document import BodyContent, Container, Containers, Part, Span, Table
    from newsextract.page.rendering.table_grids import Slot


# Write parts as HTML: the tags of text and tables alone, all text escaped.


def paragraphs(text: str) -> str:
    r"""Return plain text as HTML, each line a paragraph.

    >>> paragraphs("It rained.\n \n2 < 3")
    '<p>It rained.</p><p>2 &lt; 3</p>'
    """
    return "".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip())


def write_html(parts: Sequence[Part], *, is_in_room: bool = False) -> str:
    """Return the parts as HTML; a paragraph that is alone in a room (a cell, an item) gets no `p`."""
    return "".join(_Writer(is_in_room=is_in_room).write(parts))


class _Writer:
    def __init__(self, *, is_in_room: bool) -> None:
        self.is_in_room = is_in_room
        self.following: dict[int, int] = {}
        """The number that browsers would give the next item of each ordered list."""

    def write(self, parts: Sequence[Part]) -> Iterator[str]:
        sharing = Counter(part.containers for part in parts)
        around: Containers = ()
        for part in parts:
            yield from self._move(around, part.containers)
            around = part.containers
            is_room = around[-1].tag in ROOMS if around else self.is_in_room
            yield _element(part, is_bare=is_room and sharing[around] == 1)
        yield from self._move(around, ())

    def _move(self, before: Containers, after: Containers) -> Iterator[str]:
        """Yield the tags that close one list of containers and open another."""
        shared = 0
        for old, new in zip_longest(before, after):
            if old != new:
                break
            shared += 1
        for container in reversed(before[shared:]):
            yield f"</{container.tag}>"
        for depth in range(shared, len(after)):
            yield f"<{after[depth].tag}{self._attributes(after, depth)}>"

    def _attributes(self, containers: Containers, depth: int) -> str:
        container = containers[depth]
        if container.tag == "details":
            return " open"  # what is part of the article is not hidden again
        if container.tag == "ol":
            first = containers[depth + 1].number if depth + 1 < len(containers) else None
            return self._of_list(container, first)
        if container.tag == "li" and container.number is not None and depth:
            return self._of_item(containers[depth - 1], container.number)
        return ""

    def _of_list(self, ordered: Container, first: int | None) -> str:
        kind = f' type="{ordered.numbering}"' if ordered.numbering else ""
        order = " reversed" if ordered.is_reversed else ""
        if first is None:
            return kind + order
        self.following[ordered.element] = first
        return f'{kind}{order} start="{first}"' if first != 1 or ordered.is_reversed else kind

    def _of_item(self, ordered: Container, number: int) -> str:
        expected = self.following.get(ordered.element)
        self.following[ordered.element] = number + (-1 if ordered.is_reversed else 1)
        return "" if number == expected else f' value="{number}"'


def _element(part: Part, *, is_bare: bool) -> str:
    if part.table:
        return "".join(_table(part.table))
    if part.image:
        return f'<img src="{escape(part.image.url)}" alt="{escape(part.image.alt)}">'
    if part.tag == "pre":
        code = escape(text_of(part.spans), quote=False)
        inner = f'<code class="language-{part.language}">{code}</code>' if part.language else code
        return f"<pre>{inner}</pre>"
    inner = _inline(part.spans)
    return inner if is_bare and part.tag == "p" else f"<{part.tag}>{inner}</{part.tag}>"


def _table(table: Table) -> Iterator[str]:
    yield "<table>"
    if table.captions:
        yield f"<caption>{write_html(table.captions, is_in_room=True)}</caption>"
    for is_head, rows in groupby(table.rows, key=lambda row: row.is_head):
        section = "thead" if is_head else "tbody"
        yield f"<{section}>"
        for row in rows:
            yield f"<tr>{''.join(map(_cell, filter(None, row.slots)))}</tr>"
        yield f"</{section}>"
    yield "</table>"


def _cell(slot: Slot[tuple[Part, ...]]) -> str:
    tag = "th" if slot.is_header else "td"
    spans = "".join(f' {name}="{n}"' for name, n in (("colspan", slot.columns), ("rowspan", slot.rows)) if n > 1)
    return f"<{tag}{spans}>{write_html(slot.content or (), is_in_room=True)}</{tag}>"


def _inline(spans: Sequence[Span]) -> str:
    """Return the text in its tags; like Markdown's marks, they enclose no white space at either end."""
    if len(spans) == 1 and not spans[0].tags and not spans[0].href:
        return _escaped(spans[0].text)
    return "".join(_link(href, group) for href, group in by_link(spans))


def _link(href: str | None, spans: Sequence[Span]) -> str:
    before, kept, after = trimmed(spans) if href else ("", spans, "")
    inner = "".join(_tagged(tag, group, 0) for tag, group in by_tag(kept, 0))
    if href and kept:
        inner = f'<a href="{escape(href)}">{inner}</a>'
    return _escaped(before) + inner + _escaped(after)


def _tagged(tag: str | None, spans: Sequence[Span], depth: int) -> str:
    if tag is None:
        return _escaped(text_of(spans))
    before, kept, after = trimmed(spans)
    inner = "".join(_tagged(deeper, group, depth + 1) for deeper, group in by_tag(kept, depth + 1))
    return _escaped(before) + (f"<{tag}>{inner}</{tag}>" if kept else "") + _escaped(after)


def _escaped(plain: str) -> str:
    return escape(plain, quote=False).replace(LINE_BREAK, "<br>") if plain else ""


TAGS = frozenset(
    "p h2 h3 h4 h5 h6 ul ol li blockquote pre code table caption thead tbody tr td th figure img figcaption "
    "details summary a em strong del sub sup br".split()
)
"""The tags that the HTML may hold: those of text and tables, none with behaviour but `details`, which is open."""

ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start", "reversed", "type"},
    "li": {"value"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "code": {"class"},
    "details": {"open"},
}
"""The attributes that they may have; the class of `code` names a programming language."""

_CLEANER = nh3.Cleaner(
    tags=set(TAGS), attributes=ATTRIBUTES, url_schemes={"http", "https", "mailto"}, link_rel=None, strip_comments=True
)


def text(blocks: Sequence[Block]) -> str:
    """Return the text of the blocks, one a line; a row of a table of data is a line, with tabs between its cells."""
    return write_text(blocks)


def markdown(
    blocks: Sequence[Block], content: BodyContent = EVERYTHING, illustrations: Illustrations | None = None
) -> str:
    """Return the blocks, and what is wanted with them, as Markdown (CommonMark, GitHub's tables and strikethrough).

    What is among the blocks besides their text need not be searched again if it is given.
    """
    return write_markdown(content.parts(parts_of(blocks, (), illustrations)))


def html(
    blocks: Sequence[Block],
    shown: Collection[str] = (),
    content: BodyContent = EVERYTHING,
    illustrations: Illustrations | None = None,
) -> str:
    """Return the blocks, and what is wanted with them, as HTML of the `TAGS` alone, sanitised by nh3.

    Every URL is absolute. Pictures without a caption whose addresses are in `shown` are left out.
    Our own writer emits nothing else; nh3 is the guarantee that no flaw in it lets a script through.
    """
    return _CLEANER.clean(write_html(list(content.parts(parts_of(blocks, shown, illustrations)))))


# An article's headline and body as one Markdown document.


def article_markdown(headline: str | None, body_markdown: str | None, body_html: str | None, body: str | None) -> str:
    r"""Return the headline as a heading, and the body below it: as it is, else of the HTML, else of the plain text.

    >>> article_markdown("1 * 2", None, None, "It rained.\nIt stopped.")
    '# 1 \\* 2\n\nIt rained.\n\nIt stopped.'
    """
    if body_markdown is None:
        body_markdown = markdown(Page(body_html or paragraphs(body or "")).blocks)
    return "\n\n".join(filter(None, (heading(headline), body_markdown)))


def heading(headline: str | None) -> str:
    """Return a headline as a heading of the first level, or an empty string for `None`."""
    if not headline:
        return ""
    return markdown(Page(f"<h2>{escape(headline)}</h2>").blocks).removeprefix("#")


# Write blocks as plain text: a line for each block, for each row of a table, and for each line of code.
#
# Cells are separated by tabs, as in what browsers copy, so that a row can be split again and no word is added. Marks of
# lists are not written: bullets and numbers are made by the browser, and are no words of the page.
#
# What is raised or lowered has Unicode's characters where there are some for all of it (`m²`, `CO₂`, `10⁻⁶`), since
# `106` for `10⁶` is wrong. Letters stay as they are (`1er`, `21st`); numbers of footnotes stand in brackets.

_SCRIPTS = {
    "sup": str.maketrans("0123456789+-−–=()ni", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿⁱ"),
    "sub": str.maketrans("0123456789+-−–=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎"),
}
_MARKS = {"sup": "^", "sub": "_"}
_MAX_SCRIPT_CHARS = 20
"""Longer texts are in small print rather than raised."""
_SPECIAL_TAGS = frozenset(("table", "pre", *_SCRIPTS))
"""Tags without which every block is a line as it is."""
_BRACKETS = "[("
_SIMPLE = re.compile(r"[\w.,]+")


def write_text(blocks: Sequence[Block]) -> str:
    """Return the text of the blocks of one or more pages."""
    pages = groupby(blocks, key=lambda block: id(block.outline))
    return "\n".join(line for _, of_page in pages for line in _lines(list(of_page)))


def _lines(blocks: list[Block]) -> Iterator[str]:
    outline = blocks[0].outline
    if _SPECIAL_TAGS.isdisjoint(outline.tag_names):
        yield from (block.text for block in blocks)
        return
    scripts = _Scripts(outline)
    tables = DataTables(blocks)
    if not tables.grids and "pre" not in outline.tag_names:
        yield from map(scripts.text_of, blocks)
        return
    context = Context(blocks, tables)
    for (table, pre, _), group in groupby(blocks, key=lambda block: _unit(block, context)):
        together = list(group)
        if table >= 0:
            yield from _rows(together, table, context, scripts)
        elif pre < 0:
            yield scripts.text_of(together[0])
        elif not context.is_gutter(pre, code := code_of(together)):
            yield code


def _unit(block: Block, context: Context) -> tuple[int, int, int]:
    """Return a key that blocks of the same table of data, or of the same `pre`, share."""
    table = context.tables.table_of(block.owner)
    return (table, -1, 0) if table >= 0 else (-1, *context.unit(block))


def _rows(blocks: list[Block], table: int, context: Context, scripts: _Scripts) -> Iterator[str]:
    """Yield the captions of a table, then its rows."""
    contents: dict[int, str] = {}
    for block in blocks:
        room = context.containers.of(block.owner)
        cell = next(each for each in room if each.tag in ("td", "th", "caption") and each.element > table)
        text = scripts.text_of(block)
        if cell.tag == "caption":
            yield text
        else:
            contents[cell.element] = f"{contents[cell.element]} {text}" if cell.element in contents else text
    for row in rows_of(context.tables.grids[table], contents):
        yield "\t".join((slot and slot.content) or "" for slot in row.slots)


class _Scripts:
    """What a page raises and lowers."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.around = Inherited(outline, -1, self._step)
        self.links = nearest(outline, "a")
        self.has_any = not outline.tag_names.isdisjoint(_SCRIPTS)

    def text_of(self, block: Block) -> str:
        """Return the text of a block on one line."""
        if not self.has_any:
            return block.text
        holders = self.outline.holders[block.start : block.stop]
        if all(self.around.of(holder) < 0 for holder in holders):
            return block.text
        texts = [""]
        link = -1
        runs = zip(self.outline.runs[block.start : block.stop], holders, strict=True)
        for script, group in groupby(runs, key=lambda run: self.around.of(run[1])):
            together = list(group)
            inner = "".join(run for run, _ in together)
            own_link = max(self.links.of(holder) for _, holder in together)
            if script >= 0:
                is_note = own_link >= 0 and own_link != link
                inner = written(self.outline.tags[script], inner, texts[-1][-1:], is_note=is_note)
            texts.append(inner)
            link = own_link
        return as_read("".join(texts))

    def _step(self, around: int, element: int) -> int:
        if self.outline.owners[element] == element:
            return -1
        return element if around < 0 and self.outline.tags[element] in _SCRIPTS else around


def written(script: str, text: str, before: str, *, is_note: bool) -> str:
    """Return a text that is raised (`sup`) or lowered (`sub`) behind another character, as plain text.

    >>> [written("sup", text, "0", is_note=False) for text in ("6", "-6", "n+1", "2.5", "2k*", "st")]
    ['⁶', '⁻⁶', 'ⁿ⁺¹', '^2.5', '^(2k*)', 'st']
    >>> written("sub", "2", "O", is_note=False), written("sub", "max", "T", is_note=False)
    ('₂', 'max')
    >>> written("sup", "1", "d", is_note=True), written("sup", "[1]", "d", is_note=True)
    ('[1]', '[1]')
    """
    core = text.strip()
    if not core or len(core) > _MAX_SCRIPT_CHARS:
        return text
    if is_note:
        return text.replace(core, f"[{core}]") if core[0].isalnum() else text
    is_word = len(core) > 1 and core.isalpha()
    if is_word or not before.strip() or core[0] in _BRACKETS:
        return text
    raised = core.translate(_SCRIPTS[script])
    if all(old != new for old, new in zip(core, raised, strict=True)):
        return text.replace(core, raised)
    has_number = any(char.isdecimal() for char in core)
    return (
        text.replace(core, _MARKS[script] + (core if _SIMPLE.fullmatch(core) else f"({core})")) if has_number else text
    )
