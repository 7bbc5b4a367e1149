"""Dates in the visible page that no `<time>` marks: short lines with a telling class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.reading.metadata.dates.written_dates import find_written
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.margins import is_in_margin
from newsextract.reading.metadata.text_folding import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

_NAMES = ("date", "Date", "datum", "time", "ublish", "osted", "meta", "yline", "info", "uthor")
_DATED = re.compile("|".join(_NAMES))
_MAX_DATED = 80
"""Elements looked at: the article's dateline stands near its head."""
_MAX_CHARS = 150
"""Longest dateline, with the author and the place."""


def read(clues: Clues) -> Findings:
    """Return the dates in the page's datelines, in the order of the page."""
    dated = set(filter(_DATED.search, {names for _, names in clues.classed}))
    marked = [el for el, names in clues.classed if names in dated][:_MAX_DATED]
    dates = list(dict.fromkeys(_dates(marked, clues.language)))
    return Findings({"datePublished": dates} if dates else {})


def _dates(marked: list[HtmlElement], language: str | None) -> Iterator[str]:
    for el in marked:
        text = visible_text(el, _MAX_CHARS, separator=" ")
        if 8 <= len(text) <= _MAX_CHARS and (found := find_written(text, language)) and not is_in_margin(el):
            yield found
