"""The health of sites: stored run by run, judged by the stored runs, shown and reported."""

from __future__ import annotations

import io
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from prometheus_client.parser import text_string_to_metric_families
from rich.console import Console
from sqlalchemy import select

from newsextract.article import Article, Author, ExtractionReport
from newsextract.newsroom.health.figures import SiteCount, SiteFigures, SiteRun
from newsextract.newsroom.health.judging import Problem, ProblemKind
from newsextract.newsroom.health.report import (
    SiteHealth,
    examine,
    examine_all,
    health_table,
    lines_of,
    store_runs,
    write_exposition,
)
from newsextract.reading.notices import PageState
from newsextract.storage.database import open_engine, writing
from newsextract.storage.schema import site_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection


# How the health of sites is shown and reported.

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
FIGURES = SiteFigures(
    states={"article": 9, "empty": 1}, articles=9, barren=1, undated=3, median_words=400, median_delay=900
)


def health(*problems: Problem, site: str = "news.example", runs: int = 31) -> SiteHealth:
    dates = [NOON - timedelta(hours=back) for back in range(runs, 0, -1)]
    past = [SiteRun(str(n), site, date, replace(FIGURES, new=n % 5)) for n, date in enumerate(dates)]
    return SiteHealth(site, past, problems, NOON - timedelta(hours=2))


def shown(width: int, *sites: SiteHealth) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(health_table(sites, NOON))
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 160])
def test_the_table_fits_and_cuts_no_number(width: int) -> None:
    text = shown(width, health(site="a-rather-long-name-of-a.newspaper.example"), health(runs=3))
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    assert "10 %" in text
    assert "33 %" in text
    assert "2 h ago" in text


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


# Sites stored run by run, and judged by the stored runs.

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
    return SiteRun(f"{day:032}", site, date, figures)


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


def test_a_site_that_recovers_is_healthy(connection: Connection) -> None:
    assert stored(connection, *[GOOD] * 6, UNDATED, GOOD)[-1].state == "healthy"


def test_degraded_sites_come_first_and_unknown_ones_are_none(connection: Connection) -> None:
    for day in range(7):
        store_runs(connection, [run(day, GOOD, "b.example"), run(day, UNDATED if day == 6 else GOOD, "c.example")])
    assert [health.site for health in examine_all(connection, NOON)] == ["c.example", "b.example"]
    assert examine(connection, "d.example") is None
    (few,) = [health for health in examine_all(connection, NOON, 3) if health.site == "c.example"]
    assert (few.state, len(few.runs)) == ("new", 4)


def test_a_site_that_nobody_asks_any_more_is_left_out(connection: Connection) -> None:
    store_runs(connection, [run(0, GOOD, "gone.example"), run(20, GOOD, "here.example")])
    assert [health.site for health in examine_all(connection, NOON + timedelta(days=31))] == ["here.example"]


SEEN = datetime(2026, 5, 20, 12, tzinfo=UTC)


def counted(*articles: Article, is_new: bool = True) -> SiteFigures:
    count = SiteCount("a.example")
    for article in articles:
        count.note_page(PageState.ARTICLE, "", was_for_article=True)
        count.note_article(article, SEEN, is_new=is_new)
    return count.figures(is_whole=True)


def test_pages_are_counted_by_state_and_by_what_they_were_to_be() -> None:
    count = SiteCount("a.example")
    count.note_page(PageState.LISTING, "home page", was_for_article=False)
    count.note_page(PageState.EMPTY, "no main content", was_for_article=True)
    count.note_page(PageState.ERROR, "http 500", was_for_article=True)
    count.note_source("")
    count.note_source("http 404")
    figures = count.figures(is_whole=False)
    assert (figures.states, figures.barren) == ({"listing": 1, "empty": 1, "error": 1}, 1)
    assert figures.reasons == {"empty: no main content": 1, "error: http 500": 1}
    assert (figures.asked, figures.failed, figures.empty_rate, figures.is_whole) == (5, 2, 1.0, False)


def test_what_articles_lack_is_counted() -> None:
    full = Article(
        "https://a.example/1", headline="One", datePublished="2026-05-19", authors=[Author("Ann Lee", "Ann Lee")]
    )
    bare = Article("https://a.example/2", wordCount=90, extraction=ExtractionReport("auto", 0.2))
    figures = counted(full, bare, bare)
    assert (figures.articles, figures.new, figures.read) == (3, 3, 3)
    assert (figures.undated, figures.unsigned, figures.untitled) == (2, 2, 2)
    assert figures.median_words == 90
    assert counted(bare, is_new=False).new == 0


@pytest.mark.parametrize(
    ("published", "delay"),
    [
        ("2026-05-20T13:00:00+02:00", 3600), ("2026-05-20T11:30:00Z", 1800), ("2026-05-20", None),
        ("2026-05-20T11:00:00", None), ("2026-05-01T11:00:00Z", None), ("2026-05-20T13:00:00Z", None),
        (None, None),
    ],
)  # fmt: skip
def test_the_delay_is_known_where_a_time_of_day_with_offset_is_stated(published: str | None, delay: int | None) -> None:
    figures = counted(Article("https://a.example/1", datePublished=published))
    assert (figures.median_delay, figures.delays) == (delay, int(delay is not None))


def test_figures_survive_json_of_another_version() -> None:
    figures = counted(Article("https://a.example/1"))
    assert SiteFigures.from_json(asdict(figures)) == figures
    assert SiteFigures.from_json({"articles": 3, "of the future": 1}) == SiteFigures(articles=3)
