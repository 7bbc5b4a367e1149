"""Stores what runs saw of each site, judges its newest run, and reports it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import starmap
from typing import TYPE_CHECKING, Any, TypeVar

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from newsextract.newsroom.health.figures import SiteFigures
from newsextract.newsroom.health.judging import MIN_RUNS, PastRun, TroubleKind, duration, judge, percent
from newsextract.storage.ledger.site_runs import looks, put_site_runs, recent_runs, seen_sites
from newsextract.storage.rows import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from newsextract.newsroom.health.judging import Trouble
    from newsextract.storage.ledger.site_runs import SiteRun


# Store what runs saw of each site, and judge each site's newest run.
#
# The result is also told as plain values: for `scrapy health --json`, and for the message to a webhook.

RUNS = 30
"""Runs that say what is usual: a month of daily runs, or about a day of half-hourly runs that read pages."""

GIVEN_UP = timedelta(days=30)
"""A site that no run has asked for so long is no longer watched: otherwise it would stay ill, or well, for ever."""

VERSION = 1
"""Version of the message's form; it grows when a field is removed or changes its meaning."""


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """The health of a site, judged by its newest run."""

    site: str
    runs: Sequence[SiteRun]
    """The last runs including the newest, oldest first."""
    troubles: tuple[Trouble, ...]
    last_find: datetime | None
    """The end of the last run that found a new article."""

    @property
    def newest(self) -> SiteRun:
        """The newest run."""
        return self.runs[-1]

    @property
    def figures(self) -> Sequence[SiteFigures]:
        """What the last runs saw, oldest first."""
        return [SiteFigures.from_json(run.figures) for run in self.runs]

    @property
    def state(self) -> str:
        """`ill`, `well`, or `new` where too few runs are known to tell."""
        if self.troubles:
            return "ill"
        return "well" if len(self.runs) > MIN_RUNS else "new"


def store_runs(connection: Connection, batch: Sequence[SiteRun]) -> list[SiteHealth]:
    """Store what runs saw of sites, and return the sites' health; repeating it changes nothing."""
    put_site_runs(connection, batch)
    found = [examine(connection, run.site) for run in batch]
    judged = [
        replace(run, troubles=tuple(trouble.kind for trouble in health.troubles))
        for run, health in zip(batch, found, strict=True)
        if health is not None
    ]
    put_site_runs(connection, judged)
    return [health for health in found if health is not None]


def examine(connection: Connection, site: str, most: int = RUNS) -> SiteHealth | None:
    """Return the health of a site, by up to `most` runs before the newest; `None` if no run has seen it."""
    runs = recent_runs(connection, site, most + 1)
    if not runs:
        return None
    seen = looks(connection, site)
    past = [PastRun(run.date, SiteFigures.from_json(run.figures), run.troubles) for run in runs]
    troubles = judge(past, seen)
    dated = tuple(replace(trouble, since=_since(trouble, runs)) for trouble in troubles)
    last_find = max((look.date for look in seen if look.articles), default=None)
    return SiteHealth(site, runs, dated, last_find)


def examine_all(connection: Connection, now: datetime, most: int = RUNS) -> list[SiteHealth]:
    """Return the health of each site that a run has seen lately, the ill ones first."""
    found = [examine(connection, site, most) for site in seen_sites(connection, now - GIVEN_UP)]
    return sorted(filter(None, found), key=lambda health: (health.state != "ill", health.site))


def _since(trouble: Trouble, runs: Sequence[SiteRun]) -> datetime:
    """Return the end of the first of the consecutive runs that met a trouble."""
    since = runs[-1].date
    for run in reversed(runs[:-1]):
        if trouble.kind not in run.troubles:
            break
        since = run.date
    return since


def statement_of(health: SiteHealth) -> dict[str, Any]:
    """Return all that is known about a site's health, as plain values."""
    return {
        "site": health.site,
        "state": health.state,
        "troubles": [_trouble(each) for each in health.troubles],
        "last_find": _stamp(health.last_find),
        "runs": [_run(each) for each in health.runs],
    }


def message_of(ill: Sequence[SiteHealth], run_id: str, date: datetime) -> dict[str, Any]:
    """Return the webhook's message about the ill sites of a run."""
    sites = [
        {"site": health.site, "troubles": [_trouble(each) for each in health.troubles], "run": _run(health.newest)}
        for health in ill
    ]
    text = "\n".join(line for health in ill for line in lines_of(health))
    return {
        "event": "site.health",
        "version": VERSION,
        "run_id": run_id,
        "date": stamp(date),
        "text": text,
        "sites": sites,
    }


