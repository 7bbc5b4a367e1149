"""Join the pages of one article into one extraction: their blocks in order, without what a further page repeats."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

from newsextract.page.rendering import renderer
from newsextract.page.words import words
from newsextract.reading.extraction.contract import Extraction
from newsextract.reading.next_page import PageLinks, next_page
from newsextract.reading.notices import Notice, NoticeCode
from newsextract.reading.rules.ruled_next_page import ruled_next_page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.page.blocks import Block
    from newsextract.page.page import Page
    from newsextract.page.rendering.body_content import BodyContent
    from newsextract.reading.extraction.contract import Extractor
    from newsextract.reading.rules.site_rules import SiteRules

MIN_REPEAT_CHARS = 30
"""A repeated body text of at least this length is a standfirst or a box; shorter ones, such as questions of an
interview or names of its speakers, may well occur twice."""

MIN_SHARE_OF_FIRST = 0.8
"""Share of the first page's words that all of the article on one page has at least; the others were around the text."""


@dataclass(frozen=True)
class JoinedExtraction(Extraction):
    """The extraction of several pages; as doubtful as the most doubtful of them."""

    pages: tuple[Extraction, ...] = ()

    def __repr__(self) -> str:
        return super().__repr__()

    def showing(self, content: BodyContent) -> Self:
        """Return the same extraction with no more tables, links and images than these."""
        pages = tuple(page.showing(content) for page in self.pages)
        blocks = tuple(block for page in pages for block in page.blocks)
        return replace(self, blocks=blocks, content=content, pages=pages)

    @cached_property
    def html(self) -> str:
        """The pages in order; images without a caption, videos and embeds of an earlier page are left out."""
        shown: set[str] = set()
        written = []
        for page in self.pages:
            found = page.illustrations
            written.append(renderer.html(page.blocks, shown, self.content, found))
            shown.update(picture.url for picture in found.images)
            shown.update(medium.item.url for medium in found.media)
        return "".join(written)

    @property
    def by_page(self) -> tuple[Extraction, ...]:
        """The extraction of each page."""
        return self.pages

    @cached_property
    def markdown(self) -> str:
        """The pages in order."""
        return "\n\n".join(page.markdown for page in self.pages)

    @cached_property
    def confidence(self) -> float:
        """The lowest confidence of the pages."""
        return min((page.confidence for page in self.pages), default=0.0)


def join_pages(page: Page, extraction: Extraction, extractor: Extractor, rules: SiteRules | None = None) -> Extraction:
    """Return the joined extraction of a page and its further pages, or `extraction` if it has none."""
    if page.continued and page.continued[0].hints.is_single_page:
        return _single(extraction, page.continued[0], extractor)
    warnings = list(_unjoined(page, rules))
    if not page.continued:
        return replace(extraction, warnings=(*extraction.warnings, *warnings)) if warnings else extraction
    further = list(_further(page, extraction, extractor))
    warnings += [Notice(NoticeCode.NOTHING_NEW, page=n) for n, found in enumerate(further, start=2) if not found]
    return _joined([extraction, *further], warnings)


def _single(extraction: Extraction, single: Page, extractor: Extractor) -> Extraction:
    """Return what the page with all of an article has; what the first has, `extraction`, if it is of another text."""
    found = extractor.extract(single)
    first, whole = (Counter(words(some.text)) for some in (extraction, found))
    if not found or (first & whole).total() < MIN_SHARE_OF_FIRST * first.total():
        notice = Notice(NoticeCode.RULE_NOT_WHOLE, url=single.url)
        return replace(extraction, warnings=(*extraction.warnings, notice))
    return replace(found, warnings=tuple(dict.fromkeys((*extraction.warnings, *found.warnings))))


def _further(page: Page, extraction: Extraction, extractor: Extractor) -> Iterator[Extraction]:
    """Yield the extraction of each further page, without repeated blocks."""
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


def _unjoined(page: Page, rules: SiteRules | None) -> Iterator[Notice]:
    """Yield a warning if the last page links to a further one that was not fetched."""
    last = (page, *page.continued)[-1]
    if page.url and last.url:
        links = PageLinks.of_outline(last.outline)
        found = next_page(links, last.base_url or "", last.url, page.url)
        if url := ruled_next_page(last, page.url, rules, found):
            yield Notice(NoticeCode.NOT_JOINED, url=url)


class _Earlier:
    """The texts of earlier pages."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.around: set[str] = set()

    def note(self, page: Page, extraction: Extraction) -> None:
        """Add the texts of a page: those of the body, and those around it that are not links, headline included."""
        texts = {block.text for block in extraction.blocks if block.tag != "h1"}
        self.kept |= texts
        self.around |= _plain(page.blocks) - texts

    def has(self, block: Block) -> bool:
        """Tell whether the block repeats a text of an earlier page."""
        return block.text in self.around or (block.text in self.kept and len(block.text) >= MIN_REPEAT_CHARS)


def _plain(blocks: Iterable[Block]) -> set[str]:
    # Without links: a table of contents on the first page contains the headings of the others.
    return {block.text for block in blocks if block.link_density < 0.5}
