"""How the health of sites is shown and reported."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console

from newsextract.newsroom.health.figures import SiteFigures, SiteRun
from newsextract.newsroom.health.judging import Problem, ProblemKind
from newsextract.newsroom.health.report import SiteHealth, health_table, lines_of, write_exposition

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
FIGURES = SiteFigures(
    states={"article": 9, "empty": 1}, articles=9, barren=1, undated=3, median_words=400, median_delay=900
)


def health(*problems: Problem, site: str = "news.example", runs: int = 31) -> SiteHealth:
    dates = [NOON - timedelta(hours=back) for back in range(runs, 0, -1)]
    past = [SiteRun(str(n), site, date, n % 5, 10, FIGURES.to_json()) for n, date in enumerate(dates)]
    return SiteHealth(site, past, problems, NOON - timedelta(hours=2))


def shown(width: int, *sites: SiteHealth) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(health_table(sites, NOON, width))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120, 160])
def test_the_table_fits_and_cuts_no_number(width: int) -> None:
    text = shown(width, health(site="a-rather-long-name-of-a.newspaper.example"), health(runs=3))
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "10 %" in text
    assert "33 %" in text
    assert "2 h ago" in text
    assert ("15 min" in text) == (width == 160)


def test_a_site_is_new_until_there_is_enough_to_judge_by() -> None:
    degraded = health(Problem(ProblemKind.SILENT, "for long"), runs=3)
    assert (health(runs=5).state, health(runs=6).state, degraded.state) == ("new", "healthy", "degraded")


def test_a_line_says_since_when() -> None:
    now = health(Problem(ProblemKind.DATES, "6 of 6", NOON - timedelta(hours=1)))
    older = health(Problem(ProblemKind.DATES, "6 of 6", NOON - timedelta(hours=9)))
    assert lines_of(now) == ["site news.example: dates gone: 6 of 6"]
    assert lines_of(older) == ["site news.example: dates gone: 6 of 6 (since 2026-05-20 03:00 UTC)"]


def test_prometheus_reads_the_same_figures_and_labels(tmp_path: Path) -> None:
    write_exposition(tmp_path / "news.prom", [health(site='a"b\\c\n'), health(Problem(ProblemKind.DELAY, "late"))])
    families = list(text_string_to_metric_families((tmp_path / "news.prom").read_text()))
    assert {(family.type, bool(family.documentation)) for family in families} == {("gauge", True)}
    samples = {(each.name, *sorted(each.labels.items())): each.value for family in families for each in family.samples}
    ours, prefix = ("site", "news.example"), "newsextract_site_"
    assert samples[f"{prefix}degraded", ("site", 'a"b\\c\n')] == 0
    assert samples[f"{prefix}degraded", ours] == 1
    assert samples[f"{prefix}problem", ("kind", "delay grown"), ours] == 1
    assert samples[f"{prefix}pages", ours, ("state", "empty")] == 1
    assert samples[f"{prefix}empty_ratio", ours] == 0.1
    assert samples[f"{prefix}last_run_timestamp_seconds", ours] == NOON.timestamp() - 3600


def test_the_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "news.prom"
    for sites in ([health()], []):
        write_exposition(path, sites)
    assert 'site="' not in path.read_text()
    assert list(path.parent.iterdir()) == [path]
