"""Judges a site by comparing its newest run with the last ones: what is wrong, what is seen, and what is usual.

Few false alarms matter more than quick ones: nobody reads a warning that comes every day. A site with too few runs is
not judged, and a change that stays becomes the usual once the runs before it are forgotten.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from newsextract.reading.notices import PageState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from newsextract.newsroom.health.figures import Look, SiteFigures, SiteRun

    Count: TypeAlias = Callable[[SiteFigures], int]


_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"))


class ProblemKind(StrEnum):
    """What a site suffers from."""

    SILENT = "silent"
    """No new article for longer than usual, or no links to articles on the front page."""
    BLOCKED = "blocked"
    """The site refuses us."""
    INTERSTITIAL = "interstitial"
    """Its pages have the same text under different headlines."""
    FAILING = "failing"
    """Its pages, feeds and sitemaps cannot be fetched or read."""
    LAYOUT = "layout changed"
    """Articles are no longer found on its pages, or are found in another form than before."""
    DATES = "dates gone"
    """Articles are without a date."""
    DELAY = "delay grown"
    """Articles are seen much later after publication than usual."""
    SUBSCRIPTION = "subscription"
    """The login failed, or pages refuse the subscription."""
    RULES = "stale rules"
    """Rules in the list of sites no longer find their part of the pages."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a site."""

    kind: ProblemKind
    reason: str
    """What is seen, and what is usual."""
    since: datetime | None = None
    """The end of the first of the consecutive runs that met it."""

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


def duration(seconds: float) -> str:
    """Return a duration as people write it.

    >>> duration(93_600), duration(5_400), duration(86_400 * 3), duration(20)
    ('26 h', '1.5 h', '3 d', '20 s')
    """
    for unit, name in _UNITS:
        # 26 hours stay hours, 50 hours become two days.
        if seconds >= unit * (2 if name == "d" else 1):
            count = seconds / unit
            return f"{count:.0f} {name}" if count >= 10 else f"{count:.1f} {name}".replace(".0 ", " ")
    return f"{seconds:.0f} s"


def percent(share: float) -> str:
    """Return a share as a percentage.

    >>> percent(0.925), percent(0.004), percent(0)
    ('92 %', '0.4 %', '0 %')
    """
    return f"{share:.1%}".replace("%", " %") if 0 < share < 0.01 else f"{share:.0%}".replace("%", " %")


SOME_PAGES = 5
"""Pages needed for a judgement; runs with fewer are taken together."""

MIN_RUNS = 5
"""Earlier runs, each with at least one page, needed to say what is usual."""

MIN_PAGES = 20
"""Pages that these must have together: with fewer, one page would be more than a twentieth."""

JUMP = 0.3
"""The least growth of a share that counts: a reader of the site would notice nearly a third of its pages."""

CHANCE = 3e-5
"""The probability of so many pages at the usual share must be below this: there are many sites, shares and runs."""

RARE_RUNS = 0.9
"""The share must be worse than in so many of the runs: some runs, such as those at night, always differ."""


_MISLEADING = frozenset(ProblemKind) - {ProblemKind.SILENT, ProblemKind.RULES}
"""Runs with one of these do not show what is usual; the pages of a silent site, or of one with old rules, still do."""


