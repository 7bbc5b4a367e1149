"""Read dates from the page: `<time>` elements, short lines with a telling class, and the page's URL.

Elements near the headline come first. Many publishing systems put `/2023/05/04/` into URLs.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.page.html_elements import names_of
from newsextract.page.urls.url_parts import split_url
from newsextract.reading.metadata import meta_tags, near_heading
from newsextract.reading.metadata.dates.date_checks import read_date
from newsextract.reading.metadata.dates.written_dates import find_dates, find_written
from newsextract.reading.metadata.findings import Findings
from newsextract.reading.metadata.margins import is_in_margin
from newsextract.reading.metadata.schema.schema_fields import read_json_ld
from newsextract.reading.metadata.text_folding import visible_text
from newsextract.reading.metadata.titles.page_heading import distance_to

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.page_clues import Clues

_PUBLISHED = re.compile(r"publi|posted|entry-date|post-date|article-date|created", re.IGNORECASE)
_CHANGED = re.compile(r"updat|modif", re.IGNORECASE)
_MAX_TIMES = 40
"""Elements looked at: the article's date is near its top, the rest are teasers and comments."""
_NEAR = 15
"""The most blocks between the headline and the article's time."""
_MAX_DATE_CHARS = 60
"""The longest text read as a date."""
_MAX_LABEL_CHARS = 300
_SAME_MOMENT = timedelta(minutes=1)
_DAY_CHARS = len("2023-05-04")

_DATED_NAMES = ("date", "Date", "datum", "time", "ublish", "osted", "meta", "yline", "info", "uthor")
_DATED = re.compile("|".join(_DATED_NAMES))
_MAX_DATED = 80
"""Elements looked at: the article's dateline is near its top."""
_MAX_LINE_CHARS = 150
"""The longest dateline, with author and place."""

_YEAR_FIRST = re.compile(r"[/_-]((?:19|20)\d\d)([/_-]?)([01]\d|[a-z]{3,9})[/_-]?([0-3]\d)(?=[/_.-]|$)", re.IGNORECASE)
_DAY_FIRST = re.compile(r"[/_-]([0-3]\d)([._-])([01]\d)\2((?:19|20)\d\d)(?=[/_.-]|$)")


def read_time_elements(clues: Clues) -> Findings:
    """Return the dates of the page's `<time>` elements, the article's own first."""
    ours = list(_own_times(clues))
    changed = [el for el in ours if _is_change(el)]
    published = sorted((el for el in ours if el not in changed), key=lambda el: not _PUBLISHED.search(_labels(el)))
    return Findings({"datePublished": list(map(_stated, published)), "dateModified": list(map(_stated, changed))})


def days_of_other_moments(clues: Clues, iso: str) -> set[str]:
    """Return the days that `<time>` elements near the headline show for moments other than the one given.

    Both it and they have an offset from UTC.
    """
    days = set[str]()
    for number in _near(clues, clues.numbers["time"][:_MAX_TIMES]):
        el = clues.page.outline.elements[number]
        stated = read_date(el.get("datetime", ""))
        moment = datetime.fromisoformat(stated) if stated else None
        if moment is not None and moment.tzinfo and abs(moment - datetime.fromisoformat(iso)) >= _SAME_MOMENT:
            text = visible_text(el, _MAX_DATE_CHARS)
            days |= {found.iso[:_DAY_CHARS] for found in find_dates(text, clues.date_language)}
    return days


def _own_times(clues: Clues) -> Iterator[HtmlElement]:
    """Yield the times near the headline, the nearest first, then those outside the margins of the page."""
    outline = clues.page.outline
    times = [(number, outline.elements[number]) for number in clues.numbers["time"][:_MAX_TIMES]]
    stated = {number: el for number, el in times if _stated(el) and not _is_teaser(el)}
    near = _near(clues, stated)
    yield from map(stated.__getitem__, near)
    yield from (el for number, el in stated.items() if number not in near and not is_in_margin(el))


