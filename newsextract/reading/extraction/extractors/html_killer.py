"""HTML Killer, the baseline of Daureu, Marie & Goubeau (report, Université de Nantes, 2015, section 2.1).

Everything before the first `h1` and after the end of `body` is dropped; `script`, `img`, comments, `form` and `li` go
with their content; `a`, `span` and `div` go without it; headings other than the first `h1` are removed. Segments end at
`br` and at `/p`, nowhere else. There are two outputs: plain text, and HTML with `p` and `h` only.

Left open by the report: without an `h1` nothing is dropped before; a removed heading goes with its text. As a selection
of blocks it keeps what the script keeps; `segments` gives its own segmentation.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.ancestry import Inherited
from newsextract.page.text_runs import LINE_BREAK
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page

_REMOVED = frozenset("script img form li h1 h2 h3 h4 h5 h6".split())


@register
@dataclass(frozen=True)
class HtmlKiller:
    """Keeps all text after the first `h1` that is not in a list, form or further heading."""

    name: ClassVar[str] = "html_killer"

    def extract(self, page: Page) -> Extraction:
        """Return the blocks that the script keeps."""
        outline = page.outline
        heading = _first_heading(outline)
        is_removed = Inherited(
            outline, False, lambda around, element: around or _is_removed(outline.tags[element], element, heading)
        )
        start = outline.run_starts[heading] if heading is not None else 0
        later = (block for block in page.blocks if block.start >= start)
        return Extraction(self.name, tuple(block for block in later if not is_removed.of(block.owner)))

    def segments(self, page: Page) -> list[tuple[str, str]]:
        """Return the script's own segments, as (`h` or `p`, text) pairs: they end at `br` and at the end of a `p`."""
        return list(_segments(self.extract(page).blocks))

    def plain_text(self, page: Page) -> str:
        """Return the script's first output: a segment a line."""
        return "\n".join(text for _, text in self.segments(page))

    def plain_html(self, page: Page) -> str:
        """Return the script's second output: HTML of `p` and `h` only."""
        return "\n".join(f"<{mark}>{escape(text, quote=False)}</{mark}>" for mark, text in self.segments(page))


def _first_heading(outline: Outline) -> int | None:
    return next((number for number, tag in enumerate(outline.tags) if tag == "h1"), None)


def _is_removed(tag: str, element: int, heading: int | None) -> bool:
    """Tell whether the script removes an element with its content; the first heading stays."""
    return tag in _REMOVED and element != heading


def _segments(blocks: tuple[Block, ...]) -> Iterator[tuple[str, str]]:
    pending: list[str] = []
    for block in blocks:
        if block.tag == "h1":
            yield from _flush(pending)
            yield "h", block.text
            continue
        pending.extend(_lines(block, pending))
        if block.tag == "p" or _breaks_after(block):
            yield from _flush(pending)
    yield from _flush(pending)


def _lines(block: Block, pending: list[str]) -> list[str]:
    """Return the block's text, cut at its line breaks; its first line continues the pending text."""
    lines = [" ".join(line.split()) for line in "".join(block.outline.runs[block.start : block.stop]).split(LINE_BREAK)]
    if pending:
        lines[0] = f"{pending.pop()} {lines[0]}"
    return lines


def _breaks_after(block: Block) -> bool:
    """Tell whether a line break ended the block."""
    outline = block.outline
    following = outline.holders[block.stop] if block.stop < len(outline.runs) else -1
    return following >= 0 and outline.owners[following] == block.owner


def _flush(pending: list[str]) -> Iterator[tuple[str, str]]:
    yield from (("p", line) for line in pending if line)
    pending.clear()
