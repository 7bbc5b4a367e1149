"""How the health of sites is shown and told."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from newsextract.newsroom.health.examination import SiteHealth
from newsextract.newsroom.health.health_statement import lines_of
from newsextract.newsroom.health.health_table import health_table
from newsextract.newsroom.health.prometheus import exposition, write_exposition
from newsextract.newsroom.health.site_figures import SiteFigures
from newsextract.newsroom.health.trouble import Illness, Trouble
from newsextract.storage.ledger.site_runs import SiteRun

if TYPE_CHECKING:
    from pathlib import Path

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
FIGURES = SiteFigures(
    states={"article": 9, "empty": 1}, articles=9, barren=1, undated=3, median_words=400, median_delay=900
)


def health(*troubles: Trouble, site: str = "news.example", runs: int = 31) -> SiteHealth:
    dates = [NOON - timedelta(hours=back) for back in range(runs, 0, -1)]
    past = [SiteRun(str(n), site, date, n % 5, 10, FIGURES.to_json()) for n, date in enumerate(dates)]
    return SiteHealth(site, past, troubles, NOON - timedelta(hours=2))


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
    ill = health(Trouble(Illness.SILENT, "for long"), runs=3)
    assert (health(runs=5).state, health(runs=6).state, ill.state) == ("new", "well", "ill")


def test_a_line_says_since_when() -> None:
    now = health(Trouble(Illness.DATES, "6 of 6", NOON - timedelta(hours=1)))
    older = health(Trouble(Illness.DATES, "6 of 6", NOON - timedelta(hours=9)))
    assert lines_of(now) == ["site news.example: dates gone: 6 of 6"]
    assert lines_of(older) == ["site news.example: dates gone: 6 of 6 (since 2026-05-20 03:00 UTC)"]


def test_labels_are_escaped_and_samples_of_a_metric_stand_together() -> None:
    lines = exposition([health(site='a"b\\c'), health(Trouble(Illness.DELAY, "late"))]).splitlines()
    ill = lines.index("# TYPE newsextract_site_ill gauge")
    assert lines[ill - 1].startswith("# HELP newsextract_site_ill ")
    assert lines[ill + 1 : ill + 3] == [
        'newsextract_site_ill{site="a\\"b\\\\c"} 0',
        'newsextract_site_ill{site="news.example"} 1',
    ]
    assert 'newsextract_site_trouble{site="news.example",kind="delay grown"} 1' in lines
    assert 'newsextract_site_empty_ratio{site="news.example"} 0.1' in lines
    assert f'newsextract_site_last_run_timestamp_seconds{{site="news.example"}} {NOON.timestamp() - 3600:.0f}' in lines
    names = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(names) == len(set(names))


def test_the_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "news.prom"
    for sites in ([health()], []):
        write_exposition(path, sites)
    assert 'site="' not in path.read_text()
    assert list(path.parent.iterdir()) == [path]
