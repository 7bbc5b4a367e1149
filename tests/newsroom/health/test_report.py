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
from newsextract.newsroom.health.figures import Look, SiteCount, SiteFigures, SiteRun
from newsextract.newsroom.health.judging import Problem, ProblemKind, judge
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
    from collections.abc import Callable, Iterator, Sequence
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


@pytest.mark.parametrize(("published", "delay"), [
    ("2026-05-20T13:00:00+02:00", 3600), ("2026-05-20T11:30:00Z", 1800), ("2026-05-20", None),
    ("2026-05-20T11:00:00", None), ("2026-05-01T11:00:00Z", None), ("2026-05-20T13:00:00Z", None),
    (None, None),
])  # fmt: skip
def test_the_delay_is_known_where_a_time_of_day_with_offset_is_stated(published: str | None, delay: int | None) -> None:
    figures = counted(Article("https://a.example/1", datePublished=published))
    assert (figures.median_delay, figures.delays) == (delay, int(delay is not None))


def test_figures_survive_json_of_another_version() -> None:
    figures = counted(Article("https://a.example/1"))
    assert SiteFigures.from_json(asdict(figures)) == figures
    assert SiteFigures.from_json({"articles": 3, "of the future": 1}) == SiteFigures(articles=3)


"""A Wednesday."""

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

STEADY = SiteFigures(
    states={"article": 10, "listing": 1}, articles=10, new=10, median_words=400, median_delay=1800, delays=10,
    sources_read=2, front_links=40,
)  # fmt: skip
IDLE = SiteFigures(states={"unchanged": 3}, sources_read=2)


def past_run(date: datetime, figures: SiteFigures) -> SiteRun:
    return SiteRun("", "", date, figures)


def history(*figures: SiteFigures, every: timedelta = DAY, now: datetime = NOON) -> tuple[list[SiteRun], list[Look]]:
    """Runs at equal distances, the last one now."""
    dates = [now - every * back for back in range(len(figures) - 1, -1, -1)]
    runs = [past_run(date, each) for date, each in zip(dates, figures, strict=True)]
    return runs, [Look(run.date, run.figures.new) for run in runs]


def problems(*figures: SiteFigures, every: timedelta = DAY, now: datetime = NOON) -> dict[str, str]:
    return told(judge(*history(*figures, every=every, now=now)))


def told(found: Sequence[Problem]) -> dict[str, str]:
    return {problem.kind.value: problem.reason for problem in found}


def day_by_day(is_awake: Callable[[datetime], bool], days: int, start: datetime) -> list[Look]:
    """Half-hourly runs of a site that publishes an article an hour while it is awake."""
    halves = [start + timedelta(minutes=30) * step for step in range(days * 48)]
    return [Look(date, int(is_awake(date) and date.minute == 0)) for date in halves]


def silent_after(looks: Sequence[Look], hours: float) -> bool:
    """Tell whether a site counts as silent after some hours without articles."""
    later = [Look(looks[-1].date + timedelta(minutes=30) * step, 0) for step in range(1, int(hours * 2) + 1)]
    runs = [past_run(look.date, replace(IDLE, new=look.articles)) for look in [*looks, *later]]
    return ProblemKind.SILENT.value in told(judge(runs[-30:], [*looks, *later]))


def test_a_steady_site_is_well() -> None:
    assert problems(*[STEADY] * 30) == {}


def test_too_short_a_history_is_not_judged() -> None:
    assert problems(*[STEADY] * 4, replace(STEADY, undated=10)) == {}
    assert problems(*[STEADY] * 5, replace(STEADY, undated=10)) != {}
    assert problems(IDLE) == {}


def test_a_daily_site_without_an_article_is_missed_the_same_day() -> None:
    found = problems(*[STEADY] * 12, IDLE)
    assert found == {"silent": "no new article for 24 h, usually every 2.4 h"}


def test_nothing_new_is_normal_on_a_quiet_site() -> None:
    one = replace(STEADY, states={"article": 1}, articles=1, new=1)
    weekly = [one if number % 7 == 0 else IDLE for number in range(60)]
    assert problems(*weekly) == {}
    assert problems(*weekly[:57], *[IDLE] * 12) == {}
    assert list(problems(*weekly[:57], *[IDLE] * 15)) == ["silent"]


def test_a_site_that_sleeps_at_night_is_not_silent_then() -> None:
    looks = day_by_day(lambda date: 6 <= date.hour <= 22, 12, datetime(2026, 5, 4, tzinfo=UTC))[:-3]
    assert looks[-1].date.hour == 22
    assert not silent_after(looks, 9)
    assert silent_after(looks, 20)


def test_a_weekend_is_no_silence_once_it_is_known() -> None:
    looks = day_by_day(lambda date: date.weekday() < 5 and 6 <= date.hour <= 22, 19, datetime(2026, 5, 4, tzinfo=UTC))
    friday = [look for look in looks if look.date < datetime(2026, 5, 22, 23, tzinfo=UTC)]
    assert not silent_after(friday, 57)
    assert silent_after(friday, 100)


def test_a_paper_without_a_sunday_edition_is_not_missed_on_sundays() -> None:
    sunday = datetime(2026, 5, 24, 12, tzinfo=UTC)
    days = [sunday - DAY * back for back in range(21, -1, -1)]
    figures = [IDLE if day.weekday() == 6 else STEADY for day in days]
    assert problems(*figures, now=sunday) == {}
    assert list(problems(*figures, IDLE, now=sunday + DAY)) == ["silent"]


def test_runs_a_few_minutes_apart_say_nothing_of_silence() -> None:
    assert problems(*[STEADY] * 10, *[IDLE] * 5, every=timedelta(minutes=4)) == {}