def _near(clues: Clues, times: Iterable[int]) -> list[int]:
    """Return the numbers of the elements near the headline, the nearest first."""
    heading, outline = clues.heading, clues.page.outline
    if heading is None:
        return []
    distances = [(distance_to(outline, heading, number), number) for number in times]
    near = [(abs(distance), distance < 0, number) for distance, number in distances if -_NEAR // 3 <= distance <= _NEAR]
    return [number for *_, number in sorted(near)]


def _is_teaser(el: HtmlElement) -> bool:
    """Tell whether the time is in a link with more text: a permalink contains the time alone."""
    link = next(el.iterancestors("a"), None)
    return link is not None and len(visible_text(link, 200)) > len(visible_text(el, 200)) + 20


def _is_change(el: HtmlElement) -> bool:
    """Tell whether a time is that of a change, by its names or the words before it."""
    labels = _labels(el)
    if _PUBLISHED.search(labels):
        return False
    return _CHANGED.search(labels) is not None or near_heading.MODIFIED.search(_words_before(el)) is not None


def _words_before(el: HtmlElement) -> str:
    """Return the element's text and the text right before it."""
    own = visible_text(el, _MAX_DATE_CHARS)
    previous = el.getprevious()
    if previous is not None:
        tail = previous.tail or ""
        return own + (
            tail if tail.strip() or not isinstance(previous.tag, str) else visible_text(previous, _MAX_DATE_CHARS)
        )
    above = el.getparent()
    return own + (above.text or "" if above is not None else "")


def _labels(el: HtmlElement) -> str:
    """Return the names that tell what kind of time it is."""
    published = "published" if el.get("pubdate") is not None else ""
    above = el.getparent()
    around = "" if above is None else above.get("class", "")
    return " ".join((names_of(el), el.get("itemprop", "")[:_MAX_DATE_CHARS], published, around[:_MAX_LABEL_CHARS]))


def _stated(el: HtmlElement) -> str:
    return el.get("datetime", "").strip() or visible_text(el, _MAX_DATE_CHARS)


def read_change(clues: Clues) -> Findings:
    """Return the dates of the last change as dates of publication: pages that are kept up to date state no other."""
    stated = (source(clues).candidates.get("dateModified", ()) for source in (near_heading.read, read_time_elements))
    declared = (source(clues).candidates.get("dateModified", ()) for source in (read_json_ld, meta_tags.read))
    return Findings({"datePublished": [raw for found in (*stated, *declared) for raw in found]})


def read_datelines(clues: Clues) -> Findings:
    """Return the dates in the page's datelines, in page order."""
    dated = set(filter(_DATED.search, {names for _, names in clues.classed}))
    marked = [el for el, names in clues.classed if names in dated][:_MAX_DATED]
    dates = list(dict.fromkeys(_dates(marked, clues.date_language)))
    return Findings({"datePublished": dates} if dates else {})


def _dates(marked: list[HtmlElement], language: str | None) -> Iterator[str]:
    for el in marked:
        text = visible_text(el, _MAX_LINE_CHARS, separator=" ")
        if 8 <= len(text) <= _MAX_LINE_CHARS and (found := find_written(text, language)) and not is_in_margin(el):
            yield found


def read_address(clues: Clues) -> Findings:
    """Return the date in the page's URL, or an empty `Findings` if it has no day."""
    dates = [date for url in clues.addresses[:1] if (date := date_in(url))]
    return Findings({"datePublished": dates} if dates else {})


def date_in(url: str) -> str | None:
    """Return the date in the path of a URL, or `None`.

    >>> date_in("https://example.com/news/2023/05/04/rain.html"), date_in("https://example.com/2023/may/04/rain")
    ('2023-05-04', '04 may 2023')
    >>> date_in("https://example.com/2023-05/04/c_1.htm"), date_in("https://example.com/meldungen/04-05-2023")
    ('2023-05-04', '2023-05-04')
    """
    path = split_url(url).path
    if match := _YEAR_FIRST.search(path):
        year, _, month, day = match.groups()
        return f"{year}-{month}-{day}" if month.isdecimal() else f"{day} {month} {year}"
    if match := _DAY_FIRST.search(path):
        day, _, month, year = match.groups()
        return f"{year}-{month}-{day}"
    return None
