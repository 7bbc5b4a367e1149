"""The window's title, and the headings that nothing confirms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues


def read(clues: Clues) -> Findings:
    """Return the title, then the headings."""
    return Findings({"headline": [text for text in (clues.title, *clues.headings) if text]})