def test_a_front_page_without_articles_is_silent_at_once() -> None:
    bare = replace(IDLE, states={"listing": 1}, front_links=0)
    minutes = timedelta(minutes=10)
    assert problems(*[STEADY] * 6, bare, every=minutes) == {
        "silent": "the front page links to no article, usually to 40"
    }
    # It is what it was: what it had the last time still holds.
    runs, looks = history(*[STEADY] * 6, bare, IDLE, every=minutes)
    runs[6] = replace(runs[6], problems=("silent",))
    assert list(told(judge(runs, looks))) == ["silent"]
    assert problems(*[STEADY] * 6, bare, STEADY, every=minutes) == {}


def test_a_front_page_that_kept_hardly_any_article_is_silent() -> None:
    minutes, same = timedelta(minutes=10), replace(STEADY, front_links=None)
    found = problems(STEADY, *[same] * 6, replace(IDLE, front_links=3), every=minutes)
    assert found == {"silent": "the front page links to 3 articles, usually to 40"}
    assert problems(STEADY, *[same] * 6, replace(IDLE, front_links=15), every=minutes) == {}
    assert problems(*[replace(STEADY, front_links=2)] * 7, replace(IDLE, front_links=0), every=minutes) == {}


def test_a_run_that_was_stopped_proves_no_silence() -> None:
    assert problems(*[STEADY] * 12, replace(IDLE, is_whole=False)) == {}


def test_a_changed_layout_is_told_by_pages_without_articles() -> None:
    lost = SiteFigures(states={"empty": 8, "article": 2, "listing": 1}, articles=2, new=2, barren=8, median_words=400)
    assert problems(*[STEADY] * 6, lost) == {"layout changed": "8 of 10 pages hold no article, usually 0 %"}


def test_dates_and_authors_that_are_gone_are_told_apart() -> None:
    found = problems(*[STEADY] * 6, replace(STEADY, undated=9, unsigned=10))
    assert found["dates gone"].startswith("9 of 10 articles are without a date, usually ")
    assert found["layout changed"].startswith("10 of 10 articles are without an author, usually ")


def test_a_site_that_never_had_authors_is_well() -> None:
    anonymous = replace(STEADY, unsigned=10)
    assert problems(*[anonymous] * 12) == {}


def test_lengths_that_halve_or_double_are_another_layout() -> None:
    assert problems(*[STEADY] * 6, replace(STEADY, median_words=150)) == {
        "layout changed": "articles have 150 words, usually 400"
    }
    assert "1200 words" in problems(*[STEADY] * 6, replace(STEADY, median_words=1200))["layout changed"]
    assert problems(*[STEADY] * 6, replace(STEADY, median_words=300)) == {}


def test_one_bad_run_does_not_spoil_the_next() -> None:
    runs, looks = history(*[STEADY] * 6, replace(STEADY, undated=10), STEADY)
    runs[6] = replace(runs[6], problems=("dates gone",))
    assert judge(runs, looks) == ()


def test_ill_runs_are_no_example_of_what_is_usual() -> None:
    undated = replace(STEADY, undated=10)
    runs, looks = history(*[STEADY] * 8, *[undated] * 20)
    marked = [replace(run, problems=("dates gone",) if run.figures.undated else ()) for run in runs]
    assert list(told(judge(marked, looks))) == ["dates gone"]
    # Once the runs from before it are forgotten, it is what the site is like.
    assert judge(marked[5:], looks[5:]) == ()


def test_a_site_that_refuses_is_blocked() -> None:
    refused = SiteFigures(states={"blocked": 8, "article": 2}, reasons={"blocked: http 429": 8}, articles=2, new=2)
    found = problems(*[STEADY] * 6, refused)
    assert found == {"blocked": "8 of 10 pages are refused, usually 0 % (blocked: http 429)"}


def test_a_site_whose_pages_fail_is_failing_and_nothing_else() -> None:
    broken = SiteFigures(states={"error": 9, "article": 1}, reasons={"error: http 500": 9}, articles=1, new=1)
    found = problems(*[STEADY] * 6, replace(broken, undated=1))
    assert list(found) == ["failing"]
    assert "http 500" in found["failing"]
    assert problems(*[STEADY] * 6, replace(STEADY, states={"article": 10, "error": 3})) == {}


def test_a_site_that_is_down_gets_another_run_to_come_back_if_that_is_soon() -> None:
    down = SiteFigures(states={"error": 1}, reasons={"error: timeout": 1})
    half_hour = timedelta(minutes=30)
    assert problems(*[STEADY] * 6, down, every=half_hour) == {}
    assert list(problems(*[STEADY] * 6, down, down, every=half_hour)) == ["failing"]
    assert "error: timeout" in problems(*[STEADY] * 6, down)["failing"]
    assert problems(*[STEADY] * 6, down, STEADY, every=half_hour) == {}


def test_articles_that_are_seen_late_are_told() -> None:
    late = replace(STEADY, median_delay=6 * 3600)
    assert problems(*[STEADY] * 6, late) == {
        "delay grown": "articles are seen 6 h after their publication, usually 30 min"
    }
    assert problems(*[STEADY] * 6, replace(STEADY, median_delay=3 * 3600)) == {}
    assert problems(*[STEADY] * 6, replace(late, delays=2)) == {}


def test_rules_that_are_no_longer_followed_have_rotted() -> None:
    missed = replace(STEADY, rule_misses={"body": 6, "authors": 6})
    assert problems(missed) == {"stale rules": "body was not followed on 6 of 10 articles"}
    assert problems(replace(STEADY, rule_misses={"body": 4, "authors": 8})) == {}
