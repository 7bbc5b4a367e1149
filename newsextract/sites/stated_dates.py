"""Dates as sites write them in sitemaps and feeds, and as people write them on a command line.

Every date returned has a time zone: one without an offset is read as UTC, which is wrong by half a day at most.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


FIRST_YEAR = 1605
"""The first printed newspaper; anything earlier is a placeholder such as 0001-01-01."""

LAST_YEAR = 9998
"""A year later, converting to another offset could exceed Python's last date."""

MAX_DATE_CHARS = 64
"""The longest spelling, in characters, is a third of this: longer text is not a date, and not parsed."""

_ZONES = {
    "Z": "+00:00", "UTC": "+00:00", "GMT": "+00:00", "WET": "+00:00", "BST": "+01:00", "CET": "+01:00",
    "CEST": "+02:00", "EET": "+02:00", "EEST": "+03:00", "MSK": "+03:00", "JST": "+09:00", "KST": "+09:00",
}  # fmt: skip
"""Zone names outside ISO 8601 and RFC 822 whose meaning is undisputed."""

_ZONE = re.compile(rf"\s*\b(?:{'|'.join(_ZONES)})$")
_OFFSET = re.compile(r"(?:[A-Za-z]|[+-]\d\d:?\d\d)$")
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d{1,2}))?")
_SPACE_BEFORE_OFFSET = re.compile(r"(?<=\d)\s+(?=[+-]\d\d:?\d\d$)")

_AGE = re.compile(r"(\d{1,6})\s*([mhdw])", re.IGNORECASE)
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse_date(raw: str | None) -> datetime | None:
    """Return the date in a W3C, ISO 8601 or RFC 822 text, with a time zone; `None` if it is none of these.

    >>> parse_date("2024-05").isoformat(), parse_date("Tue, 14 May 2024 08:00:00 CEST").isoformat()
    ('2024-05-01T00:00:00+00:00', '2024-05-14T08:00:00+02:00')
    >>> parse_date("yesterday") is None
    True
    """
    if not raw or len(raw) > MAX_DATE_CHARS:
        return None
    text = _with_offset(raw.strip())
    attempts = (_attempt(read, text) for read in (_read_year_or_month, datetime.fromisoformat, parsedate_to_datetime))
    date = next(filter(None, attempts), None)
    return date if date and FIRST_YEAR <= date.year <= LAST_YEAR else None


def stated_date(raw: str | None) -> str | None:
    """Return the date in a text as ISO 8601, with time and offset only where stated; `None` if it has no day.

    >>> stated_date("2024-05-14"), stated_date("2024-05-14T08:00"), stated_date("Tue, 14 May 2024 08:00:00 CEST")
    ('2024-05-14', '2024-05-14T08:00:00', '2024-05-14T08:00:00+02:00')
    """
    text = (raw or "").strip()
    date = parse_date(text)
    if date is None or _YEAR_OR_MONTH.fullmatch(text):
        return None
    if ":" not in text:
        return date.date().isoformat()
    return (date if _OFFSET.search(text) else date.replace(tzinfo=None)).isoformat()


def _attempt(read: Callable[[str], datetime | None], text: str) -> datetime | None:
    # The email parser unpacks what it could not split, hence the last two exceptions.
    try:
        date = read(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return date.replace(tzinfo=UTC) if date and date.tzinfo is None else date


def _with_offset(text: str) -> str:
    named = _ZONE.sub(lambda match: _ZONES[match[0].strip()], text)
    # RFC 822 wants the space before the offset and no colon in it, ISO 8601 the contrary.
    return (
        _SPACE_BEFORE_OFFSET.sub("", named)
        if named[:4].isdigit()
        else re.sub(r"\s*([+-]\d\d):(\d\d)$", r" \1\2", named)
    )


def _read_year_or_month(text: str) -> datetime | None:
    match = _YEAR_OR_MONTH.fullmatch(text)
    return datetime(int(match[1]), int(match[2] or 1), 1, tzinfo=UTC) if match else None


def parse_since(text: str, now: datetime) -> datetime:
    """Return the time that an age ("2d", "36h") or an ISO date means; raises `ValueError` for anything else.

    >>> parse_since("36h", datetime(2024, 5, 14, tzinfo=UTC)).isoformat()
    '2024-05-12T12:00:00+00:00'
    """
    age = _AGE.fullmatch(text.strip())
    moment = _moment_ago(int(age[1]), _UNITS[age[2].lower()], now) if age else parse_date(text)
    if moment is None:
        raise ValueError(
            f"cannot read {text!r}: write an age (90m, 36h, 2d, 1w), a date (2024-05-14) "
            "or a date and time (2024-05-14T08:00+02:00)"
        )
    return moment


def _moment_ago(count: int, unit: str, now: datetime) -> datetime | None:
    try:
        return now - timedelta(**{unit: count})
    except OverflowError:
        return None
