"""Parse dates as people write them: "Thursday, May 4, 2023", "4. Mai 2023 um 10 Uhr", "2023年5月4日"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from newsextract.reading.metadata.dates import persian_calendar
from newsextract.reading.metadata.dates.month_names import longest_first, lower, month_names
from newsextract.reading.metadata.dates.time_of_day import time_after

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DAY = r"(?<![\d:])(?P<day>0?[1-9]|[12]\d|3[01])(?!\d)(?:st\b|nd\b|rd\b|th\b|er\b|ος|η|ής|-?го|-?a\b|º|ª|°|\.)?"
_YEAR = r"(?P<year>(?:19|20|25)\d\d)(?!\d)"
_LINK = r"[\s,.\-/]*(?:of\s|del?\s|di\s|d['’]|do\s|năm\s|พ\.ศ\.\s?|ב)?\s*"
"""The separators between day, month and year."""

_NUMERIC = (
    (
        r"(?<![\d./-])(?P<year>(?:19|20)\d\d)(?P<sep>[-./])\s?(?P<month>0?[1-9]|1[0-2])(?P=sep)\s?"
        r"(?P<day>0?[1-9]|[12]\d|3[01])(?![\d/])"
    ),
    (
        r"(?P<year>(?:19|20)\d\d)\s?(?:[年년]|оны)\s?(?P<month>1[0-2]|0?[1-9])\s?(?:[月월]|(?:-?р\s)?сарын)\s?"
        r"(?P<day>[12]\d|3[01]|0?[1-9])\s?[日일号]?"
    ),
    (
        r"(?<![\d./:-])(?P<one>0?[1-9]|[12]\d|3[01])(?P<sep>[./-])\s?(?P<two>0?[1-9]|[12]\d|3[01])(?P=sep)\s?"
        r"(?P<year>(?:19|20|25)\d\d)(?!\d|:\d)"
    ),
    # The time may follow without a space, where only elements separate them.
    (
        r"(?<![\d./:-])(?P<one>0[1-9]|[12]\d|3[01])(?P<sep>[./])(?P<two>0[1-9]|[12]\d|3[01])(?P=sep)(?P<year>\d\d)"
        r"(?=[012]\d:[0-5]\d|(?![\d./]))"
    ),
)
_MAY_DATE = re.compile(r"\d{4}|\d[./-]\s?\d{1,2}[./-]\s?\d\d")
"""A year, or numbers as in a date, in the digits of any script: most lines have neither."""
_ASKED = count()
_EARLY_TEXTS = 16
"""Texts for which only the names in them are compiled, where all languages are tried: a process that reads one page is
done sooner. One that reads many compiles all names once."""
_SOME_YEAR = re.compile(_YEAR.replace("?P<year>", "?:"))
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")

_BUDDHIST_ERA = 543
_THIS_CENTURY = 69
"""Two-digit years below this one are in the 2000s, as in POSIX."""


@dataclass(frozen=True, slots=True)
class Written:
    """A date in a text: in ISO 8601, as written, and its start and stop in the text."""

    iso: str
    raw: str
    start: int
    stop: int


def find_dates(text: str, language: str | None = None, *, is_day_first: bool = False) -> Iterator[Written]:
    """Yield the dates in a text that name a day, in order, each with the time after it.

    `is_day_first` decides how 4/5/2023 is read if both readings are dates. Offsets are those in the NFC form of the
    text, which nearly every text has.

    >>> [one.iso for one in find_dates("Posted May 4, 2023 10:00 AM EST, updated 5. März 2023", "de")]
    ['2023-05-04T10:00:00-05:00', '2023-03-05']
    """
    if not _MAY_DATE.search(text):
        return
    found = _find(text, language, is_day_first=is_day_first)
    first = next(found, None)
    if first is None and language == "en":  # the default of templates, whatever their texts are in
        found = _find(text, None, is_day_first=is_day_first)
        first = next(found, None)
    if first is not None:
        yield first
        yield from found


def _find(text: str, language: str | None, *, is_day_first: bool) -> Iterator[Written]:
    text = unicodedata.normalize("NFC", text)
    plain = _with_ascii_digits(lower(text))  # as long as the text
    patterns = _patterns(_names_for(plain, language))
    if language == "fa":
        patterns = (*patterns, *persian_calendar.PATTERNS)
    position = 0
    while found := _first(plain, position, patterns):
        position = found.end()
        day = _day_of(found, language, is_day_first=is_day_first)
        if day is not None:
            clock, stop = (
                (f"T{found['clock']}", position) if found.groupdict().get("clock") else time_after(plain, position)
            )
            raw = text[found.start() : stop].strip()
            yield Written(_joined(day, clock), raw, found.start(), stop)
            position = stop


def read_written(text: str, language: str | None = None, *, is_day_first: bool = False) -> str | None:
    """Return the first date in a text in ISO 8601, or `None` if none names the day.

    >>> read_written("4. März 2023", "de"), read_written("Thursday, May 4, 2023 10:00 AM EST")
    ('2023-03-04', '2023-05-04T10:00:00-05:00')
    >>> read_written("04/05/2023"), read_written("04/05/2023", is_day_first=True)
    ('2023-04-05', '2023-05-04')
    >>> read_written("4 мая 2023, 18:30", "ru")
    '2023-05-04T18:30:00'
    """
    return next((found.iso for found in find_dates(text, language, is_day_first=is_day_first)), None)


def _names_for(text: str, language: str | None) -> tuple[str, ...]:
    """Return the names of months to look for in a text in lower case: none if it names no year."""
    if not _SOME_YEAR.search(text):
        return ()
    names = longest_first(language)
    is_early = language is None and next(_ASKED) < _EARLY_TEXTS
    return tuple(name for name in names if name in text) if is_early else names


@lru_cache(maxsize=64)
def _patterns(names: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of dates whose months have these names, the longest first."""
    either = "|".join(map(re.escape, names))
    month = rf"(?P<name>{either})(?:\s?/\s?(?:{either}))?(?![^\W\d_])\.?"
    written = (
        rf"{_DAY}{_LINK}{month}{_LINK}{_YEAR}",
        rf"(?<![^\W\d_]){month}\s*{_DAY}\s*,?\s*(?:of\s|at\s)?{_YEAR}",
        rf"(?<![^\W\d_]){month}\s+{_DAY}\s+(?P<clock>[0-2]\d:[0-5]\d:[0-5]\d)\s+(?:[a-z]{{3,4}}\s+)?{_YEAR}",
        rf"{_YEAR}\.?\s*(?:m\.)?\s*{month}\s*{_DAY}",
        rf"{_YEAR}\.?\s*(?:gada|-yil)?\s*{_DAY}[\s-]*{month}",
    )
    return tuple(re.compile(pattern) for pattern in (*(written if names else ()), *_NUMERIC))


