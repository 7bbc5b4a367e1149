"""What to visit next on a site: records candidates in the ledger, claims those due, and makes their requests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from newsextract.crawl.spiders.ledger_findings import candidate_of, of_candidate
from newsextract.crawl.spiders.spider_ledger import MOST_PENDING
from newsextract.storage.ledger.ledger import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from scrapy import Request

    from newsextract.crawl.extensions.waiting_texts import WaitingTexts
    from newsextract.crawl.spiders.request_making import RequestMaker, RequestSender
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.frontier import Frontier
    from newsextract.storage.ledger.ledger import Entry

READY = 32
"""Candidates claimed at once, ahead of time: half a window."""


@dataclass(frozen=True)
class NextVisits:
    """Fills frontiers with candidates that are due, and sends requests for the best of them."""

    ledger: SpiderLedger
    make: RequestMaker
    sender: RequestSender
    texts: WaitingTexts | None = None
    """Keeps what feeds have of the articles until their pages were visited; `None` if that is not wanted."""

    async def add(self, candidates: Iterable[Candidate], frontier: Frontier) -> int:
        """Add the candidates that are due to the frontier, their texts aside; return how many were new."""
        entries: dict[str, bytes] = {}
        sifted = frontier.sift(_apart(candidates, entries))
        too_old, frontier.too_old = frontier.too_old, []
        due = await self.ledger.admit([of_candidate(each, frontier.site) for each in (*sifted, *too_old)])
        frontier.queue.add(sifted, due)
        for url, entry in entries.items():
            if self.texts is not None and frontier.queue.is_to_visit(url) and self.ledger.may_stand_in(url):
                self.texts.keep(url, entry)
        return sum(not due.get(each.url, True) for each in sifted)

    def remember(self, entries: Sequence[Entry], frontier: Frontier) -> bool:
        """Add candidates of earlier runs to the frontier; return whether any was new to it."""
        frontier.may_have_more = len(entries) >= MOST_PENDING
        sifted = frontier.sift(candidate_of(entry) for entry in entries)
        frontier.queue.add(sifted, {candidate.url: candidate.is_revisit for candidate in sifted})
        return bool(sifted)

    async def claim(self, frontier: Frontier) -> None:
        """Claim candidates that no other run has claimed, until enough are ready."""
        while frontier.queue.ready_count < READY // 2:
            if next_ones := frontier.take_best(READY):
                claimed: set[str] = set()
                try:
                    claimed = await self.ledger.claim([each.url for each in next_ones])
                finally:  # unclaimed candidates stay in the ledger
                    frontier.queue.make_ready(next_ones, claimed)
            elif not frontier.may_have_more or frontier.queue.is_waiting:
                return
            else:
                (entries,) = await self.ledger.pending([frontier.site], Role.ARTICLE)
                if not self.remember(entries, frontier):
                    frontier.may_have_more = False

    def requests(self, frontier: Frontier) -> list[Request]:
        """Return the requests for the candidates to fetch now; if there are none, for a sitemap that may list some."""
        return [self.make.candidate(each, frontier) for each in frontier.take()] or self.sitemaps(frontier)

    def sitemaps(self, frontier: Frontier) -> list[Request]:
        """Return the requests for those sitemaps of an index that are read next."""
        while links := frontier.take_sitemaps():
            if opened := [link.url for link in links if frontier.sources.open(link.url)]:
                return [self.make.source("sitemaps", url, frontier.site) for url in opened]
        return []

    def send(self, frontier: Frontier) -> None:
        """Send the requests for what to fetch now."""
        self.sender.send(self.requests(frontier))

    async def claim_and_send(self, frontier: Frontier) -> None:
        """Claim candidates, and send the requests for what to fetch now."""
        await self.claim(frontier)
        self.send(frontier)

    async def close_source(self, frontier: Frontier) -> None:
        """Close a sitemap or feed that was read or has failed, and send the next requests."""
        # Before closing the source, so that candidates from links still wait for the sitemaps of an index.
        nested = self.sitemaps(frontier)
        frontier.sources.close()
        await self.claim(frontier)
        self.sender.send([*nested, *self.requests(frontier)])


def _apart(candidates: Iterable[Candidate], entries: dict[str, bytes]) -> Iterator[Candidate]:
    """Yield the candidates without their entries, which are put aside by URL."""
    for candidate in candidates:
        if candidate.entry is not None:
            entries[candidate.url] = candidate.entry
            yield replace(candidate, entry=None)
        else:
            yield candidate
