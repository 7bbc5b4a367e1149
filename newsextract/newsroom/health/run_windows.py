"""Compare the newest runs of a site with those before: how often something holds now, and how often usually."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from newsextract.newsroom.health.trouble import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from newsextract.newsroom.health.site_figures import SiteFigures

    Count: TypeAlias = Callable[[SiteFigures], int]

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


_MISLEADING = frozenset(TroubleKind) - {TroubleKind.SILENT, TroubleKind.RULES}
"""Runs with one of these do not show what is usual; the pages of a silent site, or of one with old rules, still do."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run's figures for a site, and what was found wrong then."""

    date: datetime
    figures: SiteFigures
    troubles: tuple[str, ...] = ()

    @property
    def is_usual(self) -> bool:
        """Whether its pages show what the site's pages are usually like."""
        return _MISLEADING.isdisjoint(self.troubles)


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
    def of(cls, runs: Sequence[PastRun], pages: Count) -> Window | None:
        """Return the window over the runs that had pages, newest last; `None` if there are too few to judge."""
        with_pages = [run for run in runs if pages(run.figures)]
        start, seen = len(with_pages), 0
        while start and seen < SOME_PAGES:
            start -= 1
            seen += pages(with_pages[start].figures)
        earlier = [run.figures for run in with_pages[:start] if run.is_usual]
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
