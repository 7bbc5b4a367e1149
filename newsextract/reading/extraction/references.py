"""Reference tools behind our interface, so that they can be compared with our extractors.

Adapters only: a tool reads the page's HTML its own way, and its text is mapped back onto the page's blocks, so that
what is compared is the choice and not white space. The packages are in the extra `evaluate`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.page.page import Page
from newsextract.page.text import words
from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.page.blocks import Block


MIN_ALIGNED_SHARE = 0.5
"""A block counts as kept if at least this share of its words is in the text, in order."""


@dataclass(frozen=True)
class Reference:
    """A tool that returns a text."""

    name: ClassVar[str]
    extra: ClassVar[str] = "evaluate"

    def extract(self, page: Page) -> Extraction:
        """Return the blocks that make up the tool's text."""
        return self.extraction_of(page, self.read(page))

    writes_html: ClassVar[bool] = False
    """Whether what the tool writes is HTML; otherwise it is plain text."""

    def extraction_of(self, page: Page, written: str) -> Extraction:
        """Return the blocks that make up what the tool wrote."""
        if self.writes_html and written:
            written = "\n".join(block.text for block in Page(written).blocks)
        return Extraction(self.name, blocks_of_text(written, page.blocks))

    def read(self, page: Page) -> str:
        """Return what the tool writes; this is what a benchmark times."""
        raise NotImplementedError


@register
@dataclass(frozen=True)
class Boilerpipe(Reference):
    """Boilerpy3's ArticleExtractor, after Kohlschütter et al., "Boilerplate Detection using Shallow Text Features"."""

    name: ClassVar[str] = "boilerpipe"
    requires: ClassVar[tuple[str, ...]] = ("boilerpy3", "rapidfuzz")

    def read(self, page: Page) -> str:
        """Return the tool's own text."""
        from boilerpy3 import extractors  # noqa: PLC0415 - an extra

        # It warns about every nested link on every page, and prints a traceback for a page without a tag.
        logging.getLogger("boilerpy3").setLevel(logging.CRITICAL)
        text: str = extractors.ArticleExtractor(raise_on_failure=False).get_content(page.decoded.text)
        return text


@register
@dataclass(frozen=True)
class Readability(Reference):
    """readability-lxml, after Arc90's bookmarklet."""

    name: ClassVar[str] = "readability"
    requires: ClassVar[tuple[str, ...]] = ("readability", "rapidfuzz")
    writes_html: ClassVar[bool] = True

    def read(self, page: Page) -> str:
        """Return the tool's own HTML."""
        from readability import Document  # noqa: PLC0415 - an extra
        from readability.readability import Unparseable  # noqa: PLC0415 - an extra

        try:
            summary: str = Document(page.decoded.text).summary()
        except Unparseable:  # readability's way to say that a page has no text
            return ""
        return summary


@register
@dataclass(frozen=True)
class Trafilatura(Reference):
    """trafilatura (Barbaresi, "Trafilatura: A Web Scraping Library", ACL 2021)."""

    name: ClassVar[str] = "trafilatura"
    requires: ClassVar[tuple[str, ...]] = ("trafilatura", "rapidfuzz")

    favor_precision: bool = False
    """The tool's setting for less noise at the price of some text."""

    def read(self, page: Page) -> str:
        """Return the tool's own text."""
        import trafilatura  # noqa: PLC0415 - an extra

        text = trafilatura.extract(
            page.decoded.text, url=page.url, include_comments=False, favor_precision=self.favor_precision
        )
        return text or ""


def blocks_of_text(text: str, blocks: Sequence[Block], min_share: float = MIN_ALIGNED_SHARE) -> tuple[Block, ...]:
    """Return the blocks that make up a text.

    The words of text and page are aligned by their longest common subsequence (Indel distance, rapidfuzz); a block is
    returned when at least `min_share` of its words is aligned.
    """
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415 - of the extra `evaluate`, which alone needs it

    ours = words(text)
    owners = [number for number, block in enumerate(blocks) for _ in words(block.text)]
    theirs = [word for block in blocks for word in words(block.text)]
    aligned = [0] * len(blocks)
    for step in LCSseq.opcodes(ours, theirs):
        if step.tag == "equal":
            for position in range(step.dest_start, step.dest_end):
                aligned[owners[position]] += 1
    totals = [0] * len(blocks)
    for owner in owners:
        totals[owner] += 1
    return tuple(
        block
        for block, found, total in zip(blocks, aligned, totals, strict=True)
        if total and found >= min_share * total
    )
