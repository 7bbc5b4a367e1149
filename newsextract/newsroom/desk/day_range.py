"""A range of days in UTC, as a reader writes it: from a day, to a day, both included."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


class DayError(ValueError):
    """A day cannot be read; the message says what would be right."""


@dataclass(frozen=True)
class DayRange:
    """The days from one to another; an empty end is open."""

    first: str = ""
    """As 2026-03-01."""
    last: str = ""

    def __bool__(self) -> bool:
        return bool(self.first or self.last)

    @property
    def arguments(self) -> dict[str, str]:
        """The arguments of a URL that stand for it."""
        return {name: day for name, day in (("from", self.first), ("to", self.last)) if day}

    @property
    def mistake(self) -> str:
        """What is wrong with it, in a sentence; empty if nothing is."""
        try:
            first, after = self.bounds()
        except DayError as error:
            return str(error)
        is_backwards = self.first and self.last and first >= after
        return f"No day is both after {self.first} and before {self.last}: exchange them." if is_backwards else ""

    def bounds(self) -> tuple[str, str]:
        """Return the first moment that is in the range and the first that no longer is: times in UTC sort as text.

        >>> DayRange("2026-02-28", "2026-02-28").bounds(), DayRange("", "2026-12-31").bounds()
        (('2026-02-28', '2026-03-01'), ('', '2027-01-01'))

        Raises:
            DayError: an end is not a day of the calendar.
        """
        first = _day(self.first).isoformat() if self.first else ""
        if not self.last:
            return first, "~"
        last = _day(self.last)
        return first, (last + timedelta(1)).isoformat() if last < date.max else "~"


def days_of(arguments: Any) -> DayRange:
    """Return the range in a query string: `from` and `to`, or `day` for both."""
    first, last = ((arguments.get(name) or arguments.get("day") or "").strip() for name in ("from", "to"))
    return DayRange(first, last)


def _day(written: str) -> date:
    try:
        if _DAY.fullmatch(written):
            return date.fromisoformat(written)
    except ValueError:
        pass  # such as the thirtieth of February: said below, like all else
    raise DayError(f"“{written[:40]}” is not a day: write year, month and day, as in 2026-03-01.")