def _is_usual(run: SiteRun) -> bool:
    """Return whether the pages of a run show what the site's pages are usually like."""
    return _MISLEADING.isdisjoint(run.problems)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How often something holds now, and how often it usually does."""

    count: int
    pages: int
    usual: float
    """The share of the earlier runs."""
    expected: float
    """The same, smoothed: what has never happened is rare, not impossible."""
    worst: float
    """The share that nine in ten of the earlier runs did not exceed."""

    @property
    def share(self) -> float:
        """The share now."""
        return self.count / self.pages

    @property
    def has_jumped(self) -> bool:
        """Whether it holds much more often than usual."""
        if self.share < self.usual + JUMP or self.share <= self.worst:
            return False
        return sum(_chance(count, self.pages, self.expected) for count in range(self.count, self.pages + 1)) < CHANCE


@dataclass(frozen=True, slots=True)
class Window:
    """The newest runs that together have enough pages, and the runs before."""

    newest: Sequence[SiteFigures]
    earlier: Sequence[SiteFigures]

    @classmethod
    def of(cls, runs: Sequence[SiteRun], pages: Count) -> Window | None:
        """Return the window over the runs that had pages, newest last; `None` if there are too few to judge."""
        with_pages = [run for run in runs if pages(run.figures)]
        start, seen = len(with_pages), 0
        while start and seen < SOME_PAGES:
            start -= 1
            seen += pages(with_pages[start].figures)
        earlier = [run.figures for run in with_pages[:start] if _is_usual(run)]
        if seen < SOME_PAGES or len(earlier) < MIN_RUNS or sum(map(pages, earlier)) < MIN_PAGES:
            return None
        return cls([run.figures for run in with_pages[start:]], earlier)

    def compare(self, count: Count, pages: Count) -> Comparison:
        """Compare the share of `count` in `pages` between the newest and the earlier runs."""
        earlier = sum(map(count, self.earlier)), sum(map(pages, self.earlier))
        usual, expected = earlier[0] / earlier[1], (earlier[0] + 1) / (earlier[1] + 2)
        shares = sorted(count(each) / pages(each) for each in self.earlier if pages(each) >= SOME_PAGES)
        worst = shares[int(RARE_RUNS * (len(shares) - 1))] if shares else 0.0
        return Comparison(sum(map(count, self.newest)), sum(map(pages, self.newest)), usual, expected, worst)


def _chance(count: int, pages: int, share: float) -> float:
    """Return the binomial probability of `count` in `pages`, each with the probability `share`.

    >>> round(_chance(2, 4, 0.5), 3)
    0.375
    """
    ways = math.lgamma(pages + 1) - math.lgamma(count + 1) - math.lgamma(pages - count + 1)
    return math.exp(ways + count * math.log(share) + (pages - count) * math.log(1 - share))


# How long a site may go without a new article follows from how long it went without one before.
#
# A run finds the articles since the run before. If it finds n articles, they divide that time into n + 1 parts, and the
# longest silence is taken to be three parts, which holds for most random arrivals. So a site with forty articles a day,
# visited once a day, is reported on the first day without any, and a site with an article a week is not.
#
# Silences count by their length: usual is an age that the newest article does not exceed 99 % of the time. A night is a
# third of a day and a weekend a quarter of a week, even if nights and weekends are few among the gaps of the day.

MIN_FINDS = 6
"""Runs with new articles needed before anything is reported: five silences lie between them."""

USUAL_SHARE = 0.99
"""Share of the time in which the newest article is not older than usual; the rest allows for freak silences."""

LATE_GAPS = 5.0
"""Mean gaps between two articles that a site may be late on top of that, but no more than the usual silence again.

