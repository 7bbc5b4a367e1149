"""Keep all text: the control in comparisons, which shows what a page holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from newsextract.reading.extraction.contract import Extraction, register

if TYPE_CHECKING:
    from newsextract.page.page import Page


@register
@dataclass(frozen=True)
class Everything:
    """Keeps every block of the page."""

    name: ClassVar[str] = "everything"

    def extract(self, page: Page) -> Extraction:
        """Return all the visible text."""
        return Extraction(self.name, page.blocks)
