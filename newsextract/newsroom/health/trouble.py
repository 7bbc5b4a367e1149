"""What can be wrong with a site, and how it is worded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - a dataclass's types are looked up
from enum import StrEnum

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


class TroubleKind(StrEnum):
    """What a site suffers from."""

    SILENT = "silent"
    """No new article for longer than usual, or no links to articles on the front page."""
    BLOCKED = "blocked"
    """The site refuses us."""
    WALL = "wall"
    """Its pages have the same text under different headlines."""
    FAILING = "failing"
    """Its pages, feeds and sitemaps cannot be fetched or read."""
    LAYOUT = "layout changed"
    """Articles are no longer found on its pages, or are found in another form than before."""
    DATES = "dates gone"
    """Articles are without a date."""
    DELAY = "delay grown"
    """Articles are seen much later after publication than usual."""
    SUBSCRIPTION = "subscription"
    """The login failed, or pages refuse the subscription."""
    RULES = "rules rotten"
    """Rules in the list of sites no longer find their part of the pages."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that is wrong with a site."""

    kind: TroubleKind
    reason: str
    """What is seen, and what is usual."""
    since: datetime | None = None
    """The end of the first of the consecutive runs that met it."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


def duration(seconds: float) -> str:
    """Return a duration as people write it.

    >>> duration(93_600), duration(5_400), duration(86_400 * 3), duration(20)
    ('26 h', '1.5 h', '3 d', '20 s')
    """
    for unit, name in _UNITS:
        # 26 hours stay hours, 50 hours become two days.
        if seconds >= unit * (2 if name == "d" else 1):
            count = seconds / unit
            return f"{count:.0f} {name}" if count >= 10 else f"{count:.1f} {name}".replace(".0 ", " ")
    return f"{seconds:.0f} s"


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.925), percent(0.004), percent(0)
    ('92 %', '0.4 %', '0 %')
    """
    return f"{share:.1%}".replace("%", " %") if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")
