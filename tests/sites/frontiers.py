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
    sifted = frontier.filter(candidates)
    frontier.queue.add(sifted, {each.url: each.url in known for each in sifted})


def take(frontier: Frontier) -> list[Candidate]:
    """Claim all candidates, and take those that may be fetched."""
    best = frontier.take_best(WINDOW)
    frontier.queue.make_ready(best, {each.url for each in best})
    return frontier.take()
