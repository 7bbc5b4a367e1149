"""The links of home and section pages: followed to sections, feeds, and pages that may be articles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from newsextract.crawl.extensions.page_states import front_read
from newsextract.crawl.spiders.ledger_findings import of_listing
from newsextract.crawl.spiders.listing_links import likely_articles
from newsextract.crawl.visit import note, visit_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request
    from scrapy.signalmanager import SignalManager

    from newsextract.crawl.readers import Survey
    from newsextract.crawl.spiders.next_visits import NextVisits
    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.crawl.spiders.source_reading import SourceReading
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.page.links import Link
    from newsextract.sites.frontier import Frontier


@dataclass(frozen=True)
class FollowedLinks:
    """Turns the links of a page into requests and candidates."""

    signals: SignalManager
    ledger: SpiderLedger
    make: RequestMaker
    sources: SourceReading
    next_visits: NextVisits

    async def requests(self, survey: Survey, request: Request, frontier: Frontier) -> list[Request]:
        """Return the requests for the links of a page that are to be followed."""
        depth = visit_of(request).finding.depth
        if depth == 0:
            self._note_front(survey.links, frontier)
        requests = await self.sources.requests("feeds", survey.feeds if depth == 0 else (), frontier)
        new = 0
        if frontier.uses("links"):
            listings, candidates = frontier.sort_links(survey.links, depth + 1)
            due = await self.ledger.admit([of_listing(link.url, frontier.site, depth + 1) for link in listings])
            # A link that looks like a section may be an article, and two runs must not both fetch it.
            claimed = await self.ledger.claim(due)
            requests += [self.make.listing(url, frontier.site, depth + 1) for url in due if url in claimed]
            new = sum(not is_revisit for is_revisit in due.values())
            new += await self.next_visits.add(candidates, frontier)
        note(request, found_new=bool(new))
        await self.next_visits.claim(frontier)
        return [*requests, *self.next_visits.requests(frontier)]

    def _note_front(self, links: Iterable[Link], frontier: Frontier) -> None:
        """Signal how many articles a front page links to, whether seen before or not."""
        likely = likely_articles(links, frontier)
        self.signals.send_catch_log(front_read, site=frontier.site, links=len(likely))
