"""Stores the fingerprints of articles, and finds possible copies by them."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, select

from newsextract.storage.database.batches import chunks, insert_plain
from newsextract.storage.schema.history_tables import fingerprint_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

_MOST_SHARERS = 100
"""Articles of a time that have a key: later ones do not get it. Those of a story meet by its other articles, and what
else a hundred have is a phrase, such as a notice of copyright."""
_MOST_CANDIDATES = 60
_SHARERS = (
    select(fingerprint_keys.c.key, fingerprint_keys.c.article_number, fingerprint_keys.c.day)
    .where(fingerprint_keys.c.key.in_(bindparam("keys", expanding=True)))
    .where(fingerprint_keys.c.day.between(bindparam("first"), bindparam("last")))
)
_FORGET = delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(bindparam("numbers", expanding=True)))
_EPOCH = date(1970, 1, 1).toordinal()
_AHEAD_DAYS = 2
"""How much later than its first visit an article may be dated, by a wrong clock or time zone."""


@dataclass(frozen=True, slots=True)
class Print:
    """The keys and the day of a stored article."""

    article_id: str
    number: int
    day: int
    """Days from 1970 to its publication, or to when it was first seen."""
    date_first_seen: str
    keys: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sharers:
    """Which articles have which keys, of those dated about when the articles of a batch are."""

    by_key: Mapping[int, Sequence[tuple[int, int]]]
    """The number and the day of each article that has a key."""

    def of(self, one: Print, window_days: int) -> list[tuple[int, int]]:
        """Return the articles of the same time that share keys with `one`, those with the most first.

        Each by its number, with how many keys it shares.
        """
        shared = Counter(
            number
            for key in one.keys
            for number, day in self.by_key.get(key, ())
            if abs(day - one.day) <= window_days and number != one.number
        )
        return sorted(shared.items(), key=lambda pair: (-pair[1], pair[0]))[:_MOST_CANDIDATES]


def print_of(row: Mapping[str, Any], keys: tuple[int, ...]) -> Print:
    """Return the print of an article's row."""
    return Print(row["id"], row["number"], day_of(row), row["date_first_seen"], keys)


def day_of(row: Mapping[str, Any]) -> int:
    """Return the day of an article, counted from 1970.

    >>> day_of({"date_published": "1970-01-03T23:00:00-04:00", "date_first_seen": "2026-03-01T00:00:00+00:00"})
    3
    """
    seen = _day(row["date_first_seen"])
    published = _day(row["date_published"])
    if published is None or (seen is not None and published > seen + _AHEAD_DAYS):
        return seen or 0
    return published


def _day(text: str | None) -> int | None:
    try:
        time = datetime.fromisoformat(text or "")
        return (time.astimezone(UTC) if time.tzinfo else time).toordinal() - _EPOCH
    except (ValueError, OverflowError):
        return None


def write_prints(connection: Connection, prints: Sequence[Print], window_days: int) -> Sharers:
    """Replace the stored keys of articles, and return who else has them."""
    for some in chunks([one.number for one in prints]):
        connection.execute(_FORGET, {"numbers": some})
    found = _read_sharers(connection, prints, window_days)
    crowded = {key for key, sharers in found.items() if len(sharers) >= _MOST_SHARERS}
    rows = [(key, one.number, one.day) for one in prints for key in one.keys if key not in crowded]
    insert_plain(
        connection,
        fingerprint_keys,
        [{"key": key, "article_number": number, "day": day} for key, number, day in rows],
    )
    for key, number, day in rows:
        found[key].append((number, day))
    return Sharers(found)


def _read_sharers(
    connection: Connection, prints: Sequence[Print], window_days: int
) -> defaultdict[int, list[tuple[int, int]]]:
    keys = sorted({key for one in prints for key in one.keys})
    found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    days = [one.day for one in prints]
    for some in chunks(keys):
        known = {"keys": some, "first": min(days) - window_days, "last": max(days) + window_days}
        for key, number, day in connection.execute(_SHARERS, known):
            found[key].append((number, day))
    return found
