"""Write a moment that a page declares in UTC with the offset that gives the day which its readers see.

Half of all sites declare UTC. For a paper in Los Angeles that is the next day from four in the afternoon on, while the
line under the headline, the `<time>` element and the URL show the day of the place.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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
