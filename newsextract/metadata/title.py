"""The window's title, whole: where a site's name begins is not for one page to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.metadata.findings import Findings

if TYPE_CHECKING:
    from newsextract.metadata.clues import Clues


def read(clues: Clues) -> Findings:
    """Return the title, then the headings that nothing confirms."""
    return Findings({"headline": [text for text in (clues.title, *clues.headings) if text]})
