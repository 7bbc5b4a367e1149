"""The pages of one article as one extraction: their blocks in order, without what a further page repeats."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from newsextract.page.block_images import images_among
from newsextract.page.rendering import renderer
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.next_page import next_page
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extractor

MIN_REPEAT_CHARS = 30
"""A text of the body as long as this is the standfirst or a box when it comes again; shorter ones, the questions of an
interview or the names of its speakers, may well be said twice."""


@dataclass(frozen=True)
class JoinedExtraction(Extraction):
    """What was kept of several pages; as doubtful as the most doubtful of them."""

    pages: tuple[Extraction, ...] = ()

    @cached_property
    def html(self) -> str:
        """The pages one after the other, pictures of earlier ones left out, unless they have a caption."""
        shown: set[str] = set()
        written = []
        for page in self.pages:
            written.append(renderer.html(page.blocks, shown))
            shown.update(picture.url for picture in images_among(page.blocks))
        return "".join(written)

    @cached_property
    def markdown(self) -> str:
        """The pages one after the other."""
        return "\n\n".join(page.markdown for page in self.pages)

    @cached_property
    def confidence(self) -> float:
        """That of the least certain page."""
        return min((page.confidence for page in self.pages), default=0.0)


def join_pages(page: Page, extraction: Extraction, extractor: Extractor) -> Extraction:
    """Return what is kept of a page and of those that continue it; the extraction of the page, if none does."""
    warnings = list(_unjoined(page))
    if not page.continued:
        return replace(extraction, warnings=(*extraction.warnings, *warnings)) if warnings else extraction
    further = list(_further(page, extraction, extractor))
    warnings += [Notice(NoticeCode.NOTHING_NEW, page=n) for n, found in enumerate(further, start=2) if not found]
    return _joined([extraction, *further], warnings)


def _further(page: Page, extraction: Extraction, extractor: Extractor) -> Iterator[Extraction]:
    """Yield what each further page adds."""
    earlier = _Earlier()
    earlier.note(page, extraction)
    for further in page.continued:
        found = extractor.extract(further)
        yield replace(found, blocks=tuple(block for block in found.blocks if not earlier.has(block)))
        earlier.note(further, found)


def _joined(found: list[Extraction], warnings: list[Notice]) -> JoinedExtraction:
    kept = tuple(filter(None, found))
    return JoinedExtraction(
        extractor=found[0].extractor,
        blocks=tuple(block for page in kept for block in page.blocks),
        estimate=min((page.estimate for page in kept if page.estimate is not None), default=None),
        sources=found[0].sources,
        warnings=tuple(dict.fromkeys([*(warning for page in found for warning in page.warnings), *warnings])),
        pages=kept,
    )


def _unjoined(page: Page) -> Iterator[Notice]:
    """Yield a warning when the last of the pages says that the article goes on."""
    last = (page, *page.continued)[-1]
    if page.url and last.url and (url := next_page(last.tree, last.base_url or "", last.url, page.url)):
        yield Notice(NoticeCode.NOT_JOINED, url=url)


class _Earlier:
    """The texts of the pages before one."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.around: set[str] = set()

    def note(self, page: Page, extraction: Extraction) -> None:
        """Add the texts of a page: those of the body, and around it, with the headline, those that are no links."""
        texts = {block.text for block in extraction.blocks if block.tag != "h1"}
        self.kept |= texts
        self.around |= _plain(page.blocks) - texts

    def has(self, block: Block) -> bool:
        """Return whether the block repeats what a reader of the earlier pages has seen."""
        return block.text in self.around or (block.text in self.kept and len(block.text) >= MIN_REPEAT_CHARS)


def _plain(blocks: Iterable[Block]) -> set[str]:
    # Not the links: the table of contents that a first page has names the headings of the others.
    return {block.text for block in blocks if block.link_density < 0.5}
