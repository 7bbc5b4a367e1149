"""The health of sites as a terminal table: a row per site, its last runs as sparklines, and what is wrong below."""

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
"""Terminal columns from which on all columns of the table fit."""

_BARS = {False: 12, True: 30}
"""Bars of a sparkline: `False` for a narrow table, `True` for a wide one."""

_STYLES = {"ill": "bold red", "well": "green", "new": "dim"}

BARS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
"""Shown for a missing number."""


@dataclass(frozen=True, slots=True)
class _Column:
    heading: str
    tell: Callable[[SiteHealth, datetime, int], str]
    is_wide: bool = False
    """Whether the column is left out of a narrow table."""


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


def _newest(health: SiteHealth, of: Callable[[SiteFigures], V | None], form: Callable[[V], str]) -> str:
    """Return the newest value that is not missing: many runs find nothing new."""
    values = (of(each) for each in reversed(health.figures))
    value = next((value for value in values if value is not None), None)
    return "–" if value is None else form(value)


def _ago(now: datetime, then: datetime | None) -> str:
    return "–" if then is None else f"{duration((now - then).total_seconds())} ago"


_COLUMNS = (
    _Column("new articles,\nlast runs", lambda health, _, bars: sparkline([run.articles for run in health.runs], bars)),
    _Column("new", lambda health, *_: str(health.newest.articles), is_wide=True),
    _Column(
        "median words,\nlast runs",
        lambda health, _, bars: sparkline([each.median_words for each in health.figures], bars),
        is_wide=True,
    ),
    _Column("words", lambda health, *_: _newest(health, lambda each: each.median_words, str)),
    _Column("empty", lambda health, *_: _newest(health, lambda each: each.empty_rate, percent)),
    _Column("no date", lambda health, *_: _newest(health, lambda each: each.share(each.undated), percent)),
    _Column(
        "in a browser",
        lambda health, *_: _newest(health, lambda each: each.share(each.rendered), percent),
        is_wide=True,
    ),
    _Column("delay", lambda health, *_: _newest(health, lambda each: each.median_delay, duration), is_wide=True),
    _Column("last new", lambda health, now, _: _ago(now, health.last_find)),
    _Column("last run", lambda health, now, _: _ago(now, health.newest.date), is_wide=True),
)


def sparkline(values: Sequence[float | None], width: int) -> str:
    """Return bars scaled from zero to the greatest value; if the values exceed the width, only the last ones.

    >>> sparkline([0, 1, None, 7], 10), sparkline([1, 2, 3], 2), sparkline([0, 0], 5)
    ('▁▂·█', '▆█', '▁▁')
    """
    shown = values[-width:]
    top = max((value for value in shown if value is not None), default=0.0) or 1.0
    return "".join(NOTHING if value is None else BARS[round(value / top * (len(BARS) - 1))] for value in shown)
