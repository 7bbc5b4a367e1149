"""What the feed or news sitemap that led here says about the article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from newsextract.reading.metadata.page_clues import Clues


def read(clues: Clues) -> Findings:
    """Return its headline and date."""
    hints = clues.page.hints
    stated = {"headline": hints.title, "datePublished": hints.date}
    return Findings({field: [value] for field, value in stated.items() if value})
