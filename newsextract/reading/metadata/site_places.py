"""Read the date and the author at the places where other pages of the site have them, by the site memory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.article import Author
from newsextract.reading.metadata.authors.byline_parsing import split_byline
from newsextract.reading.metadata.authors.person_names import is_full_name
from newsextract.reading.metadata.dates.written_dates import find_dates
from newsextract.reading.metadata.findings import Findings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from newsextract.page.blocks import Outline
    from newsextract.reading.metadata.page_clues import Clues

_STEPS = 4
"""Steps kept of a place: enough to find it on the page."""
_MAX_PLACE_CHARS = 120
_MAX_CHARS = 150
"""A longer line is neither a date nor a byline."""
_MAX_FOUND = 3
_DIGITS = re.compile(r"\d+")


def read(clues: Clues) -> Findings:
    """Return the dates and authors at the usual places of the site, or an empty `Findings` if none is known."""
    evidence = clues.page.evidence
    if evidence is None or not evidence.places:
        return Findings()
    dates = [
        found.raw
        for text in texts_at(clues.page.outline, evidence.places.get("date", ""))
        for found in find_dates(text, clues.date_language)
    ]
    lines = texts_at(clues.page.outline, evidence.places.get("author", ""))
    authors = [(Author(text),) for text in lines if any(map(is_full_name, split_byline(text)))]
    return Findings({"datePublished": dates[:_MAX_FOUND], "authors": authors[:_MAX_FOUND]})


def texts_at(outline: Outline, place: str) -> Iterator[str]:
    """Yield the short texts of the blocks at a place, in page order."""
    if not place:
        return
    own = place.rpartition(" > ")[2]
    tag = own.partition(".")[0]
    table = outline.table
    for number, owner in enumerate(table.owners.tolist()):
        text = table.texts[number]
        if outline.tags[owner] == tag and len(text) <= _MAX_CHARS and path_of(outline, owner) == place:
            yield text


def path_of(outline: Outline, element: int) -> str:
    """Return the last steps of the path to an element, with classes."""
    steps: list[str] = []
    while element >= 0 and len(steps) < _STEPS:
        steps.append(place_name(outline.tags[element], outline.elements[element].get("class")))
        element = int(outline.arrays.parents[element])
    return " > ".join(reversed(steps))[-_MAX_PLACE_CHARS:]


def place_name(tag: str, classes: str | None) -> str:
    """Return an element as a step of a place: its tag and its classes, sorted and without digits.

    >>> place_name("div", "story post-1234 a")
    'div.a.post-.story'
    """
    return ".".join([tag, *sorted(set(_DIGITS.sub("", classes).split()))]) if classes else tag