def _first(text: str, position: int, patterns: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    """Return the first match, the longest of those that begin at the same place."""
    matches = (match for pattern in patterns if (match := pattern.search(text, position)))
    return min(matches, key=lambda match: (match.start(), -match.end()), default=None)


def _day_of(match: re.Match[str], language: str | None, *, is_day_first: bool) -> date | None:
    parts = match.groupdict()
    try:
        if parts.get("persian"):
            return persian_calendar.day_in(match)
        return _gregorian(parts, language, by_day=is_day_first)
    except ValueError:
        return None


def _gregorian(parts: Mapping[str, str], language: str | None, *, by_day: bool) -> date:
    """Return the day that the parts of a date name; raises `ValueError` if it does not exist."""
    year = int(parts["year"])
    if len(parts["year"]) == 2:
        year += 2000 if year < _THIS_CENTURY else 1900
    elif year >= 2500:
        year -= _BUDDHIST_ERA
    if parts.get("name"):
        month, day = month_names(language)[parts["name"]], int(parts["day"])
    elif parts.get("one"):
        day, month = int(parts["one"]), int(parts["two"])
        if day <= 12 and (month > 12 or not (by_day or parts["sep"] == ".")):
            day, month = month, day
    else:
        month, day = int(parts["month"]), int(parts["day"])
    return date(year, month, day)


def _joined(day: date, clock: str) -> str:
    """Return a day with its time, or the day alone if the time does not exist, such as 25:00."""
    try:
        return datetime.fromisoformat(f"{day.isoformat()}{clock}").isoformat() if clock else day.isoformat()
    except ValueError:
        return day.isoformat()


def _with_ascii_digits(text: str) -> str:
    """Return the text with the decimal digits of every script replaced by 0 to 9.

    >>> _with_ascii_digits("٤ مايو ٢٠٢٣")
    '4 مايو 2023'
    """
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(lambda match: str(unicodedata.decimal(match[0])), text)


def find_written(text: str, language: str | None = None) -> str | None:
    """Return the first date in a text as it is written, or `None`.

    >>> find_written("Posted on May 4, 2023 by Ann"), find_written("Stand: 04.05.2023, 10 Uhr")
    ('May 4, 2023', '04.05.2023')
    """
    return next((found.raw for found in find_dates(text, language)), None)
