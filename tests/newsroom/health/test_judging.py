"""Judging sites by made-up histories."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from newsextract.newsroom.health.figures import Look, SiteFigures, SiteRun
from newsextract.newsroom.health.judging import ProblemKind, judge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsextract.newsroom.health.judging import Problem

NOON = datetime(2026, 5, 20, 12, tzinfo=UTC)
"""A Wednesday."""

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

GOOD = SiteFigures(
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
    assert problems(*[GOOD] * 30) == {}


def test_too_short_a_history_is_not_judged() -> None:
    assert problems(*[GOOD] * 4, replace(GOOD, undated=10)) == {}
    assert problems(*[GOOD] * 5, replace(GOOD, undated=10)) != {}
    assert problems(IDLE) == {}


def test_a_daily_site_without_an_article_is_missed_the_same_day() -> None:
    found = problems(*[GOOD] * 12, IDLE)
    assert found == {"silent": "no new article for 24 h, usually every 2.4 h"}


def test_nothing_new_is_normal_on_a_quiet_site() -> None:
    one = replace(GOOD, states={"article": 1}, articles=1, new=1)
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
    figures = [IDLE if day.weekday() == 6 else GOOD for day in days]
    assert problems(*figures, now=sunday) == {}
    assert list(problems(*figures, IDLE, now=sunday + DAY)) == ["silent"]


def test_runs_a_few_minutes_apart_say_nothing_of_silence() -> None:
    assert problems(*[GOOD] * 10, *[IDLE] * 5, every=timedelta(minutes=4)) == {}


def test_a_front_page_without_articles_is_silent_at_once() -> None:
    bare = replace(IDLE, states={"listing": 1}, front_links=0)
    minutes = timedelta(minutes=10)
    assert problems(*[GOOD] * 6, bare, every=minutes) == {"silent": "the front page links to no article, usually to 40"}
    # It is what it was: what it had the last time still holds.
    runs, looks = history(*[GOOD] * 6, bare, IDLE, every=minutes)
    runs[6] = replace(runs[6], problems=("silent",))
    assert list(told(judge(runs, looks))) == ["silent"]
    assert problems(*[GOOD] * 6, bare, GOOD, every=minutes) == {}


def test_a_front_page_that_kept_hardly_any_article_is_silent() -> None:
    minutes, same = timedelta(minutes=10), replace(GOOD, front_links=None)
    found = problems(GOOD, *[same] * 6, replace(IDLE, front_links=3), every=minutes)
    assert found == {"silent": "the front page links to 3 articles, usually to 40"}
    assert problems(GOOD, *[same] * 6, replace(IDLE, front_links=15), every=minutes) == {}
    assert problems(*[replace(GOOD, front_links=2)] * 7, replace(IDLE, front_links=0), every=minutes) == {}


def test_a_run_that_was_stopped_proves_no_silence() -> None:
    assert problems(*[GOOD] * 12, replace(IDLE, is_whole=False)) == {}


def test_a_changed_layout_is_told_by_pages_without_articles() -> None:
    lost = SiteFigures(states={"empty": 8, "article": 2, "listing": 1}, articles=2, new=2, barren=8, median_words=400)
    assert problems(*[GOOD] * 6, lost) == {"layout changed": "8 of 10 pages hold no article, usually 0 %"}


def test_dates_and_authors_that_are_gone_are_told_apart() -> None:
    found = problems(*[GOOD] * 6, replace(GOOD, undated=9, unsigned=10))
    assert found["dates gone"].startswith("9 of 10 articles are without a date, usually ")
    assert found["layout changed"].startswith("10 of 10 articles are without an author, usually ")


def test_a_site_that_never_had_authors_is_well() -> None:
    anonymous = replace(GOOD, unsigned=10)
    assert problems(*[anonymous] * 12) == {}


def test_lengths_that_halve_or_double_are_another_layout() -> None:
    assert problems(*[GOOD] * 6, replace(GOOD, median_words=150)) == {
        "layout changed": "articles have 150 words, usually 400"
    }
    assert "1200 words" in problems(*[GOOD] * 6, replace(GOOD, median_words=1200))["layout changed"]
    assert problems(*[GOOD] * 6, replace(GOOD, median_words=300)) == {}


def test_one_bad_run_does_not_spoil_the_next() -> None:
    runs, looks = history(*[GOOD] * 6, replace(GOOD, undated=10), GOOD)
    runs[6] = replace(runs[6], problems=("dates gone",))
    assert judge(runs, looks) == ()


def test_ill_runs_are_no_example_of_what_is_usual() -> None:
    undated = replace(GOOD, undated=10)
    runs, looks = history(*[GOOD] * 8, *[undated] * 20)
    marked = [replace(run, problems=("dates gone",) if run.figures.undated else ()) for run in runs]
    assert list(told(judge(marked, looks))) == ["dates gone"]
    # Once the runs from before it are forgotten, it is what the site is like.
    assert judge(marked[5:], looks[5:]) == ()


def test_a_site_that_refuses_is_blocked() -> None:
    refused = SiteFigures(states={"blocked": 8, "article": 2}, reasons={"blocked: http 429": 8}, articles=2, new=2)
    found = problems(*[GOOD] * 6, refused)
    assert found == {"blocked": "8 of 10 pages are refused, usually 0 % (blocked: http 429)"}


def test_a_site_whose_pages_fail_is_failing_and_nothing_else() -> None:
    broken = SiteFigures(states={"error": 9, "article": 1}, reasons={"error: http 500": 9}, articles=1, new=1)
    found = problems(*[GOOD] * 6, replace(broken, undated=1))
    assert list(found) == ["failing"]
    assert "http 500" in found["failing"]
    assert problems(*[GOOD] * 6, replace(GOOD, states={"article": 10, "error": 3})) == {}


def test_a_site_that_is_down_gets_another_run_to_come_back_if_that_is_soon() -> None:
    down = SiteFigures(states={"error": 1}, reasons={"error: timeout": 1})
    half_hour = timedelta(minutes=30)
    assert problems(*[GOOD] * 6, down, every=half_hour) == {}
    assert list(problems(*[GOOD] * 6, down, down, every=half_hour)) == ["failing"]
    assert "error: timeout" in problems(*[GOOD] * 6, down)["failing"]
    assert problems(*[GOOD] * 6, down, GOOD, every=half_hour) == {}


def test_articles_that_are_seen_late_are_told() -> None:
    late = replace(GOOD, median_delay=6 * 3600)
    assert problems(*[GOOD] * 6, late) == {
        "delay grown": "articles are seen 6 h after their publication, usually 30 min"
    }
    assert problems(*[GOOD] * 6, replace(GOOD, median_delay=3 * 3600)) == {}
    assert problems(*[GOOD] * 6, replace(late, delays=2)) == {}


def test_rules_that_are_no_longer_followed_have_rotted() -> None:
    missed = replace(GOOD, rule_misses={"body": 6, "authors": 6})
    assert problems(missed) == {"stale rules": "body was not followed on 6 of 10 articles"}
    assert problems(replace(GOOD, rule_misses={"body": 4, "authors": 8})) == {}
