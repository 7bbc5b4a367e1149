"""Dates in the visible page: `<time>` elements, those near the headline first."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from newsextract.metadata.findings import Findings
from newsextract.metadata.margins import is_in_margin
from newsextract.metadata.near_heading import MODIFIED
from newsextract.metadata.placing import distance_to
from newsextract.metadata.texts import visible_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from newsextract.metadata.clues import Clues

_PUBLISHED = re.compile(r"publi|posted|entry-date|post-date|article-date|created", re.IGNORECASE)
_CHANGED = re.compile(r"updat|modif", re.IGNORECASE)
_MAX_TIMES = 40
"""Elements looked at: the article's date stands near its head, the rest are teasers and comments."""
_NEAR = 15
"""Blocks between the headline and a time that is the article's."""
_MAX_CHARS = 60
"""Longest text taken for a date."""


def read(clues: Clues) -> Findings:
    """Return the dates of the page's time elements, the article's own first."""
    ours = list(_own_times(clues))
    changed = [el for el in ours if _is_change(el)]
    published = sorted((el for el in ours if el not in changed), key=lambda el: not _PUBLISHED.search(_labels(el)))
    return Findings({"datePublished": list(map(_stated, published)), "dateModified": list(map(_stated, changed))})


def _own_times(clues: Clues) -> Iterator[HtmlElement]:
    """Yield the times near the headline, the nearest first, then those outside the margins of the page."""
    stated = [el for el in clues.elements["time"][:_MAX_TIMES] if _stated(el) and not _is_teaser(el)]
    near = _near(clues, stated) if stated else []
    yield from near
    yield from (el for el in stated if el not in near and not is_in_margin(el))


def _near(clues: Clues, times: list[HtmlElement]) -> list[HtmlElement]:
    heading, outline = clues.heading, clues.page.outline
    if heading is None:
        return []
    numbers = [number for number, tag in enumerate(outline.tags) if tag == "time"][:_MAX_TIMES]
    distances = [
        (abs(distance), distance < 0, place)
        for place, number in enumerate(numbers)
        if outline.elements[number] in times
        and -_NEAR // 3 <= (distance := distance_to(outline, heading, number)) <= _NEAR
    ]
    return [outline.elements[numbers[place]] for *_, place in sorted(distances, key=itemgetter(0, 1, 2))]


def _is_teaser(el: HtmlElement) -> bool:
    """Tell whether a link holds the time and more: a permalink holds the time alone."""
    link = next(el.iterancestors("a"), None)
    return link is not None and len(visible_text(link, 200)) > len(visible_text(el, 200)) + 20


def _is_change(el: HtmlElement) -> bool:
    """Tell whether a time is that of a change: its names say so, or the words before it."""
    labels = _labels(el)
    if _PUBLISHED.search(labels):
        return False
    return _CHANGED.search(labels) is not None or MODIFIED.search(_words_before(el)) is not None


def _words_before(el: HtmlElement) -> str:
    """Return the text right before an element, in it or in the element before it."""
    own = visible_text(el, _MAX_CHARS)
    previous = el.getprevious()
    if previous is not None:
        tail = previous.tail or ""
        return own + (tail if tail.strip() or not isinstance(previous.tag, str) else visible_text(previous, _MAX_CHARS))
    above = el.getparent()
    return own + (above.text or "" if above is not None else "")


def _labels(el: HtmlElement) -> str:
    """Return the names that tell what a time is the time of."""
    attributes = " ".join((el.get("class", ""), el.get("itemprop", ""), el.get("id", "")))
    above = el.getparent()
    published = "published" if el.get("pubdate") is not None else ""
    return f"{attributes} {published} {above.get('class', '') if above is not None else ''}"


def _stated(el: HtmlElement) -> str:
    return el.get("datetime", "").strip() or visible_text(el, _MAX_CHARS)
