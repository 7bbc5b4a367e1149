"""Tell when a rule of a site no longer finds its part of the pages: the site has changed, or the rule was wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.newsroom.health.run_windows import SOME_PAGES
from newsextract.newsroom.health.trouble import Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from newsextract.newsroom.health.site_figures import SiteFigures

ROTTEN = {"body": 0.5}
"""The share of articles from which a rule has rotted; every article has a body, but many lack a name or a date."""

ROTTEN_FIELD = 0.9
"""The same for the other rules."""


def rotten_rules(runs: Sequence[SiteFigures]) -> Iterator[Trouble]:
    """Yield a trouble if rules were not followed on most articles of the newest runs; `runs` come oldest first."""
    newest: list[SiteFigures] = []
    articles = 0
    for figures in reversed(runs):
        newest.append(figures)
        articles += figures.articles
        if articles >= SOME_PAGES:
            break
    if articles < SOME_PAGES or not runs[-1].rule_misses:
        return
    missed = {rule: sum(each.rule_misses.get(rule, 0) for each in newest) for rule in sorted(runs[-1].rule_misses)}
    told = [
        f"{rule} was not followed on {count} of {articles} articles"
        for rule, count in missed.items()
        if count >= ROTTEN.get(rule, ROTTEN_FIELD) * articles
    ]
    if told:
        yield Trouble(TroubleKind.RULES, "; ".join(told))
