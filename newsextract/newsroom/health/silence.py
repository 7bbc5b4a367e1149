"""How long a site may go without a new article: told from how long it went without one before.

A run meets the articles of the time since the run before. Where it meets many, they came all along, and the longest
silence among them was shorter than that time: three of its shares, one for each article and one more, which holds for
most of what comes at random. So a site with forty articles a day that is visited once a day is missed the first day it
has none, and one with an article a week is not.

Silences count by their length: what is usual is the age that the newest article has 99 % of the time. A night is a
third of a day and a weekend a quarter of a week, however few nights and weekends there are beside the gaps of the day.
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
"""Runs with new articles before anything is said: five silences between them."""

USUAL_SHARE = 0.99
"""Of the time, the newest article is not older than what is usual; the rest is for the freak silence."""

LATE_GAPS = 5.0
"""Mean gaps between two articles by which a site may be late on top of that; no more than the usual silence again.

At random, a gap that long and the usual before it happen once in ten thousand runs.
"""

RANDOM_SHARES = 3.0
"""See above: of n articles at random in a time, the longest silence takes some ln(n) of n + 1 shares of it."""

SHORTEST = timedelta(hours=3)
"""Less is no silence of a site: it is a quiet afternoon, or an archive that has been read to its end."""

BEFORE_A_NIGHT = timedelta(hours=16)
WATCHED_A_NIGHT = timedelta(days=2)
"""A site that has been watched for less time may be one that sleeps."""

BEFORE_A_WEEKEND = timedelta(hours=80)
WATCHED_A_WEEKEND = timedelta(days=9)
"""One that has been watched for less may be one that has the weekend off, from Friday noon to Monday evening."""

SLEEPS = timedelta(hours=6)
"""A site whose newest article is never older works at night, and so at weekends."""

_SATURDAY = 5


@dataclass(frozen=True, slots=True)
class Silence:
    """How long a site has been without a new article."""

    age: timedelta
    """Since the last new one was met."""
    usual: timedelta
    """How often there is one, in the mean."""
    allowed: timedelta
    """What is not worth a word yet."""

    @property
    def is_unusual(self) -> bool:
        """Whether it has lasted too long."""
        return self.age > self.allowed


def silence(looks: Sequence[Look], now: datetime) -> Silence | None:
    """Return how long a site has been silent at a time, by the runs so far, the oldest first; `None` if too few found.

    The first find is only where the watch begins: nobody knows how long its articles had been there.
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
    """Return the longest silence there may have been between two finds, of all runs from the one to the other."""
    found = gap[-1]
    proven = gap[-2].date - gap[0].date
    return proven + (found.date - gap[-2].date) * min(1.0, RANDOM_SHARES / (found.articles + 1))


def _usual_age(lengths: Sequence[timedelta]) -> timedelta:
    """Return the age that the newest article exceeds in a hundredth of the time."""
    ordered = sorted(lengths, reverse=True)
    budget = sum(lengths, timedelta()) * (1 - USUAL_SHARE)
    beyond = timedelta()
    """The time in which the newest article is older than the length at hand."""
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
