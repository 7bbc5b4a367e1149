"""Judge a site by comparing its newest run with the last ones: what is wrong, what is seen, and what is usual.

Few false alarms matter more than quick ones: nobody reads a warning that comes every day. A site with too few runs is
not judged, and a change that stays becomes the usual once the runs before it are forgotten.
"""

from __future__ import annotations

import statistics
from datetime import timedelta
from typing import TYPE_CHECKING

from newsextract.newsroom.health.rotten_rules import rotten_rules
from newsextract.newsroom.health.run_windows import MIN_RUNS, SOME_PAGES, Window
from newsextract.newsroom.health.silence import silence
from newsextract.newsroom.health.trouble import Trouble, TroubleKind, duration, percent
from newsextract.reading.page_state import PageState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.newsroom.health.run_windows import Comparison, PastRun
    from newsextract.newsroom.health.silence import Silence
    from newsextract.newsroom.health.site_figures import SiteFigures
    from newsextract.storage.ledger.site_runs import Look

MOSTLY = 0.6
"""The share of requests to a site that must fail: half may be one host of two, or a feed in a quiet run."""

SELDOM = 0.1
"""A site that is down in more than this share of its runs is often down, which is not reported."""

LONG_PAUSE = timedelta(hours=6)
"""If the run before is more recent, a site that does not answer gets another run: most are down for minutes."""

MANY_TIMES = 2.0
"""The median length of articles must halve or double: smaller changes are normal."""

DELAY_TIMES, DELAY_SECONDS = 4.0, 3 * 3600
"""How much later articles must be seen: one run a day fewer can double the delay, and minutes do not matter."""

FRONT_LINKS = 5
"""Fewest links to articles on a front page that can be judged; one with fewer has another purpose."""

FEW = 0.1
"""The share of its links that a front page may keep and still count as bare: one or two in a frame or menu."""

_PARTS = ("body", "date", "author")


def judge(runs: Sequence[PastRun], looks: Sequence[Look]) -> tuple[Trouble, ...]:
    """Return what is wrong with a site at the end of the last of `runs`, which come oldest first.

    `looks` are the times when runs, the last one included, looked for new articles. They reach further back than
    `runs`, as silences are long.
    """
    walled = (*_unsubscribed(runs[-1].figures), *_walled(runs[-1].figures))
    if refused := tuple(_refused(runs)):
        return (*walled, *refused)  # what cannot be fetched tells nothing else
    rotten = rotten_rules([run.figures for run in runs])
    return (*walled, *_silent(runs, looks), *_changed(runs), *_late(runs), *rotten)


def _unsubscribed(now: SiteFigures) -> Iterator[Trouble]:
    """Yield a trouble if the subscription does not work, which a person has to see to."""
    if now.subscription:
        yield Trouble(TroubleKind.SUBSCRIPTION, now.subscription)


def _walled(now: SiteFigures) -> Iterator[Trouble]:
    """Yield a trouble if pages show a wall, which is never usual: no earlier run is needed to recognise one."""
    if now.walled:
        pages = f"{now.walled} of {now.pages} pages have"
        yield Trouble(TroubleKind.WALL, f"{pages} the same text as others under another headline: a wall or a notice")


def _silent(runs: Sequence[PastRun], looks: Sequence[Look]) -> Iterator[Trouble]:
    now = runs[-1].figures
    if now.new:
        return
    found = silence(looks, runs[-1].date)
    if now.is_whole and found is not None and found.is_unusual:
        yield Trouble(TroubleKind.SILENT, _silence_text(found) + _causes(now))
        return
    yield from _bare_front(runs)


