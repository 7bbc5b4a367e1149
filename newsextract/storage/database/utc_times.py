"""Times in the tables: ISO 8601 in UTC, to the second, which sort as text."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(time: datetime) -> str:
    """Return an aware time as the tables have it; the fraction of a second is cut off.

    >>> stamp(datetime.fromisoformat("2026-03-01T12:00:00.7+02:00"))
    '2026-03-01T10:00:00+00:00'
    """
    try:
        time = time.astimezone(UTC)
    except OverflowError:  # in the first or the last hours that there are: sources date pages so
        time = time.replace(tzinfo=UTC)
    return time.isoformat(timespec="seconds")


def moment(text: str) -> datetime:
    """Return what `stamp` has written.

    >>> moment("2026-03-01T10:00:00+00:00")
    datetime.datetime(2026, 3, 1, 10, 0, tzinfo=datetime.timezone.utc)
    """
    return datetime.fromisoformat(text).astimezone(UTC)
