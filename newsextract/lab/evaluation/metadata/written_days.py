"""The days that a text names, in whatever order their parts stand."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.reading.metadata.dates.iso_dates import read_date

if TYPE_CHECKING:
    from collections.abc import Iterator

_NUMBERS = re.compile(r"(?<!\d)(\d{1,4})\s?[./年-]\s?(\d{1,2})\s?[./月-]\s?(\d{1,4})(?!\d)")
_MONTH = r"[^\W\d_]{3,12}"
_DAY_MONTH_YEAR = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?[\s/-]+(?:de\s+|of\s+)?({_MONTH})[.,]?[\s/-]+(?:de\s+)?(\d{{4}})(?!\d)"
)
_MONTH_DAY_YEAR = re.compile(rf"\b({_MONTH})\.?[\s/-]+(\d{{1,2}})(?:st|nd|rd|th)?,?[\s/-]+(\d{{4}})(?!\d)")
_YEAR_MONTH_DAY = re.compile(rf"(?<!\d)(\d{{4}})[\s/-]+({_MONTH})[\s/-]+(\d{{1,2}})(?!\d)")
_WRITTEN = (
    (_DAY_MONTH_YEAR, (1, 2, 3)),
    (_MONTH_DAY_YEAR, (2, 1, 3)),
    (_YEAR_MONTH_DAY, (3, 2, 1)),
)
"""Dates with the month as a word, and where their day, month and year are."""

_EPOCH = re.compile(r"(?<!\d)(\d{10})(?:\d{3})?(?!\d)")
_ZONES = timedelta(hours=14)
"""How far a clock may be from UTC."""
_MAX_WRITTEN = 2_000
"""Dates with words read per text: archives have thousands."""


def days_in(text: str) -> frozenset[str]:
    """Return the days that a text may name, in ISO 8601; of numbers, every order that makes a date.

    >>> sorted(days_in("Posted on May 4, 2023; updated 06.07.23"))
    ['2006-07-23', '2023-05-04', '2023-06-07', '2023-07-06']
    >>> sorted(days_in("/2023/12/22/rain")), sorted(days_in("2023年5月4日"))
    (['2023-12-22'], ['2023-05-04'])
    """
    return frozenset((*_from_numbers(text), *_from_words(text)))


def _from_numbers(text: str) -> Iterator[str]:
    for match in set(_NUMBERS.findall(text)):
        first, second, third = map(int, match)
        for year, month, day in ((first, second, third), (third, second, first), (third, first, second)):
            try:
                yield date(year if year > 99 else 2000 + year, month, day).isoformat()
            except ValueError:
                continue


def _from_words(text: str) -> Iterator[str]:
    for pattern, (day, month, year) in _WRITTEN:
        parts = dict.fromkeys((m[day], m[month], m[year]) for m in pattern.finditer(text))
        for written in list(parts)[:_MAX_WRITTEN]:
            if iso := read_date(" ".join(written)):
                yield iso[:10]


def has_day_in_source(day: str, source: str) -> bool:
    """Tell whether a day is in the bare source: written as machines do, or as seconds since 1970 anywhere on Earth.

    >>> has_day_in_source("2023-05-04", '{"at": 1683187200}'), has_day_in_source("2023-05-04", "id=20230504-1")
    (True, True)
    """
    if any(day.replace("-", between) in source for between in ("-", "/", "")):
        return True
    start = datetime.fromisoformat(day).replace(tzinfo=UTC)
    first, last = (start - _ZONES).timestamp(), (start + timedelta(days=1) + _ZONES).timestamp()
    return any(first <= int(seconds) < last for seconds in set(_EPOCH.findall(source)))
