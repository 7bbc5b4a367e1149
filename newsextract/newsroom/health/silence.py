"""Tell how long a site may go without a new article, from how long it went without one before.

A run finds the articles since the run before. If it finds n articles, they divide that time into n + 1 parts, and the
longest silence is taken to be three parts, which holds for most random arrivals. So a site with forty articles a day,
visited once a day, is reported on the first day without any, and a site with an article a week is not.

Silences count by their length: usual is an age that the newest article does not exceed 99 % of the time. A night is a
third of a day and a weekend a quarter of a week, even if nights and weekends are few among the gaps of the day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsextract.storage.ledger.site_runs import Look

MIN_FINDS = 6
"""Runs with new articles needed before anything is reported: five silences lie between them."""

USUAL_SHARE = 0.99
"""Share of the time in which the newest article is not older than usual; the rest allows for freak silences."""

LATE_GAPS = 5.0
"""Mean gaps between two articles that a site may be late on top of that, but no more than the usual silence again.

With random arrivals, the usual silence followed by a gap that long happens once in ten thousand runs.
"""

RANDOM_SHARES = 3.0
"""Parts of n + 1 taken as the longest silence, see above: among n random arrivals it is about ln(n) parts."""

SHORTEST = timedelta(hours=3)
"""A shorter silence is a quiet afternoon, or an archive that has been read to its end."""

BEFORE_A_NIGHT = timedelta(hours=16)
WATCHED_A_NIGHT = timedelta(days=2)
"""A site watched for less time may be one that pauses at night."""

BEFORE_A_WEEKEND = timedelta(hours=80)
WATCHED_A_WEEKEND = timedelta(days=9)
"""A site watched for less time may be one that pauses at weekends, from Friday noon to Monday evening."""

SLEEPS = timedelta(hours=6)
"""A site whose newest article is never older than this works at night, and so at weekends."""

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Silence:
    """How long a site has been without a new article."""

    age: timedelta
    """Time since the last new article was found."""
    usual: timedelta
    """The mean time between new articles."""
    allowed: timedelta
    """The longest silence that is not reported."""

    @property
    def is_unusual(self) -> bool:
        """Whether the silence has lasted too long."""
        return self.age > self.allowed


def silence(looks: Sequence[Look], now: datetime) -> Silence | None:
    """Return how long a site has been silent by `now`; `looks` come oldest first; `None` if too few found articles.

    The first find only starts the count: nobody knows how long its articles had been there.
    """
    finds = [number for number, look in enumerate(looks) if look.articles]
    if len(finds) < MIN_FINDS:
        return None
    first, last = looks[finds[0]].date, looks[finds[-1]].date
    watched, age = last - first, now - last
    lengths = [_longest(looks[earlier : later + 1]) for earlier, later in pairwise(finds)]
    mean = watched / sum(looks[number].articles for number in finds[1:])
    usual_age = _usual_age(lengths)
    allowed = max(usual_age + min(LATE_GAPS * mean, usual_age), SHORTEST)
    if watched < WATCHED_A_NIGHT:
        allowed = max(allowed, BEFORE_A_NIGHT)
    if watched < WATCHED_A_WEEKEND and usual_age >= SLEEPS and _touches_weekend(last, now):
        allowed = max(allowed, BEFORE_A_WEEKEND)
    return Silence(age, mean, allowed)


def _longest(gap: Sequence[Look]) -> timedelta:
    """Return the longest silence that the runs from one find to the next allow."""
    found = gap[-1]
    proven = gap[-2].date - gap[0].date
    return proven + (found.date - gap[-2].date) * min(1.0, RANDOM_SHARES / (found.articles + 1))


def _usual_age(lengths: Sequence[timedelta]) -> timedelta:
    """Return the age that the newest article exceeds 1 % of the time."""
    ordered = sorted(lengths, reverse=True)
    budget = sum(lengths, timedelta()) * (1 - USUAL_SHARE)
    beyond = timedelta()
    """The time in which the newest article is older than `length`."""
    for count, (length, shorter) in enumerate(pairwise([*ordered, timedelta()]), start=1):
        step = (length - shorter) * count
        if beyond + step >= budget:
            return length - (budget - beyond) / count
        beyond += step
    return timedelta()


def _touches_weekend(start: datetime, end: datetime) -> bool:
    """Tell whether there is a Saturday or Sunday between two times, in UTC."""
    first, last = start.astimezone(UTC).date(), end.astimezone(UTC).date()
    return any((first + timedelta(days)).weekday() >= _SATURDAY for days in range((last - first).days + 1))
