"""The order of day and month on a page, and the offset from UTC of its dates."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from newsextract.page.urls import split_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from newsextract.reading.metadata.clues import Clues


# Whether 4/5/2023 means the fourth of May on a page: by the page's other dates, its languages, and its country.

AMBIGUOUS = re.compile(r"(?<![\d./-])(0?[1-9]|1[0-2])([/-])\s?(0?[1-9]|1[0-2])\2\s?(?:\d\d)?\d\d(?!\d)")
"""A date that can be read in both orders; between dots, the day comes first everywhere."""

_PLAIN = re.compile(r"(?<![\d./-])([0-3]?\d)([/-])\s?([0-3]?\d)\2\s?(?:(?:19|20)\d\d|\d\d)(?![\d/-])")
_LAST_MONTH = 12
_MIN_SHARE = 0.8
"""The share of the telling dates that must agree: pages also quote dates of other countries."""
_MAX_CHARS = 300_000
"""Characters read: a page with more is an archive."""
_LAST_LATIN = 0x24F
_MAX_QUOTED = 1
"""Accented letters in an English title: one name or loan."""

_MONTH_FIRST = frozenset(("us", "ph", "ca"))
"""Countries that write the month first: the United States and the Philippines, Canada's English press mostly."""
_ANYWHERE = frozenset("io ai co tv me ly fm to cc ws am la so sh gg vc nu st bz pw ph ca us".split())
"""Two-letter domains that are sold all over the world, or whose country writes the month first."""


def is_day_first(clues: Clues) -> bool:
    """Return whether 4/5/2023 means the fourth of May on this page.

    Dates of the page that can be read in one order only tell it, if it has any; then its languages and its country.
    """
    texts = clues.page.outline.table.texts
    told = order_in(texts)
    return _by_country(clues) if told is None else told


def order_in(texts: Iterable[str]) -> bool | None:
    """Return whether the dates in some texts begin with the day, or `None` if none tells.

    >>> order_in(["25/12/2023", "4/5/2023"]), order_in(["12/25/2023"]), order_in(["4/5/2023"])
    (True, False, None)
    """
    orders = list(_orders(texts))
    if not orders:
        return None
    share = sum(orders) / len(orders)
    if max(share, 1 - share) < _MIN_SHARE:
        return None
    return share > 1 / 2


def _orders(texts: Iterable[str]) -> Iterator[bool]:
    remaining = _MAX_CHARS
    for text in texts:
        remaining -= len(text)
        if remaining < 0:
            return
        for match in _PLAIN.finditer(text):
            first, second = int(match[1]), int(match[3])
            if (first > _LAST_MONTH) != (second > _LAST_MONTH) and min(first, second) > 0:
                yield first > _LAST_MONTH


def _by_country(clues: Clues) -> bool:
    tags = list(_language_tags(clues))
    if any(language not in ("en", "fil") for language, _ in tags[:1]) or clues.date_language not in ("en", "fil", None):
        return True
    host = split_url(clues.page.url or "").hostname or ""
    country = host.rpartition(".")[2]
    if len(country) == 2 and country not in _ANYWHERE:
        return True  # "en-US" is the default of publishing systems, whoever uses them
    regions = [region for _, region in tags if region]
    return regions[0] not in _MONTH_FIRST if regions else is_foreign(clues.title)


def _language_tags(clues: Clues) -> Iterator[tuple[str, str]]:
    """Yield the languages that the page declares, each with its region or an empty string."""
    for name in ("html:lang", "content-language", "og:locale"):
        for tag in clues.meta.get(name, ()):
            language, *subtags = tag.strip().lower().replace("_", "-").split("-")
            yield language, next((part for part in subtags if len(part) == 2), "")


def is_foreign(title: str) -> bool:
    """Return whether a title has letters that English does not use, which hardly any English title quotes.

    >>> is_foreign("Дощ в Іспанії"), is_foreign("Il a plu à Brême"), is_foreign("Rain at the café")
    (True, True, False)
    """
    return sum(char.isalpha() and not char.isascii() for char in title) > _MAX_QUOTED or any(
        ord(char) > _LAST_LATIN and char.isalpha() for char in title
    )


# Write a moment that a page declares in UTC with the offset that gives the day which its readers see.
#
# Half of all sites declare UTC. For a paper in Los Angeles that is the next day from four in the afternoon on, while
# the line under the headline, the `<time>` element and the URL show the day of the place.

_WEST, _EAST = timedelta(hours=-10), timedelta(hours=13)
"""The offsets of Hawaii, and of New Zealand in summer: beyond them hardly anybody lives."""
_STEP = timedelta(minutes=15)
"""Offsets are multiples of a quarter of an hour; few times that are not those of one moment differ by that."""
_HOUR = timedelta(hours=1)
_DAY_CHARS = len("2023-05-04")


def in_local_time(iso: str, shown: Iterable[str]) -> str:
    """Return a moment in UTC as local time if the dates that the page shows have it on another day.

    A time of day in `shown` that is that of the same moment gives the offset. A bare day only bounds it: then it is the
    nearest whole hour. The first date that tells decides. The moment stays the same, as does any other date.

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
            return iso if local.date() == moment.date() else local.isoformat()
    return iso


def _offset_by_time(moment: datetime, text: str) -> timedelta | None:
    """Return the offset at which a time is that of the moment, or `None` if it is that of another."""
    shown = datetime.fromisoformat(text)
    offset = shown.utcoffset()
    if offset is not None and shown.astimezone(UTC).replace(second=0) != moment.replace(second=0):
        return None
    if offset is None:
        offset = shown.replace(second=0, microsecond=0) - moment.replace(second=0, microsecond=0, tzinfo=None)
    return offset if _WEST <= offset <= _EAST and not offset % _STEP else None


def _offset_by_day(moment: datetime, text: str) -> timedelta | None:
    """Return the whole-hour offset nearest to UTC at which the moment is on a day, or `None` if there is none."""
    day = date.fromisoformat(text)
    if day == moment.date():
        return timedelta()
    step = _HOUR if day > moment.date() else -_HOUR
    offset = step
    while _WEST <= offset <= _EAST:
        if (moment + offset).date() == day:
            return offset
        offset += step
    return None
