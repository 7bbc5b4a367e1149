"""Render blocks as text, clean HTML and Markdown, for all extractors."""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import zip_longest
from typing import TYPE_CHECKING

import nh3

from newsextract.page.rendering.document_parts import ROOMS, Part, parts_of
from newsextract.page.rendering.markdown import write_markdown
from newsextract.page.text_runs import LINE_BREAK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from newsextract.page.blocks import Block
    from newsextract.page.rendering.document_parts import Span

TAGS = frozenset(
    "p h2 h3 h4 h5 h6 ul ol li blockquote pre code table tr td th figure img figcaption a em strong br".split()
)
"""The tags that the HTML may hold: those of text and tables, none with behaviour."""

_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}}
_SCHEMES = {"http", "https", "mailto"}


def text(blocks: Sequence[Block]) -> str:
    """Return the text of the blocks, one a line."""
    return "\n".join(block.text for block in blocks)


def markdown(blocks: Sequence[Block]) -> str:
    """Return the blocks as Markdown (CommonMark, with GitHub's tables)."""
    return write_markdown(parts_of(blocks))


def html(blocks: Sequence[Block], shown: Collection[str] = ()) -> str:
    """Return the blocks as HTML of the `TAGS` alone, every URL absolute, sanitised by nh3.

    Pictures without a caption whose addresses are in `shown` are left out.
    Our own writer emits nothing else; nh3 is the guarantee that no flaw in it lets a script through.
    """
    written = "".join(_write([part for part in parts_of(blocks) if not _is_shown(part, shown)]))
    return nh3.clean(
        written, tags=set(TAGS), attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel=None, strip_comments=True
    )


def _is_shown(part: Part, shown: Collection[str]) -> bool:
    return part.image is not None and not part.image.captions and part.image.url in shown


def _write(parts: Sequence[Part]) -> Iterator[str]:
    sharing = Counter(part.containers for part in parts)
    around: tuple[tuple[int, str], ...] = ()
    for part in parts:
        yield from _move(around, part.containers)
        around = part.containers
        yield _element(part, is_alone=sharing[around] == 1)
    yield from _move(around, ())


def _move(before: tuple[tuple[int, str], ...], after: tuple[tuple[int, str], ...]) -> Iterator[str]:
    """Yield the tags that close one list of containers and open another."""
    shared = 0
    for old, new in zip_longest(before, after):
        if old != new:
            break
        shared += 1
    for _, tag in reversed(before[shared:]):
        yield f"</{tag}>"
    for _, tag in after[shared:]:
        yield f"<{tag}>"


def _element(part: Part, *, is_alone: bool) -> str:
    if part.image:
        return f'<img src="{escape(part.image.url)}" alt="{escape(part.image.alt)}">'
    if part.tag == "pre":
        code = "".join(span.text for span in part.spans).replace(LINE_BREAK, "\n")
        return f"<pre>{escape(code, quote=False)}</pre>"
    inner = "".join(map(_inline, part.spans))
    is_bare = part.tag == "p" and is_alone and bool(part.containers) and part.containers[-1][1] in ROOMS
    return inner if is_bare else f"<{part.tag}>{inner}</{part.tag}>"


def _inline(span: Span) -> str:
    """Return the text in its tags; like Markdown's marks, they enclose no white space at either end."""
    core = span.text.strip()
    if not core or not (span.tags or span.href):
        return _escaped(span.text)
    before, _, after = span.text.partition(core)
    inner = _escaped(core)
    for tag in reversed(span.tags):
        inner = f"<{tag}>{inner}</{tag}>"
    if span.href:
        inner = f'<a href="{escape(span.href)}">{inner}</a>'
    return _escaped(before) + inner + _escaped(after)


def _escaped(plain: str) -> str:
    return escape(plain, quote=False).replace(LINE_BREAK, "<br>")
