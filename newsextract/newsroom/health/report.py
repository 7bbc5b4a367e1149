"""Stores what runs saw of each site, judges its newest run, and reports it.

Reports are plain values for JSON and for a webhook's message, a table for the terminal, and a text file for Prometheus.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from newsextract.newsroom.health.figures import SiteFigures, looks, put_site_runs, recent_runs, seen_sites
from newsextract.newsroom.health.judging import MIN_RUNS, PastRun, ProblemKind, duration, judge, percent
from newsextract.storage.rows import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.newsroom.health.figures import SiteRun
    from newsextract.newsroom.health.judging import Problem

    Samples: TypeAlias = Iterable[tuple[tuple[str, ...], float | None]]

SITES_DEGRADED = 3
"""Exit code of a crawl, and of `newsextract health`, if a site fell silent or changed."""


RUNS = 30
"""Runs that say what is usual: a month of daily runs, or about a day of half-hourly runs that read pages."""

GIVEN_UP = timedelta(days=30)
"""A site that no run has asked for so long is no longer watched: otherwise it would keep its state for ever."""

VERSION = 1
"""Version of the message's form; it grows when a field is removed or changes its meaning."""


_UNREACHABLE = (ProblemKind.BLOCKED, ProblemKind.FAILING)


@dataclass(frozen=True, slots=True)
class SiteHealth:
    """The health of a site, judged by its newest run."""

    site: str
    runs: Sequence[SiteRun]
    """The last runs including the newest, oldest first."""
    problems: tuple[Problem, ...]
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
        """`degraded`, `failing`, `healthy`, or `new` where too few runs are known to tell."""
        if self.problems:
            return "failing" if any(each.kind in _UNREACHABLE for each in self.problems) else "degraded"
        return "healthy" if len(self.runs) > MIN_RUNS else "new"


def store_runs(connection: Connection, batch: Sequence[SiteRun]) -> list[SiteHealth]:
    """Store what runs saw of sites, and return the sites' health; repeating it changes nothing."""
    put_site_runs(connection, batch)
    found = [examine(connection, run.site) for run in batch]
    judged = [
        replace(run, problems=tuple(problem.kind for problem in health.problems))
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
    past = [PastRun(run.date, SiteFigures.from_json(run.figures), run.problems) for run in runs]
    problems = judge(past, seen)
    dated = tuple(replace(problem, since=_since(problem, runs)) for problem in problems)
    last_find = max((look.date for look in seen if look.articles), default=None)
    return SiteHealth(site, runs, dated, last_find)


def examine_all(connection: Connection, now: datetime, most: int = RUNS) -> list[SiteHealth]:
    """Return the health of each site that a run has seen lately, those with problems first."""
    found = [examine(connection, site, most) for site in seen_sites(connection, now - GIVEN_UP)]
    return sorted(filter(None, found), key=lambda health: (not health.problems, health.site))


def _since(problem: Problem, runs: Sequence[SiteRun]) -> datetime:
    """Return the end of the first of the consecutive runs that met a problem."""
    since = runs[-1].date
    for run in reversed(runs[:-1]):
        if problem.kind not in run.problems:
            break
        since = run.date
    return since


def statement_of(health: SiteHealth) -> dict[str, Any]:
    """Return all that is known about a site's health, as plain values."""
    return {
        "site": health.site,
        "state": health.state,
        "problems": [_problem(each) for each in health.problems],
        "last_find": _stamp(health.last_find),
        "runs": [_run(each) for each in health.runs],
    }


def message_of(degraded: Sequence[SiteHealth], run_id: str, date: datetime) -> dict[str, Any]:
    """Return the webhook's message about the degraded sites of a run."""
    sites = [
        {"site": health.site, "problems": [_problem(each) for each in health.problems], "run": _run(health.newest)}
        for health in degraded
    ]
    text = "\n".join(line for health in degraded for line in lines_of(health))
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
    return [f"site {health.site}: {problem}{_how_long(problem, health)}" for problem in health.problems]


def _how_long(problem: Problem, health: SiteHealth) -> str:
    if problem.since is None or problem.since == health.newest.date:
        return ""
    return f" (since {problem.since:%Y-%m-%d %H:%M} UTC)"


def _problem(problem: Problem) -> dict[str, Any]:
    return {"kind": problem.kind.value, "reason": problem.reason, "since": _stamp(problem.since)}


def _run(run: SiteRun) -> dict[str, Any]:
    plain = {"run_id": run.run_id, "date": stamp(run.date), "articles": run.articles}
    return plain | {"figures": dict(run.figures), "problems": list(run.problems)}


def _stamp(date: datetime | None) -> str | None:
    return None if date is None else stamp(date)


V = TypeVar("V", int, float)

WIDE = 150
"""Terminal columns from which on all columns of the table fit."""

_BARS = {False: 12, True: 30}
"""Bars of a sparkline: `False` for a narrow table, `True` for a wide one."""

_STYLES = {"failing": "bold red", "degraded": "red", "healthy": "green", "new": "dim"}

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


PREFIX = "newsextract_site_"


@dataclass(frozen=True, slots=True)
class _Metric:
    """A gauge and its samples for one site: the values of further labels, and a figure (`None`: no sample)."""

    name: str
    meaning: str
    samples: Callable[[SiteHealth, SiteFigures], Samples]
    labels: tuple[str, ...] = ()


_METRICS = (
    _Metric(
        "degraded", "1 if something is wrong with the site.", lambda health, _: [((), float(bool(health.problems)))]
    ),
    _Metric(
        "problem",
        "1 for each thing that is wrong with the site, 0 for each that is not.",
        lambda health, _: [((kind.value,), float(kind in _kinds_of(health))) for kind in ProblemKind],
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
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text("".join(f"{line}\n" for line in _exposition(sites)), "utf-8")
    unfinished.replace(path)


def _exposition(sites: Sequence[SiteHealth]) -> Iterator[str]:
    """Yield the lines of Prometheus' text format."""
    for metric in _METRICS:
        name = PREFIX + metric.name
        yield f"# HELP {name} {metric.meaning}"
        yield f"# TYPE {name} gauge"
        for health in sites:
            for labels, value in metric.samples(health, health.figures[-1]):
                if value is not None:
                    named = zip((*metric.labels, "site"), (*labels, health.site), strict=True)
                    yield f"{name}{{{','.join(f'{label}={_quoted(text)}' for label, text in named)}}} {float(value)}"


def _quoted(text: str) -> str:
    r"""Return a label's value in quotes.

    >>> print(_quoted('a"b'))
    "a\"b"
    """
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'


def _kinds_of(health: SiteHealth) -> set[ProblemKind]:
    return {problem.kind for problem in health.problems}


def _timestamp(date: datetime | None) -> float | None:
    return None if date is None else date.timestamp()
