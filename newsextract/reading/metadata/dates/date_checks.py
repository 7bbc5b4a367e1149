"""Parse dates into ISO 8601, by the language and the day-month order of the page, and check them.

What the page states is kept: no time is invented, and an offset only follows from the day shown (`local_time`).
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.reading.metadata.dates.day_order import AMBIGUOUS
from newsextract.reading.metadata.dates.time_of_day import offset_of
from newsextract.reading.metadata.dates.written_dates import read_written
from newsextract.reading.metadata.findings import Refused
from newsextract.reading.metadata.text_folding import fold
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from re import Match

    from newsextract.reading.metadata.findings import Raw
    from newsextract.reading.metadata.page_clues import Clues

_ISO = re.compile(
    r"(?P<day>\d{4}-\d{1,2}-\d{1,2}|\d{8}(?!\d)|\d{4}/\d{1,2}/\d{1,2})"
    r"(?:(?:\s*T\s*|\s+)(?P<hour>\d{1,2}):?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,]\d+)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?(?:\s*[\[(].*)?$",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
_EPOCH = re.compile(r"(\d{10})(\d{3})?$", re.ASCII)

_MAX_CHARS = 60
"""Longer texts are sentences: a full date with weekday and zone has about fifty characters."""

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
    return read_written(text, language, is_day_first=is_day_first)


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


def check_date(raw: Raw, clues: Clues) -> str | Refused:
    """Return the date in ISO 8601, or a refusal if it is not a plausible date."""
    text = fold(raw) if isinstance(raw, str) else ""
    found = list(_readings(text, clues))
    if not found:
        return Refused(Notice(NoticeCode.NO_DATE) if text else None)
    usable = next((date for date in found if refusal(date) is None), None)
    return usable or Refused(refusal(found[0]))


def _readings(text: str, clues: Clues) -> Iterator[str]:
    """Yield the date in a text by the page's order of day and month, then by the other order if both are dates."""
    is_ambiguous = AMBIGUOUS.search(text) is not None
    orders = (clues.is_day_first, not clues.is_day_first) if is_ambiguous else (True,)
    for order in orders:
        if date := read_date(text, clues.date_language, is_day_first=order):
            yield date


def date_conflicts(
    values: Mapping[str, str], sources: Mapping[str, str], stated: Sequence[Raw], clues: Clues
) -> Iterator[Notice]:
    """Yield a warning if the meta tags state another day of publication than the chosen one."""
    taken = values.get("datePublished")
    if taken is None or sources["datePublished"] == "meta_tags":
        return
    for raw in stated[:1]:
        other = check_date(raw, clues)
        if isinstance(other, str) and other[:10] != taken[:10] and not _is_same_moment(other, taken):
            yield Notice(NoticeCode.OTHER_DATE, stated=other, source=sources["datePublished"], taken=taken)


def _is_same_moment(one: str, other: str) -> bool:
    moments = [datetime.fromisoformat(date) for date in (one, other)]
    return all(moment.tzinfo for moment in moments) and moments[0] == moments[1]
