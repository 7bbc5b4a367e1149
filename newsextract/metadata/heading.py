"""The headline as the reader sees it: the top heading that the page's titles confirm."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

from newsextract.metadata.findings import Findings
from newsextract.metadata.texts import agreement, agrees

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.metadata.clues import Clues

_MIN_WORDS = 2
"""A single word that is in the title is more often the site's name than a headline."""

_MIN_LONE_WORDS = 4
"""An only heading of some length is the headline even if the titles, written for search engines, differ."""


def read(clues: Clues) -> Findings:
    """Return the heading that agrees best with the page's titles."""
    stated = (*clues.meta.get("og:title", ()), clues.title)
    headings = clues.headings
    best = best_heading(headings, [title for title in stated if title])
    if best is None and len(headings) == 1 and len(headings[0].split()) >= _MIN_LONE_WORDS:
        best = headings[0]
    return Findings({"headline": [best]} if best else {})


def best_heading(headings: Sequence[str], titles: Sequence[str]) -> str | None:
    """Return the heading that says most of what the titles say, `None` when none agrees.

    >>> best_heading(["The Daily Plain", "Rain in Spain"], ["Rain in Spain | The Daily Plain"])
    'Rain in Spain'
    """
    scored = [
        (agreement(title, heading), title.startswith(heading), heading)
        for heading in headings
        for title in titles
        if agrees(heading, title) and len(heading.split()) >= min(_MIN_WORDS, len(title.split()))
    ]
    # Sites put their own name last. max keeps the first of equals, which stands higher on the page.
    return max(scored, key=itemgetter(0, 1))[2] if scored else None
