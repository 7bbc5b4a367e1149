"""Render blocks as text, clean HTML and Markdown, for all extractors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nh3

from newsextract.page.rendering.body_content import EVERYTHING
from newsextract.page.rendering.document_parts import parts_of
from newsextract.page.rendering.html_writer import write_html
from newsextract.page.rendering.markdown import write_markdown
from newsextract.page.rendering.plain_text import write_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from newsextract.page.blocks import Block
    from newsextract.page.media.illustrations import Illustrations
    from newsextract.page.rendering.body_content import BodyContent

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
