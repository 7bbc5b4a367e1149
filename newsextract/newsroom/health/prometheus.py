"""The health of sites in Prometheus' text format, for the textfile collector of node_exporter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.newsroom.health.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path
    from typing import TypeAlias

    from prometheus_client import CollectorRegistry

    from newsextract.newsroom.health.examination import SiteHealth

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
    from prometheus_client import write_to_textfile  # noqa: PLC0415 - few crawls write the file

    path.parent.mkdir(parents=True, exist_ok=True)

    write_to_textfile(str(path), _registry(sites))


def _registry(sites: Sequence[SiteHealth]) -> CollectorRegistry:
    from prometheus_client import CollectorRegistry, Gauge  # noqa: PLC0415 - likewise

    registry = CollectorRegistry()
    pairs = [(health, SiteFigures.from_json(health.newest.figures)) for health in sites]
    for metric in _METRICS:
        gauge = Gauge(PREFIX + metric.name, metric.meaning, ("site", *metric.labels), registry=registry)
        for health, figures in pairs:
            for labels, value in metric.samples(health, figures):
                if value is not None:
                    gauge.labels(health.site, *labels).set(value)
    return registry


def _kinds_of(health: SiteHealth) -> set[TroubleKind]:
    return {trouble.kind for trouble in health.troubles}


def _timestamp(date: datetime | None) -> float | None:
    return None if date is None else date.timestamp()
