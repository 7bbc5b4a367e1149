"""Dates of the Solar Hijri calendar, which the press of Iran writes: "۱۴ اردیبهشت ۱۴۰۲" is 4 May 2023."""

from __future__ import annotations

import re
from datetime import date, timedelta

_MONTHS = "فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر دی بهمن اسفند".split()
_YEAR = r"(?P<persian>1[34]\d\d)(?!\d)"
_DAY = r"(?<!\d)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)"

PATTERNS = (
    re.compile(rf"{_DAY}\s*(?P<name>{'|'.join(_MONTHS)})(?:\s?ماه)?\s*{_YEAR}"),
    re.compile(rf"(?<!\d){_YEAR}(?P<sep>[/-])(?P<month>0?[1-9]|1[0-2])(?P=sep)(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)"),
    re.compile(rf"{_DAY}/(?P<month>0?[1-9]|1[0-2])/{_YEAR}"),
)
"""Dates of this calendar, with digits in ASCII."""

_NEW_YEAR_622 = date(622, 3, 21)
"""The first day of the year 1."""
_LONG_MONTHS = 6
"""The months of 31 days; those after them have 30, the last one 29 or 30."""
_CYCLE_YEARS, _CYCLE_LEAPS = 33, 8
"""Eight years in 33 are leap years: the arithmetical calendar, which agrees with the astronomical one until 2046."""
_FIRST_LEAPS = 29
"""Puts the leap years of a cycle where the calendar has them, as in 1399 and 1403."""


def day_in(match: re.Match[str]) -> date:
    """Return the day that a match of `PATTERNS` names; raises `ValueError` if it does not exist.

    >>> day_in(PATTERNS[0].search("14 اردیبهشت 1402")), day_in(PATTERNS[1].search("1399/12/30"))
    (datetime.date(2023, 5, 4), datetime.date(2021, 3, 20))
    """
    parts = match.groupdict()
    month = _MONTHS.index(parts["name"]) if parts.get("name") else int(parts["month"]) - 1
    year, day = int(parts["persian"]), int(parts["day"])
    if day > _days_of(month, year):
        raise ValueError(match[0])
    days = 31 * min(month, _LONG_MONTHS) + 30 * max(month - _LONG_MONTHS, 0) + day - 1
    return _NEW_YEAR_622 + timedelta(days=365 * (year - 1) + _leaps_before(year) + days)


def _days_of(month: int, year: int) -> int:
    if month < _LONG_MONTHS:
        return 31
    return 30 if month < len(_MONTHS) - 1 else 29 + _leaps_before(year + 1) - _leaps_before(year)


def _leaps_before(year: int) -> int:
    return ((year - 1) * _CYCLE_LEAPS + _FIRST_LEAPS) // _CYCLE_YEARS
