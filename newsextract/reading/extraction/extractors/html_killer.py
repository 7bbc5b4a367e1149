"""HTML Killer, the baseline of Daureu, Marie & Goubeau (report, Université de Nantes, 2015, section 2.1).

Everything before the first `h1` and after the end of `body` is dropped; `script`, `img`, comments, `form` and `li` go
with their content; `a`, `span` and `div` go without it; headings other than the first `h1` are removed. Segments end at
`br` and at `/p`, nowhere else. There are two outputs: plain text, and HTML with `p` and `h` only.

That is what the report says (`rules="report"`). Left open by it: without an `h1` nothing is dropped before; a removed
heading goes with its text. The published script, which made the report's figures, does more: `rules="script"` follows
it, see `newsextract.reading.extraction.rewriting_rules`. `segments` gives the text as either has it, and as a selection
of blocks both keep the blocks of which they keep most words. With `output="report"` the extraction's text and HTML are
the report's two outputs, so that `scrapy extract -x html_killer --option output=report` prints them.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.blocks import Inherited
from newsextract.page.outline import LINE_BREAK
from newsextract.page.text import words
from newsextract.reading.extraction.contract import Extraction, register
from newsextract.reading.extraction.rewriting_rules import rewritten_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.page.blocks import Block, Outline
    from newsextract.page.page import Page

_MOST_WORDS_SKIPPED = 4
"""Words that may be left out before a single one that is kept."""

_REMOVED = frozenset("script img form li h1 h2 h3 h4 h5 h6".split())


@dataclass(frozen=True)
class Rewritten(Extraction):
    """An extraction whose text and HTML are the two outputs of the report."""

    segments: tuple[tuple[str, str], ...] = ()
    """(`h` or `p`, text) pairs."""

    @cached_property
    def text(self) -> str:
        """The first output: a segment a line."""
        return "\n".join(text for _, text in self.segments)

    @cached_property
    def html(self) -> str:
        """The second output: HTML of `p` and `h` only."""
        return "\n".join(f"<{mark}>{escape(text, quote=False)}</{mark}>" for mark, text in self.segments)


@register
@dataclass(frozen=True)
class HtmlKiller:
    """Keeps all text after the first `h1` that is not in a list, form or further heading."""

    name: ClassVar[str] = "html_killer"

    rules: str = "report"
    """The rules of the `report`, or those of the published `script`."""
    output: str = "blocks"
    """Text and HTML are those of the `blocks`, as with other extractors, or the two outputs of the `report`."""

    def __post_init__(self) -> None:
        if self.output not in ("blocks", "report"):
            raise ValueError(f"output: {self.output!r} is neither 'blocks' nor 'report'")
        if self.rules not in ("report", "script"):
            raise ValueError(f"rules: {self.rules!r} is neither 'report' nor 'script'")

    def extract(self, page: Page) -> Extraction:
        """Return the blocks that are kept."""
        blocks = self._by_script(page) if self.rules == "script" else self._by_report(page).blocks
        if self.output == "report":
            return Rewritten(self.name, blocks, segments=tuple(self.segments(page)))
        return Extraction(self.name, blocks)

    def _by_script(self, page: Page) -> tuple[Block, ...]:
        return tuple(_kept(page.blocks, [text for _, text in self.segments(page)]))

    def _by_report(self, page: Page) -> Extraction:
        outline = page.outline
        heading = _first_heading(outline)
        is_removed = Inherited(
            outline, False, lambda around, element: around or _is_removed(outline.tags[element], element, heading)
        )
        start = outline.run_starts[heading] if heading is not None else 0
        later = (block for block in page.blocks if block.start >= start)
        return Extraction(self.name, tuple(block for block in later if not is_removed.of(block.owner)))

    def segments(self, page: Page) -> list[tuple[str, str]]:
        """Return the segments, as (`h` or `p`, text) pairs: they end at `br` and at the end of a `p`."""
        if self.rules == "script":
            return rewritten_segments(page.decoded.text)
        return list(_segments(self._by_report(page).blocks))


def _kept(blocks: Sequence[Block], texts: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of which the texts, in the order of the page, have at least half of the words."""
    words_of = [words(block.text) for block in blocks]
    found = _found([word for some in words_of for word in some], [word for text in texts for word in words(text)])
    place = 0
    for block, some in zip(blocks, words_of, strict=True):
        if some and 2 * sum(found[place : place + len(some)]) >= len(some):
            yield block
        place += len(some)


def _found(page: Sequence[str], kept: Sequence[str]) -> list[bool]:
    """Tell which words of a page are kept, given the kept ones in their order.

    Three words in a row are looked for anywhere behind the last ones, single words only close to them.
    """
    triples: dict[tuple[str, ...], list[int]] = {}
    for place in range(len(page) - 2):
        triples.setdefault(tuple(page[place : place + 3]), []).append(place)
    found = [False] * len(page)
    last = -1
    for number, word in enumerate(kept):
        starts = triples.get(tuple(kept[number : number + 3]), [])
        behind = bisect_right(starts, last)
        near = last + 1 + _MOST_WORDS_SKIPPED
        if behind < len(starts):
            last = starts[behind]
            found[last] = True
        elif word in page[last + 1 : near]:
            last = page.index(word, last + 1, near)
            found[last] = True
    return found


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
