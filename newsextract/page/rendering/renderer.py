"""Render blocks as text, clean HTML and Markdown, for all extractors."""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

import nh3

from newsextract.page.outline import LINE_BREAK
from newsextract.page.page import Page
from newsextract.page.rendering.document import EVERYTHING, ROOMS, by_link, by_tag, parts_of, text_of, trimmed
from newsextract.page.rendering.markdown import write_markdown
from newsextract.page.rendering.plain_text import write_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from newsextract.page.blocks import Block
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
