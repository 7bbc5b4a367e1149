"""The figures of sites, stored by run and site, and read again."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from newsextract.newsroom.health.figures import (
    Look,
    SiteFigures,
    SiteRun,
    looks,
    put_site_runs,
    recent_runs,
    seen_sites,
)
from tests.storage.ledger.ledger_samples import NOON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Engine


def a_run(number: int, site: str = "a.example", *, articles: int = 0, pages: int = 0) -> SiteRun:
    date = NOON + timedelta(minutes=number)
    return SiteRun(f"{number:032}", site, date, SiteFigures(states={"listing": number}, new=articles, articles=pages))


def put(engine: Engine, runs: Sequence[SiteRun]) -> None:
    with engine.begin() as connection:
        put_site_runs(connection, runs)


def test_rows_come_back_in_order_and_may_be_written_again(engine: Engine) -> None:
    runs = [a_run(2), a_run(1, articles=3, pages=4), a_run(1, "b.example")]
    put(engine, runs)
    put(engine, [replace(runs[0], problems=("silent", "dates gone"))])
    with engine.connect() as connection:
        found = recent_runs(connection, "a.example", 5)
        assert seen_sites(connection, NOON) == ["a.example", "b.example"]
    assert found == [runs[1], replace(runs[0], problems=("silent", "dates gone"))]


def test_runs_that_read_pages_are_found_behind_many_that_did_not(engine: Engine) -> None:
    put(engine, [a_run(number, articles=number % 10 == 0, pages=int(number % 10 == 0)) for number in range(40)])
    with engine.connect() as connection:
        found = recent_runs(connection, "a.example", 3)
        seen = looks(connection, "a.example")
    assert [int(run.run_id) for run in found] == [10, 20, 30, 37, 38, 39]
    assert len(seen) == 40
    assert seen[30] == Look(NOON + timedelta(minutes=30), 1)


def test_sites_not_seen_since_are_left_out(engine: Engine) -> None:
    put(engine, [a_run(1), a_run(9), a_run(2, "b.example")])
    with engine.connect() as connection:
        assert seen_sites(connection, NOON + timedelta(minutes=5)) == ["a.example"]
