"""The article pages of a site as `auto` reads them, which is what rules are learned from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.article_reader import read_facts
from newsextract.reading.extraction.contract import create_extractor
from newsextract.tools.probing.stable_selectors import unique_places

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata


@dataclass(eq=False)
class ReadPage:
    """A page with its general reading."""

    page: Page
    extraction: Extraction

    @property
    def url(self) -> str:
        """The page's URL; empty without one."""
        return self.page.url or ""

    @cached_property
    def metadata(self) -> Metadata:
        """What the general reading finds beside the body."""
        return read_facts(self.page, self.extraction)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The selectors that match one element, with its number in the outline."""
        return unique_places(self.page)


@dataclass(frozen=True)
class AsRead:
    """An extractor that returns what has been read: rules are tried without reading the page again."""

    name: ClassVar[str] = "auto"
    extraction: Extraction

    def extract(self, _page: Page) -> Extraction:
        """Return it, whatever the page."""
        return self.extraction


def read_again(pages: Iterable[Page], extractor: str) -> list[ReadPage]:
    """Return the pages with their general reading."""
    chosen = create_extractor(extractor)
    return [ReadPage(page, chosen.extract(page)) for page in pages]