With random arrivals, the usual silence followed by a gap that long happens once in ten thousand runs.
"""

RANDOM_SHARES = 3.0
"""Parts of n + 1 taken as the longest silence, see above: among n random arrivals it is about ln(n) parts."""

SHORTEST = timedelta(hours=3)
"""A shorter silence is a quiet afternoon, or an archive that has been read to its end."""

BEFORE_A_NIGHT = timedelta(hours=16)
WATCHED_A_NIGHT = timedelta(days=2)
"""A site watched for less time may be one that pauses at night."""

BEFORE_A_WEEKEND = timedelta(hours=80)
WATCHED_A_WEEKEND = timedelta(days=9)
"""A site watched for less time may be one that pauses at weekends, from Friday noon to Monday evening."""

SLEEPS = timedelta(hours=6)
"""A site whose newest article is never older than this works at night, and so at weekends."""

_SATURDAY = 5


def unusual_silence(looks: Sequence[Look], now: datetime) -> str | None:
    """Return how long a site has been silent by `now`, if that is unusual; `looks` come oldest first.

    The first find only starts the count: nobody knows how long its articles had been there.
    """
    finds = [number for number, look in enumerate(looks) if look.articles]
    if len(finds) < MIN_FINDS:
        return None
    first, last = looks[finds[0]].date, looks[finds[-1]].date
    watched, age = last - first, now - last
    lengths = [_longest(looks[earlier : later + 1]) for earlier, later in pairwise(finds)]
    mean = watched / sum(looks[number].articles for number in finds[1:])
    usual_age = _usual_age(lengths)
    allowed = max(usual_age + min(LATE_GAPS * mean, usual_age), SHORTEST)
    if watched < WATCHED_A_NIGHT:
        allowed = max(allowed, BEFORE_A_NIGHT)
    if watched < WATCHED_A_WEEKEND and usual_age >= SLEEPS and _touches_weekend(last, now):
        allowed = max(allowed, BEFORE_A_WEEKEND)
    if age <= allowed:
        return None
    return f"no new article for {duration(age.total_seconds())}, usually every {duration(mean.total_seconds())}"


def _longest(gap: Sequence[Look]) -> timedelta:
    """Return the longest silence that the runs from one find to the next allow."""
    found = gap[-1]
    proven = gap[-2].date - gap[0].date
    return proven + (found.date - gap[-2].date) * min(1.0, RANDOM_SHARES / (found.articles + 1))


def _usual_age(lengths: Sequence[timedelta]) -> timedelta:
    """Return the age that the newest article exceeds 1 % of the time."""
    ordered = sorted(lengths, reverse=True)
    budget = sum(lengths, timedelta()) * (1 - USUAL_SHARE)
    beyond = timedelta()
    """The time in which the newest article is older than `length`."""
    for count, (length, shorter) in enumerate(pairwise([*ordered, timedelta()]), start=1):
        step = (length - shorter) * count
        if beyond + step >= budget:
            return length - (budget - beyond) / count
        beyond += step
    return timedelta()


def _touches_weekend(start: datetime, end: datetime) -> bool:
    """Tell whether there is a Saturday or Sunday between two times, in UTC."""
    first, last = start.astimezone(UTC).date(), end.astimezone(UTC).date()
    return any((first + timedelta(days)).weekday() >= _SATURDAY for days in range((last - first).days + 1))


STALE = {"body": 0.5}
"""The share of articles from which a rule is stale; every article has a body, but many lack a name or a date."""

STALE_FIELD = 0.9
"""The same for the other rules."""


def stale_rules(runs: Sequence[SiteRun]) -> Iterator[Problem]:
    """Yield a problem if rules were not followed on most articles of the newest runs; `runs` come oldest first."""
    newest: list[SiteFigures] = []
    for run in reversed(runs):
        newest.append(run.figures)
        articles = sum(each.articles for each in newest)
        if articles >= SOME_PAGES:
            break
    else:
        return
    missed = {rule: sum(each.rule_misses.get(rule, 0) for each in newest) for rule in sorted(newest[0].rule_misses)}
    told = [
        f"{rule} was not followed on {count} of {articles} articles"
        for rule, count in missed.items()
        if count >= STALE.get(rule, STALE_FIELD) * articles
    ]
    if told:
        yield Problem(ProblemKind.RULES, "; ".join(told))


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


def judge(runs: Sequence[SiteRun], looks: Sequence[Look]) -> tuple[Problem, ...]:
    """Return what is wrong with a site at the end of the last of `runs`, which come oldest first.

    `looks` are the times when runs, the last one included, looked for new articles. They reach further back than
    `runs`, as silences are long.
    """
    now = runs[-1].figures
    at_once = [Problem(ProblemKind.SUBSCRIPTION, now.subscription)] if now.subscription else []
    if now.interstitials:
        pages = f"{now.interstitials} of {now.pages} pages have the same text under different headlines"
        at_once.append(Problem(ProblemKind.INTERSTITIAL, f"{pages}: a paywall or a notice"))
    if refused := tuple(_refused(runs)):
        return (*at_once, *refused)  # what cannot be fetched tells nothing else
    return (*at_once, *_silent(runs, looks), *_changed(runs), *_late(runs), *stale_rules(runs))


def _silent(runs: Sequence[SiteRun], looks: Sequence[Look]) -> Iterator[Problem]:
    now = runs[-1].figures
    if now.new:
        return
    if now.is_whole and (found := unusual_silence(looks, runs[-1].date)):
        yield Problem(ProblemKind.SILENT, found + _causes(now))
    else:
        yield from _bare_front(runs)


def _bare_front(runs: Sequence[SiteRun]) -> Iterator[Problem]:
    """Yield a problem if the front page has lost its links to articles, however long ago the last new article was."""
    links: list[int] = []
    usual: list[int] = []
    for run in runs:
        # If a front page has not changed or was not due, its last count still holds.
        known = run.figures.front_links
        if known is not None or links:
            links.append(links[-1] if known is None else known)
            usual += [] if ProblemKind.SILENT in run.problems or run is runs[-1] else links[-1:]
    if len(usual) < MIN_RUNS:
        return
    usual.sort()
    fewest = usual[len(usual) // 10]
    if fewest >= FRONT_LINKS and links[-1] <= FEW * fewest:
        now = f"{links[-1] or 'no'} article{'s' if links[-1] > 1 else ''}"
        median = round(statistics.median(usual))
        yield Problem(ProblemKind.SILENT, f"the front page links to {now}, usually to {median}")


def _refused(runs: Sequence[SiteRun]) -> Iterator[Problem]:
    now = runs[-1].figures
    window = Window.of(runs, lambda each: each.asked)
    if window is None or not now.failed:
        return
    blocked = window.compare(lambda each: each.blocked, lambda each: each.asked)
    failed = window.compare(lambda each: each.failed, lambda each: each.asked)
    if blocked.has_jumped:
        yield Problem(ProblemKind.BLOCKED, _told("pages are refused", blocked) + _causes(now))
    elif failed.has_jumped and failed.share >= MOSTLY:
        yield Problem(ProblemKind.FAILING, _told("pages, feeds and sitemaps fail", failed) + _causes(now))
    elif _is_down(runs, window):
        kind = ProblemKind.BLOCKED if now.blocked else ProblemKind.FAILING
        usually = percent(sum(map(_has_failed, window.earlier)) / len(window.earlier))
        yield Problem(kind, f"nothing can be fetched{_causes(now)}, which is so in {usually} of its runs")


def _is_down(runs: Sequence[SiteRun], window: Window) -> bool:
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


def _changed(runs: Sequence[SiteRun]) -> Iterator[Problem]:
    reasons: list[str] = []
    if window := Window.of(runs, lambda each: each.read):
        barren = window.compare(lambda each: each.barren, lambda each: each.read)
        if barren.has_jumped:
            reasons.append(_told("pages hold no article", barren))
    if window := Window.of(runs, lambda each: each.articles):
        undated = window.compare(lambda each: each.undated, lambda each: each.articles)
        if undated.has_jumped:
            yield Problem(ProblemKind.DATES, _told("articles are without a date", undated))
        reasons += _changes(window)
    if reasons:
        yield Problem(ProblemKind.LAYOUT, "; ".join(reasons))


def _changes(window: Window) -> Iterator[str]:
    """Yield what has changed in the articles that are found."""
    compared = {
        "articles are without an author": window.compare(lambda each: each.unsigned, lambda each: each.articles),
        "articles are without a headline": window.compare(lambda each: each.untitled, lambda each: each.articles),
    }
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


def _late(runs: Sequence[SiteRun]) -> Iterator[Problem]:
    now = runs[-1].figures
    usual = sorted(
        run.figures.median_delay for run in runs[:-1] if _is_usual(run) and run.figures.median_delay is not None
    )
    if len(usual) < MIN_RUNS or now.median_delay is None or now.delays < SOME_PAGES:
        return
    median, seen, worst = statistics.median(usual), now.median_delay, usual[-1 - len(usual) // 10]
    if seen > worst and seen >= median * DELAY_TIMES and seen >= median + DELAY_SECONDS:
        reason = f"articles are seen {duration(seen)} after their publication, usually {duration(median)}"
        yield Problem(ProblemKind.DELAY, reason)


def _told(what: str, found: Comparison) -> str:
    return f"{found.count} of {found.pages} {what}, usually {percent(found.usual)}"
