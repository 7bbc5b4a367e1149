"""Stores the fingerprints of articles, and finds possible copies by them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, insert, select

from newsextract.storage.copies.minhash import fingerprint
from newsextract.storage.database.batches import chunks
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.history_tables import cluster_articles, fingerprint_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Connection

_MOST_SHARERS = 100
"""Articles of a time that have a key: later ones do not get it. Those of a story meet by its other articles, and what
else a hundred have is a phrase, such as a notice of copyright."""
_MOST_CANDIDATES = 60
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
class Lookalike:
    """An article that may be a copy."""

    article_id: str
    story: str
    """The id of its story; without one, its own id, which its story would get."""


def print_of(row: Mapping[str, Any]) -> Print:
    """Return the print of an article's row."""
    keys = fingerprint(row["article_body"])
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


def write_prints(connection: Connection, prints: Sequence[Print], window_days: int) -> None:
    """Replace the stored keys of articles."""
    for some in chunks([one.number for one in prints]):
        connection.execute(delete(fingerprint_keys).where(fingerprint_keys.c.article_number.in_(some)))
    crowded = _crowded(connection, prints, window_days)
    rows = [
        {"key": key, "article_number": one.number, "day": one.day}
        for one in prints
        for key in one.keys
        if key not in crowded
    ]
    if rows:
        connection.execute(insert(fingerprint_keys), rows)


def _crowded(connection: Connection, prints: Sequence[Print], window_days: int) -> set[int]:
    """Return the keys that too many articles of these days have."""
    keys = sorted({key for one in prints for key in one.keys})
    found: set[int] = set()
    if not keys:
        return found
    days = [one.day for one in prints]
    is_near = fingerprint_keys.c.day.between(min(days) - window_days, max(days) + window_days)
    for some in chunks(keys):
        query = select(fingerprint_keys.c.key).where(fingerprint_keys.c.key.in_(some), is_near)
        many = query.group_by(fingerprint_keys.c.key).having(func.count() >= _MOST_SHARERS)
        found |= set(connection.execute(many).scalars())
    return found


def lookalikes(connection: Connection, one: Print, window_days: int) -> list[Lookalike]:
    """Return the articles of the same time that share keys with `one`, those with the most first."""
    if not one.keys:
        return []
    keys, number = fingerprint_keys.c.key, fingerprint_keys.c.article_number
    shared = func.count().label("shared")
    sharing = (
        select(number, shared)
        .where(keys.in_(one.keys), number != one.number)
        .where(fingerprint_keys.c.day.between(one.day - window_days, one.day + window_days))
        .group_by(number)
        .order_by(shared.desc(), number)
        .limit(_MOST_CANDIDATES)
        .subquery()
    )
    query = (
        select(articles.c.id, cluster_articles.c.cluster_id)
        .join(sharing, sharing.c.article_number == articles.c.number)
        .join(cluster_articles, cluster_articles.c.article_id == articles.c.id, isouter=True)
        .order_by(sharing.c.shared.desc(), articles.c.id)
    )
    return [Lookalike(row[0], row[1] or row[0]) for row in connection.execute(query)]
