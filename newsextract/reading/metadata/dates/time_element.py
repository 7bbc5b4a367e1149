"""Dates in the visible page: `<time>` elements, those near the headline first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from newsextract.page.html_elements import names_of
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.margins import is_in_margin
from newsextract.reading.metadata.near_heading import MODIFIED
from newsextract.reading.metadata.text_folding import visible_text
from newsextract.reading.metadata.titles.heading_place import distance_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

_PUBLISHED = re.compile(r"publi|posted|entry-date|post-date|article-date|created", re.IGNORECASE)
_CHANGED = re.compile(r"updat|modif", re.IGNORECASE)
_MAX_TIMES = 40
"""Elements looked at: the article's date stands near its head, the rest are teasers and comments."""
_NEAR = 15
"""Blocks between the headline and a time that is the article's."""
_MAX_CHARS = 60
"""Longest text taken for a date."""
_MAX_LABEL_CHARS = 300


def read(clues: Clues) -> Findings:
    """Return the dates of the page's time elements, the article's own first."""
    ours = list(_own_times(clues))
    changed = [el for el in ours if _is_change(el)]
    published = sorted((el for el in ours if el not in changed), key=lambda el: not _PUBLISHED.search(_labels(el)))
    return Findings({"datePublished": list(map(_stated, published)), "dateModified": list(map(_stated, changed))})


def _own_times(clues: Clues) -> Iterator[HtmlElement]:
    """Yield the times near the headline, the nearest first, then those outside the margins of the page."""
    outline = clues.page.outline
    times = [(number, outline.elements[number]) for number in clues.numbers["time"][:_MAX_TIMES]]
    stated = {number: el for number, el in times if _stated(el) and not _is_teaser(el)}
    near = _near(clues, stated)
    yield from map(stated.__getitem__, near)
    yield from (el for number, el in stated.items() if number not in near and not is_in_margin(el))


def _near(clues: Clues, times: Iterable[int]) -> list[int]:
    """Return the numbers of the elements that stand near the headline, the nearest first."""
    heading, outline = clues.heading, clues.page.outline
    if heading is None:
        return []
    distances = [(distance_to(outline, heading, number), number) for number in times]
    near = [(abs(distance), distance < 0, number) for distance, number in distances if -_NEAR // 3 <= distance <= _NEAR]
    return [number for *_, number in sorted(near)]


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
    published = "published" if el.get("pubdate") is not None else ""
    above = el.getparent()
    around = "" if above is None else above.get("class", "")
    return " ".join((names_of(el), el.get("itemprop", "")[:_MAX_CHARS], published, around[:_MAX_LABEL_CHARS]))


def _stated(el: HtmlElement) -> str:
    return el.get("datetime", "").strip() or visible_text(el, _MAX_CHARS)