def _bare_front(runs: Sequence[PastRun]) -> Iterator[Trouble]:
    """Yield a trouble if the front page has lost its links to articles, however long ago the last new article was."""
    links: list[int] = []
    usual: list[int] = []
    for run in runs:
        # If a front page has not changed or was not due, its last count still holds.
        known = run.figures.front_links
        if known is not None or links:
            links.append(links[-1] if known is None else known)
            usual += [] if TroubleKind.SILENT in run.troubles or run is runs[-1] else links[-1:]
    if len(usual) < MIN_RUNS:
        return
    usual.sort()
    fewest = usual[len(usual) // 10]
    if fewest >= FRONT_LINKS and links[-1] <= FEW * fewest:
        now = f"{links[-1] or 'no'} article{'s' if links[-1] > 1 else ''}"
        median = round(statistics.median(usual))
        yield Trouble(TroubleKind.SILENT, f"the front page links to {now}, usually to {median}")


def _silence_text(found: Silence) -> str:
    age, usual = duration(found.age.total_seconds()), duration(found.usual.total_seconds())
    return f"no new article for {age}, usually every {usual}"


def _refused(runs: Sequence[PastRun]) -> Iterator[Trouble]:
    now = runs[-1].figures
    window = Window.of(runs, lambda each: each.asked)
    if window is None or not now.failed:
        return
    blocked = window.compare(lambda each: each.blocked, lambda each: each.asked)
    failed = window.compare(lambda each: each.failed, lambda each: each.asked)
    if blocked.has_jumped:
        yield Trouble(TroubleKind.BLOCKED, _told("pages are refused", blocked) + _causes(now))
    elif failed.has_jumped and failed.share >= MOSTLY:
        yield Trouble(TroubleKind.FAILING, _told("pages, feeds and sitemaps fail", failed) + _causes(now))
    elif _is_down(runs, window):
        kind = TroubleKind.BLOCKED if now.blocked else TroubleKind.FAILING
        usually = percent(sum(map(_has_failed, window.earlier)) / len(window.earlier))
        yield Trouble(kind, f"nothing can be fetched{_causes(now)}, which is so in {usually} of its runs")


def _is_down(runs: Sequence[PastRun], window: Window) -> bool:
    """Tell whether a site that is seldom down is down now, judged by a run with few requests."""
    if not _has_failed(runs[-1].figures) or sum(map(_has_failed, window.earlier)) > SELDOM * len(window.earlier):
        return False
    return _has_failed(runs[-2].figures) or runs[-1].date - runs[-2].date >= LONG_PAUSE


def _has_failed(figures: SiteFigures) -> bool:
    return 0 < figures.asked == figures.failed


def _causes(now: SiteFigures) -> str:
    """Return why pages could not be fetched, in parentheses, or an empty string."""
    reasons = [reason for reason in now.reasons if reason.startswith((PageState.BLOCKED, PageState.ERROR))]
    return f" ({', '.join(reasons)})" if reasons else ""


def _changed(runs: Sequence[PastRun]) -> Iterator[Trouble]:
    reasons: list[str] = []
    if window := Window.of(runs, lambda each: each.read):
        barren = window.compare(lambda each: each.barren, lambda each: each.read)
        if barren.has_jumped:
            reasons.append(_told("pages hold no article", barren))
    if window := Window.of(runs, lambda each: each.articles):
        undated = window.compare(lambda each: each.undated, lambda each: each.articles)
        if undated.has_jumped:
            yield Trouble(TroubleKind.DATES, _told("articles are without a date", undated))
        reasons += _changes(window)
    if reasons:
        yield Trouble(TroubleKind.LAYOUT, "; ".join(reasons))


def _changes(window: Window) -> Iterator[str]:
    """Yield what has changed in the articles that are found."""
    compared = {
        "articles are without an author": window.compare(lambda each: each.unsigned, lambda each: each.articles),
        "articles are without a headline": window.compare(lambda each: each.untitled, lambda each: each.articles),
        "articles are of low confidence": window.compare(lambda each: each.unsure, lambda each: each.articles),
        "articles have another layout": window.compare(lambda each: each.layout_changes, lambda each: each.articles),
    }
    for part in _PARTS:
        compared[f"articles have the {part} elsewhere"] = window.compare(
            lambda each, part=part: each.misplaced.get(part, 0),  # type: ignore[misc]  # mypy infers no defaults
            lambda each: each.articles,
        )
    yield from (_told(what, found) for what, found in compared.items() if found.has_jumped)
    yield from _lengths(window)


def _lengths(window: Window) -> Iterator[str]:
    usual = [each.median_words for each in window.earlier if each.median_words is not None]
    now = [(each.median_words, each.articles) for each in window.newest if each.median_words is not None]
    if not usual or not now:
        return
    median = statistics.median(usual)
    seen = sum(words * articles for words, articles in now) / sum(articles for _, articles in now)
    usual.sort()
    low, high = usual[len(usual) // 10], usual[-1 - len(usual) // 10]
    if (seen * MANY_TIMES <= median and seen < low) or (seen >= median * MANY_TIMES and seen > high):
        yield f"articles have {seen:.0f} words, usually {median:.0f}"


def _late(runs: Sequence[PastRun]) -> Iterator[Trouble]:
    now = runs[-1].figures
    usual = sorted(
        run.figures.median_delay for run in runs[:-1] if run.is_usual and run.figures.median_delay is not None
    )
    if len(usual) < MIN_RUNS or now.median_delay is None or now.delays < SOME_PAGES:
        return
    median, seen, worst = statistics.median(usual), now.median_delay, usual[-1 - len(usual) // 10]
    if seen > worst and seen >= median * DELAY_TIMES and seen >= median + DELAY_SECONDS:
        reason = f"articles are seen {duration(seen)} after their publication, usually {duration(median)}"
        yield Trouble(TroubleKind.DELAY, reason)


def _told(what: str, found: Comparison) -> str:
    return f"{found.count} of {found.pages} {what}, usually {percent(found.usual)}"
