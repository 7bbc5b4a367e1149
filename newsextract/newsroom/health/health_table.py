"""How sites do, as a table on a terminal: a row a site, its last runs as sparklines, and what is wrong below it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from newsextract.newsroom.health.trouble import duration, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from newsextract.newsroom.health.examination import SiteHealth
    from newsextract.newsroom.health.site_figures import SiteFigures

V = TypeVar("V", int, float)

WIDE = 150
"""Columns from which on there is room for all."""

_BARS = {False: 12, True: 30}
"""Bars of a sparkline, in a narrow and in a wide table."""

_STYLES = {"ill": "bold red", "well": "green", "new": "dim"}

BARS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
"""For a number that is not there."""


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    tell: Callable[[SiteHealth, datetime, int], str]
    is_wide: bool = False
    """Whether it is left out of a narrow table."""


def health_table(sites: Sequence[SiteHealth], now: datetime, width: int) -> Table:
    """Return the table for a terminal of this width, in characters."""
    is_wide = width >= WIDE
    columns = [column for column in _COLUMNS if is_wide or not column.is_wide]
    table = Table(box=SIMPLE, padding=0, pad_edge=False)
    table.add_column("site", overflow="fold", min_width=10)
    table.add_column("state", no_wrap=True)
    for column in columns:
        is_picture = "runs" in column.heading
        table.add_column(column.heading, no_wrap=True, justify="left" if is_picture else "right")
    for health in sites:
        told = [column.tell(health, now, _BARS[is_wide]) for column in columns]
        table.add_row(Text(health.site), Text(health.state, _STYLES[health.state]), *told)
    return table


def _articles(health: SiteHealth, _now: datetime, bars: int) -> str:
    return sparkline([run.articles for run in health.runs], bars)


def _words(health: SiteHealth, _now: datetime, bars: int) -> str:
    return sparkline([each.median_words for each in health.figures], bars)


def _last_find(health: SiteHealth, now: datetime, _bars: int) -> str:
    return "–" if health.last_find is None else f"{duration((now - health.last_find).total_seconds())} ago"


def _last_run(health: SiteHealth, now: datetime, _bars: int) -> str:
    return f"{duration((now - health.newest.date).total_seconds())} ago"


def _delay(health: SiteHealth, _now: datetime, _bars: int) -> str:
    delay = _last(health, lambda each: each.median_delay)
    return "–" if delay is None else duration(delay)


def _share(of: Callable[[SiteFigures], float | None]) -> Callable[[SiteHealth, datetime, int], str]:
    def tell(health: SiteHealth, _now: datetime, _bars: int) -> str:
        share = _last(health, of)
        return "–" if share is None else percent(share)

    return tell


def _number(of: Callable[[SiteFigures], int | None]) -> Callable[[SiteHealth, datetime, int], str]:
    def tell(health: SiteHealth, _now: datetime, _bars: int) -> str:
        number = _last(health, of)
        return "–" if number is None else f"{number}"

    return tell


def _last(health: SiteHealth, of: Callable[[SiteFigures], V | None]) -> V | None:
    """Return the newest value that there is: many runs find nothing new."""
    return next((value for each in reversed(health.figures) if (value := of(each)) is not None), None)


_COLUMNS = (
    _Column("new articles,\nlast runs", _articles),
    _Column("new", lambda health, _now, _bars: str(health.newest.articles), is_wide=True),
    _Column("median words,\nlast runs", _words, is_wide=True),
    _Column("words", _number(lambda each: each.median_words)),
    _Column("empty", _share(lambda each: each.empty_rate)),
    _Column("no date", _share(lambda each: each.share(each.undated))),
    _Column("delay", _delay, is_wide=True),
    _Column("last new", _last_find),
    _Column("last run", _last_run, is_wide=True),
)


def sparkline(values: Sequence[float | None], width: int) -> str:
    """Return bars from zero to the greatest; of more values than the width, the last ones.

    >>> sparkline([0, 1, None, 7], 10), sparkline([1, 2, 3], 2), sparkline([0, 0], 5)
    ('▁▂·█', '▆█', '▁▁')
    """
    shown = values[-width:]
    top = max((value for value in shown if value is not None), default=0.0) or 1.0
    return "".join(NOTHING if value is None else BARS[round(value / top * (len(BARS) - 1))] for value in shown)
