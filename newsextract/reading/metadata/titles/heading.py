"""The headline as the reader sees it: the heading that the page's titles confirm, without its kicker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.titles.title_affixes import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.reading.metadata.page_clues import Clues

_MAX_KICKER_WORDS = 3
_MIN_HEADLINE_WORDS = 4
_MIN_KICKER_CHARS = 4
"""Shorter words before a headline are its own: "The", "2025"."""


def read(clues: Clues) -> Findings:
    """Return the heading that agrees best with the page's titles."""
    heading = clues.heading
    if heading is None:
        return Findings()
    return Findings({"headline": [without_kicker(heading.text, map(clues.bare, clues.titles))]})


def without_kicker(heading: str, titles: Iterable[str]) -> str:
    """Return the title that a heading says after a section or label of few words, else the heading.

    >>> without_kicker("Opinion Why we like rain", ["Why we like rain"])
    'Why we like rain'
    >>> without_kicker("Weather: why we like rain", ["Why we like rain"])
    'Weather: why we like rain'
    """
    said = words_of(heading)
    for title in titles:
        words = words_of(title)
        extra = len(said) - len(words)
        if 0 < extra <= _MAX_KICKER_WORDS and len(words) >= _MIN_HEADLINE_WORDS and said[extra:] == words:
            kicker = heading[: len(heading) - len(title)].rstrip()
            if (
                len(kicker) >= _MIN_KICKER_CHARS
                and not kicker.isdecimal()
                and not kicker.endswith((":", ",", "–", "-"))
            ):
                return title
    return heading
