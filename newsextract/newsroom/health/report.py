"""Stores what runs saw of each site, judges its newest run, and reports it.

Reports are plain values for JSON and for a webhook's message, a table for the terminal, and a text file for Prometheus.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from newsextract.newsroom.health.figures import looks, put_site_runs, recent_runs, seen_sites
from newsextract.newsroom.health.judging import MIN_RUNS, ProblemKind, duration, judge, percent
from newsextract.storage.rows import stamp

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.newsroom.health.figures import SiteFigures, SiteRun
    from newsextract.newsroom.health.judging import Problem

SITES_DEGRADED = 3
"""Exit code of a crawl, and of `newsextract health`, if a site fell silent or changed."""


RUNS = 30
"""Runs that say what is usual: a month of daily runs, or about a day of half-hourly runs that read pages."""

GIVEN_UP = timedelta(days=30)
"""A site that no run has asked for so long is no longer watched: otherwise it would keep its state for ever."""

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
    def has_news(self) -> bool:
        """Whether the newest run has met a problem that the one before had not, or none any more."""
        before = set(self.runs[-2].problems) if len(self.runs) > 1 else set()
        now = {problem.kind for problem in self.problems}
        return bool(now - before or (before and not now))

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
    dated = tuple(replace(problem, since=_since(problem, runs)) for problem in judge(runs, seen))
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


def lines_of(health: SiteHealth) -> list[str]:
    """Return a line for people for each thing that is wrong."""
    return [
        f"site {health.site}: {problem}"
        + (f" (since {problem.since:%Y-%m-%d %H:%M} UTC)" if problem.since not in (None, health.newest.date) else "")
        for problem in health.problems
    ]


def _problem(problem: Problem) -> dict[str, Any]:
    return {"kind": problem.kind.value, "reason": problem.reason, "since": _stamp(problem.since)}


def _run(run: SiteRun) -> dict[str, Any]:
    plain = {"run_id": run.run_id, "date": stamp(run.date), "articles": run.figures.new}
    return plain | {"figures": asdict(run.figures), "problems": list(run.problems)}


def _stamp(date: datetime | None) -> str | None:
    return None if date is None else stamp(date)


V = TypeVar("V", int, float)

_BARS = 12
"""Bars of a sparkline in the table."""

_STYLES = {"failing": "bold red", "degraded": "red", "healthy": "green", "new": "dim"}

BARS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
"""Shown for a missing number."""


def health_table(sites: Sequence[SiteHealth], now: datetime) -> Table:
    """Return the table of sites for a terminal."""
    table = Table(box=SIMPLE, padding=0, pad_edge=False)
    table.add_column("site", overflow="fold", min_width=10)
    table.add_column("state", no_wrap=True)
    table.add_column("new articles,\nlast runs", no_wrap=True)
    for heading in ("words", "empty", "no date", "last new"):
        table.add_column(heading, no_wrap=True, justify="right")
    for health in sites:
        last_find = "–" if health.last_find is None else f"{duration((now - health.last_find).total_seconds())} ago"
        table.add_row(
            Text(health.site),
            Text(health.state, _STYLES[health.state]),
            sparkline([run.figures.new for run in health.runs], _BARS),
            _newest(health, lambda each: each.median_words, str),
            _newest(health, lambda each: each.empty_rate, percent),
            _newest(health, lambda each: each.share(each.undated), percent),
            last_find,
        )
    return table


def _newest(health: SiteHealth, of: Callable[[SiteFigures], V | None], form: Callable[[V], str]) -> str:
    """Return the newest value that is not missing: many runs find nothing new."""
    values = (of(run.figures) for run in reversed(health.runs))
    value = next((value for value in values if value is not None), None)
    return "–" if value is None else form(value)


def sparkline(values: Sequence[float | None], width: int) -> str:
    """Return bars scaled from zero to the greatest value; if the values exceed the width, only the last ones.

    >>> sparkline([0, 1, None, 7], 10), sparkline([1, 2, 3], 2), sparkline([0, 0], 5)
    ('▁▂·█', '▆█', '▁▁')
    """
    shown = values[-width:]
    top = max((value for value in shown if value is not None), default=0.0) or 1.0
    return "".join(NOTHING if value is None else BARS[round(value / top * (len(BARS) - 1))] for value in shown)


PREFIX = "newsextract_site_"


_METRICS = {
    "degraded": "1 if something is wrong with the site.",
    "problem": "1 for each thing that is wrong with the site, 0 for each that is not.",
    "new_articles": "New articles of the last run.",
    "pages": "Pages of the last run by the state in which they ended.",
    "empty_ratio": "Share of the pages read that were empty.",
    "undated_ratio": "Share of the articles without a date.",
    "unsigned_ratio": "Share of the articles without author.",
    "median_words": "Median length of the articles, in words.",
    "delay_seconds": "Median time from publication to the visit.",
    "last_find_timestamp_seconds": "End of the last run that met a new article.",
    "last_run_timestamp_seconds": "End of the last run that saw the site.",
}
"""The gauges, and what they mean."""


def _samples(health: SiteHealth) -> dict[str, list[tuple[dict[str, str], float | None]]]:
    """Return the values of each gauge for a site, with further labels; `None` is no sample."""
    now, kinds = health.newest.figures, {problem.kind for problem in health.problems}
    plain: dict[str, Any] = {
        "degraded": bool(kinds),
        "new_articles": now.new,
        "empty_ratio": now.empty_rate,
        "undated_ratio": now.share(now.undated),
        "unsigned_ratio": now.share(now.unsigned),
        "median_words": now.median_words,
        "delay_seconds": now.median_delay,
        "last_find_timestamp_seconds": health.last_find and health.last_find.timestamp(),
        "last_run_timestamp_seconds": health.newest.date.timestamp(),
    }
    return {
        **{name: [({}, value)] for name, value in plain.items()},
        "problem": [({"kind": kind.value}, kind in kinds) for kind in ProblemKind],
        "pages": [({"state": state}, count) for state, count in sorted(now.states.items())],
    }


def write_exposition(path: Path, sites: Sequence[SiteHealth]) -> None:
    """Replace a file with the figures atomically, so that nobody reads half of them; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_text("".join(f"{line}\n" for line in _exposition(sites)), "utf-8")
    unfinished.replace(path)


def _exposition(sites: Sequence[SiteHealth]) -> Iterator[str]:
    """Yield the lines of Prometheus' text format."""
    samples = [(health.site, _samples(health)) for health in sites]
    for name, meaning in _METRICS.items():
        yield f"# HELP {PREFIX}{name} {meaning}"
        yield f"# TYPE {PREFIX}{name} gauge"
        for site, of_site in samples:
            for labels, value in of_site[name]:
                if value is not None:
                    named = ",".join(f"{label}={_quoted(text)}" for label, text in {**labels, "site": site}.items())
                    yield f"{PREFIX}{name}{{{named}}} {float(value)}"


def _quoted(text: str) -> str:
    r"""Return a label's value in quotes.

    >>> print(_quoted('a"b'))
    "a\"b"
    """
    escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return f'"{escaped}"'
