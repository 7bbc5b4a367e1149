"""How much of the browser each site gets in a run, and whether that has been worth it."""

from __future__ import annotations

from dataclasses import dataclass, field

LEAST_TRIED = 8
"""Rendered pages without a single article, this run's and those of the days before, after which `auto` gives up."""

REMEMBERED_DAYS = 7.0
"""After that a site is tried anew."""


@dataclass
class SiteBudget:
    """What is left for one site, and what has become of it."""

    pages: int
    seconds: float
    tried: int = 0
    """Pages that were rendered in vain; of days before, all that were rendered."""
    articles: int = 0

    @property
    def has_left(self) -> bool:
        """Whether another page may be rendered."""
        return self.pages > 0 and self.seconds > 0

    @property
    def is_worth_it(self) -> bool:
        """Whether rendering has led to articles, or has not been tried enough.

        >>> SiteBudget(9, 9, tried=7).is_worth_it, SiteBudget(9, 9, tried=8).is_worth_it
        (True, False)
        >>> SiteBudget(9, 9, tried=80, articles=1).is_worth_it
        True
        """
        return self.articles > 0 or self.tried < LEAST_TRIED


@dataclass
class RenderBudget:
    """The budgets of all sites."""

    pages: int
    seconds: float
    sites: dict[str, SiteBudget] = field(default_factory=dict)

    def of(self, site: str) -> SiteBudget:
        """Return the budget of a site."""
        return self.sites.setdefault(site, SiteBudget(self.pages, self.seconds))
