"""How sites do, in the text format of Prometheus, for the textfile collector of its node_exporter."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.newsroom.health.trouble import Illness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import TypeAlias

    from newsextract.newsroom.health.examination import SiteHealth

    Samples: TypeAlias = Iterable[tuple[dict[str, str], float | None]]

PREFIX = "newsextract_site_"


@dataclass(frozen=True, slots=True)
class _Metric:
    """A gauge, and its samples of one site: further labels and a value, `None` where there is none."""

    name: str
    meaning: str
    samples: Callable[[SiteHealth, SiteFigures], Samples]


_METRICS = (
    _Metric("ill", "1 if something is wrong with the site.", lambda health, _: [({}, float(health.state == "ill"))]),
    _Metric(
        "trouble",
        "1 for each thing that is wrong with the site, 0 for each that is not.",
        lambda health, _: [({"kind": kind.value}, float(kind in _illnesses(health))) for kind in Illness],
    ),
    _Metric("new_articles", "New articles of the last run.", lambda health, _: [({}, health.newest.articles)]),
    _Metric(
        "pages",
        "Pages of the last run by the state in which they ended.",
        lambda _, now: [({"state": state}, count) for state, count in sorted(now.states.items())],
    ),
    _Metric("empty_ratio", "Share of the pages read that were empty.", lambda _, now: [({}, now.empty_rate)]),
    _Metric("undated_ratio", "Share of the articles without a date.", lambda _, now: [({}, now.share(now.undated))]),
    _Metric("unsigned_ratio", "Share of the articles without author.", lambda _, now: [({}, now.share(now.unsigned))]),
    _Metric("median_words", "Median length of the articles, in words.", lambda _, now: [({}, now.median_words)]),
    _Metric(
        "delay_seconds",
        "Median time from publication to the visit.",
        lambda _, now: [({}, now.median_delay)],
    ),
    _Metric(
        "last_find_timestamp_seconds",
        "End of the last run that met a new article.",
        lambda health, _: [({}, _timestamp(health.last_find))],
    ),
    _Metric(
        "last_run_timestamp_seconds",
        "End of the last run that saw the site.",
        lambda health, _: [({}, _timestamp(health.newest.date))],
    ),
)


def exposition(sites: Sequence[SiteHealth]) -> str:
    """Return the text, all samples of a metric together."""
    return "".join(f"{line}\n" for line in _lines(sites))


def write_exposition(path: Path, sites: Sequence[SiteHealth]) -> None:
    """Replace a file by the text at once, so that nobody reads half of it; raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The collector reads *.prom only.
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(exposition(sites), "utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def escaped(value: str) -> str:
    r"""Return the value of a label as it stands between quotes.

    >>> print(escaped('a "b" \\ c'))
    a \"b\" \\ c
    """
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _lines(sites: Sequence[SiteHealth]) -> Iterator[str]:
    pairs = [(health, SiteFigures.from_json(health.newest.figures)) for health in sites]
    for metric in _METRICS:
        name = PREFIX + metric.name
        yield f"# HELP {name} {metric.meaning}"
        yield f"# TYPE {name} gauge"
        for health, figures in pairs:
            for labels, value in metric.samples(health, figures):
                if value is not None:
                    named = {"site": health.site} | labels
                    inside = ",".join(f'{label}="{escaped(text)}"' for label, text in named.items())
                    yield f"{name}{{{inside}}} {value:.10g}"


def _illnesses(health: SiteHealth) -> set[Illness]:
    return {trouble.illness for trouble in health.troubles}


def _timestamp(date: datetime | None) -> float | None:
    return None if date is None else date.timestamp()