def lines_of(health: SiteHealth) -> list[str]:
    """Return a line for people for each thing that is wrong."""
    return [f"site {health.site}: {trouble}{_how_long(trouble, health)}" for trouble in health.troubles]


def _how_long(trouble: Trouble, health: SiteHealth) -> str:
    if trouble.since is None or trouble.since == health.newest.date:
        return ""
    return f" (since {trouble.since:%Y-%m-%d %H:%M} UTC)"


def _trouble(trouble: Trouble) -> dict[str, Any]:
    return {"kind": trouble.kind.value, "reason": trouble.reason, "since": _stamp(trouble.since)}


def _run(run: SiteRun) -> dict[str, Any]:
    plain = {"run_id": run.run_id, "date": stamp(run.date), "articles": run.articles}
    return plain | {"figures": dict(run.figures), "troubles": list(run.troubles)}


def _stamp(date: datetime | None) -> str | None:
    return None if date is None else stamp(date)


# The health of sites as a terminal table: a row per site, its last runs as sparklines, and what is wrong below.

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


# The health of sites in Prometheus' text format, for the textfile collector of node_exporter.

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import TypeAlias

    Samples: TypeAlias = Iterable[tuple[tuple[str, ...], float | None]]

PREFIX = "newsextract_site_"


@dataclass(frozen=True, slots=True)
class _Metric:
    """A gauge and its samples for one site: the values of further labels, and a figure (`None`: no sample)."""

    name: str
    meaning: str
    samples: Callable[[SiteHealth, SiteFigures], Samples]
    labels: tuple[str, ...] = ()


_METRICS = (
    _Metric("ill", "1 if something is wrong with the site.", lambda health, _: [((), float(health.state == "ill"))]),
    _Metric(
        "trouble",
        "1 for each thing that is wrong with the site, 0 for each that is not.",
        lambda health, _: [((kind.value,), float(kind in _kinds_of(health))) for kind in TroubleKind],
        ("kind",),
    ),
    _Metric("new_articles", "New articles of the last run.", lambda health, _: [((), health.newest.articles)]),
    _Metric(
        "pages",
        "Pages of the last run by the state in which they ended.",
        lambda _, now: [((state,), count) for state, count in sorted(now.states.items())],
        ("state",),
    ),
    _Metric("empty_ratio", "Share of the pages read that were empty.", lambda _, now: [((), now.empty_rate)]),
    _Metric("undated_ratio", "Share of the articles without a date.", lambda _, now: [((), now.share(now.undated))]),
    _Metric("unsigned_ratio", "Share of the articles without author.", lambda _, now: [((), now.share(now.unsigned))]),
    _Metric("median_words", "Median length of the articles, in words.", lambda _, now: [((), now.median_words)]),
    _Metric("delay_seconds", "Median time from publication to the visit.", lambda _, now: [((), now.median_delay)]),
    _Metric(
        "last_find_timestamp_seconds",
        "End of the last run that met a new article.",
        lambda health, _: [((), _timestamp(health.last_find))],
    ),
    _Metric(
        "last_run_timestamp_seconds",
        "End of the last run that saw the site.",
        lambda health, _: [((), _timestamp(health.newest.date))],
    ),
)


def write_exposition(path: Path, sites: Sequence[SiteHealth]) -> None:
    """Replace a file with the figures atomically, so that nobody reads half of them; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.write_text(exposition(sites), "utf-8")
    new.replace(path)


def exposition(sites: Sequence[SiteHealth]) -> str:
    """Return the figures in the text format of Prometheus, version 0.0.4."""
    pairs = [(health, SiteFigures.from_json(health.newest.figures)) for health in sites]
    lines = []
    for metric in _METRICS:
        name = PREFIX + metric.name
        lines += [f"# HELP {name} {metric.meaning}", f"# TYPE {name} gauge"]
        for health, figures in pairs:
            for labels, value in metric.samples(health, figures):
                if value is not None:
                    stated = zip(("site", *metric.labels), (health.site, *labels), strict=True)
                    lines.append(f"{name}{{{','.join(starmap(_label, stated))}}} {float(value)!r}")
    return "\n".join((*lines, ""))


def _label(name: str, value: str) -> str:
    escaped = value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'{name}="{escaped}"'


def _kinds_of(health: SiteHealth) -> set[TroubleKind]:
    return {trouble.kind for trouble in health.troubles}


def _timestamp(date: datetime | None) -> float | None:
    return None if date is None else date.timestamp()
