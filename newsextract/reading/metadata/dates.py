"""Read the dates of a page: from elements, lines and the URL, and by htmldate; check them."""

from __future__ import annotations

import re
from copy import deepcopy
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from newsextract.page.outline import names_of
from newsextract.page.urls import split_url
from newsextract.reading.metadata.clues import Findings, Refused, is_in_margin
from newsextract.reading.metadata.comparing import fold, visible_text
from newsextract.reading.metadata.titles import distance_to
from newsextract.reading.metadata.written_dates import AMBIGUOUS, find_dates, offset_of
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from re import Match

    from lxml.html import HtmlElement

    from newsextract.reading.metadata.clues import Clues, Raw


# Parse dates into ISO 8601, by the language and the day-month order of the page, and check them.
#
# What the page states is kept: no time is invented, and an offset only follows from the day shown (`in_local_time`).

_ISO = re.compile(
    r"(?P<day>\d{4}-\d{1,2}-\d{1,2}|\d{8}(?!\d)|\d{4}/\d{1,2}/\d{1,2})"
    r"(?:(?:\s*T\s*|\s+)(?P<hour>\d{1,2}):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?:\s*[\[(].*)?$",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_EPOCH = re.compile(r"(\d{10})(\d{3})?$", re.ASCII)

_MAX_CHARS = 60
"""Longer texts are sentences: a full date with weekday and zone has about fifty characters."""
_MAX_RAW_CHARS = 2_000
"""Characters folded to find such a text."""

OLDEST_YEAR = 1990
"""No article page is older than the web; earlier dates are defaults of publishing systems."""

FUTURE_TOLERANCE = timedelta(days=1)
"""Time zones and wrong clocks can put an article up to a day ahead."""


def read_date(text: str, language: str | None = None, *, is_day_first: bool = False) -> str | None:
    """Return a date in ISO 8601, or `None` if the text is not a date or does not name the day.

    >>> read_date("2023-05-04T08:00:00.000Z"), read_date("2023-05-04 10:00 +0200"), read_date("4 May 2023")
    ('2023-05-04T08:00:00+00:00', '2023-05-04T10:00:00+02:00', '2023-05-04')
    >>> read_date("May 2023") is None
    True
    """
    text = text.strip()
    if len(text) > _MAX_CHARS:
        return None
    if match := _ISO.match(text):
        return _from_iso(match)
    if match := _EPOCH.match(text):
        return datetime.fromtimestamp(int(match[1]), UTC).isoformat()
    return next((found.iso for found in find_dates(text, language, is_day_first=is_day_first)), None)


def _from_iso(match: Match[str]) -> str | None:
    year, month, day = map(int, re.findall(r"^\d{4}|\d{1,2}", match["day"]))
    try:
        stated = date(year, month, day).isoformat()
        if match["hour"] is None:
            return stated
        hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
        time = f"{hour:02}:{minute:02}:{second:02}"
        return datetime.fromisoformat(f"{stated}T{time}{offset_of(match['zone'] or '')}").isoformat()
    except ValueError:
        return None


def refusal(iso: str, now: datetime | None = None) -> Notice | None:
    """Return why a date cannot be an article's, or `None` if it can.

    >>> refusal("1970-01-01"), refusal("2023-05-04")
    ('older than 1990', None)
    """
    moment = datetime.fromisoformat(iso)
    if moment.year < OLDEST_YEAR:
        return Notice(NoticeCode.TOO_OLD, year=OLDEST_YEAR)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    is_future = moment > (now or datetime.now(UTC)) + FUTURE_TOLERANCE
    return Notice(NoticeCode.IN_FUTURE) if is_future else None


def plausible_date(text: str, language: str | None, *, is_day_first: bool = False) -> str | None:
    """Return the date that a text is, in ISO 8601, or `None` if it is none or cannot be an article's."""
    found = read_date(fold(text[:_MAX_RAW_CHARS]), language, is_day_first=is_day_first)
    return None if found is None or refusal(found) else found


def check_date(raw: Raw, clues: Clues) -> str | Refused:
    """Return the date in ISO 8601, or a refusal if it is not a plausible date."""
    text = fold(raw) if isinstance(raw, str) else ""
    # By the page's order of day and month, then by the other order if both are dates.
    orders = (clues.is_day_first, not clues.is_day_first) if AMBIGUOUS.search(text) else (True,)
    readings = (read_date(text, clues.date_language, is_day_first=order) for order in orders)
    found = list(filter(None, readings))
    if not found:
        return Refused(Notice(NoticeCode.NO_DATE) if text else None)
    usable = next((date for date in found if refusal(date) is None), None)
    return usable or Refused(refusal(found[0]))


def date_conflicts(
    values: Mapping[str, str], sources: Mapping[str, str], stated: Sequence[Raw], clues: Clues
) -> Iterator[Notice]:
    """Yield a warning if the meta tags state another day of publication than the chosen one."""
    taken = values.get("datePublished")
    if taken is None or sources["datePublished"] == "meta_tags":
        return
    for raw in stated[:1]:
        other = check_date(raw, clues)
        moment = datetime.fromisoformat
        if isinstance(other, str) and other[:_DAY_CHARS] != taken[:_DAY_CHARS] and moment(other) != moment(taken):
            yield Notice(NoticeCode.OTHER_DATE, stated=other, source=sources["datePublished"], taken=taken)


# Write a moment that a page declares in UTC with the offset that gives the time or the day which its readers see.
#
# Half of all sites declare UTC. For a paper in Los Angeles that is the next day from four in the afternoon on, while
# the line under the headline, the `<time>` element and the URL show the time and the day of the place.

_OFFSETS = range(-10, 14)
"""The hours of Hawaii to those of New Zealand in summer: beyond them hardly anybody lives."""
_STEP = timedelta(minutes=15)
"""Offsets are multiples of a quarter of an hour; few times that are not those of one moment differ by that."""


def in_local_time(iso: str, shown: Iterable[str]) -> str:
    """Return a moment in UTC as the local time that the page shows, if it shows another.

    A time of day in `shown` that is that of the same moment gives the offset. A bare day only bounds it: another day
    than in UTC gives the nearest whole hour. The first date that tells decides. The moment stays the same.

    >>> in_local_time("2023-05-05T03:22:07+00:00", ["2023-05-04T22:22:00"])
    '2023-05-04T22:22:07-05:00'
    >>> in_local_time("2023-05-05T03:22:07+00:00", ["2023-05-04"]), in_local_time("2023-05-05T03:22:07", ["2023-05-04"])
    ('2023-05-04T23:22:07-04:00', '2023-05-05T03:22:07')
    >>> in_local_time("2023-05-05T03:22:07+00:00", ["2023-05-05", "2023-05-04"])
    '2023-05-05T03:22:07+00:00'
    """
    moment = datetime.fromisoformat(iso)
    if len(iso) <= _DAY_CHARS or moment.utcoffset() != timedelta():
        return iso
    for text in shown:
        offset = _offset_by_day(moment, text) if len(text) <= _DAY_CHARS else _offset_by_time(moment, text)
        if offset is not None:
            local = moment.astimezone(timezone(offset))
            is_open = local.date() == moment.date() and len(text) <= _DAY_CHARS
            return iso if is_open else local.isoformat()
    return iso


def _offset_by_time(moment: datetime, text: str) -> timedelta | None:
    """Return the offset at which a time is that of the moment, or `None` if it is that of another."""
    shown = datetime.fromisoformat(text)
    offset = shown.utcoffset()
    if offset is not None and shown.astimezone(UTC).replace(second=0) != moment.replace(second=0):
        return None
    if offset is None:
        offset = shown.replace(second=0) - moment.replace(second=0, tzinfo=None)
    is_inhabited = timedelta(hours=_OFFSETS[0]) <= offset <= timedelta(hours=_OFFSETS[-1])
    return offset if is_inhabited and not offset % _STEP else None


def _offset_by_day(moment: datetime, text: str) -> timedelta | None:
    """Return the whole-hour offset nearest to UTC at which the moment is on a day, or `None` if there is none."""
    offsets = (timedelta(hours=hours) for hours in sorted(_OFFSETS, key=abs))
    return next((offset for offset in offsets if (moment + offset).date() == date.fromisoformat(text)), None)


# Read dates from the page: `<time>` elements, short lines with a telling class, and the page's URL.
#
# Elements near the headline come first. Many publishing systems put `/2023/05/04/` into URLs.

_PUBLISHED = re.compile(r"publi|posted|entry-date|post-date|article-date|created", re.IGNORECASE)
_CHANGED = re.compile(r"updat|modif", re.IGNORECASE)
MODIFIED = re.compile(
    r"updat|modif|aktuali|revis|mis à jour|màj|maj\b|actualiza|aggiorna|atualiza|bijgewerkt|gewijzigd|opdater|oppdater"
    r"|uppdater|ändrad|endret|ændret|päivitetty|muokattu|frissít|módosít|ενημ[εέ]ρ|обновл|оновл|изменен|upravené|upraven"
    r"|güncelle|diperbarui|cập nhật|更新|最后修改|수정|업데이트|최종|تحديث|به‌روز|בעדכון|עודכן|अपडेट|আপডেট|อัปเดต",
    re.IGNORECASE,
)
"""Words before the date of the last change, in many languages."""
_MAX_TIMES = 40
"""Elements looked at: the article's date is near its top, the rest are teasers and comments."""
_NEAR = 15
"""The most blocks between the headline and the article's time."""
_MAX_LABEL_CHARS = 300
_DAY_CHARS = len("2023-05-04")

_DATED = re.compile("date|Date|datum|time|ublish|osted|meta|yline|info|uthor")
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


def _own_times(clues: Clues) -> Iterator[HtmlElement]:
    """Yield the times near the headline, the nearest first, then those outside the margins of the page."""
    outline = clues.page.outline
    times = [(number, outline.elements[number]) for number in clues.numbers["time"][:_MAX_TIMES]]
    stated = {number: el for number, el in times if _stated(el)}
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


def _is_change(el: HtmlElement) -> bool:
    """Return whether a time is that of a change, by its names or the words before it."""
    labels = _labels(el)
    if _PUBLISHED.search(labels):
        return False
    return _CHANGED.search(labels) is not None or MODIFIED.search(_words_before(el)) is not None


def _words_before(el: HtmlElement) -> str:
    """Return the element's text and the text right before it."""
    own = visible_text(el, _MAX_CHARS)
    previous, above = el.getprevious(), el.getparent()
    if previous is None:
        return own + ("" if above is None else above.text or "")
    tail = previous.tail or ""
    is_text = tail.strip() or not isinstance(previous.tag, str)
    return own + (tail if is_text else visible_text(previous, _MAX_CHARS))


def _labels(el: HtmlElement) -> str:
    """Return the names that tell what kind of time it is."""
    published = "published" if el.get("pubdate") is not None else ""
    above = el.getparent()
    around = "" if above is None else above.get("class", "")
    return " ".join((names_of(el), el.get("itemprop", "")[:_MAX_CHARS], published, around[:_MAX_LABEL_CHARS]))


def _stated(el: HtmlElement) -> str:
    return el.get("datetime", "").strip() or visible_text(el, _MAX_CHARS)


def read_datelines(clues: Clues) -> Findings:
    """Return the dates in the page's datelines, in page order."""
    dated = set(filter(_DATED.search, {names for _, names in clues.classed}))
    marked = [el for el, names in clues.classed if names in dated][:_MAX_DATED]
    dates: list[str] = []
    for el in marked:
        text = visible_text(el, _MAX_LINE_CHARS, separator=" ")
        if 8 <= len(text) <= _MAX_LINE_CHARS and (found := next(find_dates(text, clues.date_language), None)):
            dates += [] if is_in_margin(el) else [found.raw]
    return Findings({"datePublished": list(dict.fromkeys(dates))})


def read_address(clues: Clues) -> Findings:
    """Return the date in the page's URL, or an empty `Findings` if it has no day."""
    return Findings({"datePublished": [date for url in clues.addresses[:1] if (date := date_in(url))]})


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


_MAX_PAGE_CHARS = 1_000_000
"""Larger pages are not searched: up to here, pages made to take long cost htmldate .2 s, and usual ones 3 ms."""


def read_htmldate(clues: Clues) -> Findings:
    """Return the date that htmldate guesses if nothing else on the page states one."""
    page = clues.page
    if not clues.places_near or len(page.decoded.text) > _MAX_PAGE_CHARS:
        return Findings()  # no article to date, or too much to read
    import logging  # noqa: PLC0415 - as the next

    from htmldate import find_date  # noqa: PLC0415 - a tenth of a second, for the few pages that need it

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    tree = deepcopy(page.tree)  # htmldate changes it
    try:
        guess = find_date(tree, url=page.url, extensive_search=False, original_date=True)
    except Exception:  # noqa: BLE001 - it and the parsers that it calls raise whatever an odd page brings about
        return Findings()
    return Findings({"datePublished": [guess]} if guess else {})
