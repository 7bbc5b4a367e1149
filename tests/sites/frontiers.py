"""Using a frontier as a spider does, without a ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsextract.sites.frontier import WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.sites.article_address import Candidate
    from newsextract.sites.frontier import Frontier


def offer(frontier: Frontier, candidates: Iterable[Candidate], *, known: Iterable[str] = ()) -> None:
    """Add candidates that are due; those at the `known` URLs have been visited before."""
    wanted = frontier.filter(candidates)
    frontier.queue.add(wanted, {each.url: each.url in known for each in wanted})


def take(frontier: Frontier) -> list[Candidate]:
    """Claim all candidates, and take those that may be fetched."""
    best = frontier.queue.take_best(WINDOW, with_links=not frontier.sources.count)
    frontier.queue.make_ready(best, {each.url for each in best})
    return frontier.take()
