"""Sites stored run by run, and judged by the stored runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from newsextract.newsroom.health.figures import SiteFigures, SiteRun
from newsextract.newsroom.health.report import examine, examine_all, store_runs
from newsextract.storage.database import open_engine, writing
from newsextract.storage.schema import site_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

    from newsextract.newsroom.health.report import SiteHealth

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
GOOD = SiteFigures(states={"article": 10}, articles=10, new=10, median_words=400)
UNDATED = replace(GOOD, undated=10)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    engine = open_engine(f"sqlite:///{tmp_path}/a.db")
    with writing(engine) as opened:
        yield opened
    engine.dispose()


def run(day: int, figures: SiteFigures, site: str = "a.example") -> SiteRun:
    date = NOON + timedelta(days=day)
    return SiteRun(f"{day:032}", site, date, figures.new, figures.read, figures.to_json())


def stored(connection: Connection, *figures: SiteFigures) -> list[SiteHealth]:
    return [health for day, each in enumerate(figures) for health in store_runs(connection, [run(day, each)])]


def test_a_run_is_judged_by_those_before_and_says_since_when(connection: Connection) -> None:
    *_, first, last = stored(connection, *[GOOD] * 6, UNDATED, UNDATED)
    assert [health.state for health in (first, last)] == ["degraded", "degraded"]
    assert first.problems[0].since == last.problems[0].since == NOON + timedelta(days=6)
    assert last.last_find == NOON + timedelta(days=7)


def test_storing_a_run_again_changes_nothing(connection: Connection) -> None:
    stored(connection, *[GOOD] * 6)
    once = store_runs(connection, [run(6, UNDATED)])
    assert store_runs(connection, [run(6, UNDATED)]) == once
    rows = connection.execute(select(site_runs.c.problems).order_by(site_runs.c.date)).scalars().all()
    assert rows == ["", "", "", "", "", "", "dates gone"]


def test_a_site_that_recovers_is_well(connection: Connection) -> None:
    assert stored(connection, *[GOOD] * 6, UNDATED, GOOD)[-1].state == "healthy"


def test_ill_sites_come_first_and_unknown_ones_are_none(connection: Connection) -> None:
    for day in range(7):
        store_runs(connection, [run(day, GOOD, "b.example"), run(day, UNDATED if day == 6 else GOOD, "c.example")])
    assert [health.site for health in examine_all(connection, NOON)] == ["c.example", "b.example"]
    assert examine(connection, "d.example") is None
    (few,) = [health for health in examine_all(connection, NOON, 3) if health.site == "c.example"]
    assert (few.state, len(few.runs)) == ("new", 4)


def test_a_site_that_nobody_asks_any_more_is_left_out(connection: Connection) -> None:
    store_runs(connection, [run(0, GOOD, "gone.example"), run(20, GOOD, "here.example")])
    assert [health.site for health in examine_all(connection, NOON + timedelta(days=31))] == ["here.example"]
