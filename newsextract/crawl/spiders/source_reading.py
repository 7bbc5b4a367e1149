"""The sitemaps and feeds of the sites: requests those due, reads them, and adds their candidates to the frontiers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.crawl.extensions.page_states import source_ended
from newsextract.crawl.futures import answer_of
from newsextract.crawl.middlewares.left_hosts import LeftToNextRun
from newsextract.crawl.spiders.fetch_failures import end_of_failure, message_of, reason_of_failure
from newsextract.crawl.spiders.ledger_findings import of_source
from newsextract.crawl.visit import note, note_received, request_of, visit_of
from newsextract.page.urls import same_owner
from newsextract.processes.pool import Unanswered
from newsextract.sites.sitemaps import SitemapLink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from newsextract.crawl.readers import Readers, SiteFile
    from newsextract.crawl.spiders.next_visits import NextVisits
    from newsextract.crawl.spiders.request_making import RequestMaker
    from newsextract.crawl.spiders.spider_ledger import SpiderLedger
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.frontier import Frontier

logger = logging.getLogger(__name__)

Kind: TypeAlias = Literal["feeds", "sitemaps"]


@dataclass(frozen=True)
class SourceReading:
    """Reads sitemaps and feeds; counts and skips those that cannot be read."""

    crawler: Crawler
    ledger: SpiderLedger
    make: RequestMaker
    readers: Readers
    next_visits: NextVisits

    async def requests(self, kind: Kind, urls: Iterable[str], frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps or feeds that are wanted, due, and not requested yet."""
        if not frontier.uses(kind) or frontier.is_full:
            return []
        due = await self._due(kind, [SitemapLink(url) for url in urls], frontier)
        # Some sites name one of their pages as a feed: it is fetched once, in the role in which it was found first.
        wanted = [url for url in due if frontier.claim(url) and frontier.sources.open(url)]
        return [self.make.source(kind, url, frontier.site) for url in wanted]

    async def read_sitemap(self, response: Response, frontier: Frontier) -> None:
        """Queue the sitemaps of an index, newest first; add the candidates of any other sitemap."""
        try:
            found = await self._entries(response, frontier, self.readers.read_sitemap)
            new = await self._add(found, frontier)
            links = [entry for entry in found if isinstance(entry, SitemapLink)]
            due = await self._due("sitemaps", links, frontier)
            frontier.sources.add_sitemaps((link for link in links if link.url in due), frontier.since)
            self.ledger.source_read(note(request_of(response), found_new=bool(new or due)))
        finally:
            await self.next_visits.close_source(frontier)

    async def read_feed(self, response: Response, frontier: Frontier) -> None:
        """Add the candidates of a feed."""
        try:
            # What another site's feed says of this site's pages is a claim, and no text of theirs.
            home = frontier.definition.home if frontier.definition else f"https://{frontier.site}/"
            speaks_for_it = frontier.holds(response.url) or same_owner(response.url, home)
            read = partial(self.readers.read_feed, with_texts=self.next_visits.texts is not None and speaks_for_it)
            new = await self._add(await self._entries(response, frontier, read), frontier)
            self.ledger.source_read(note(request_of(response), found_new=bool(new)))
        finally:
            await self.next_visits.close_source(frontier)

    async def go_on_without(self, failure: Failure, request: Request, frontier: Frontier) -> None:
        """Record a sitemap or feed that could not be fetched, and continue."""
        reason = reason_of_failure(failure, request)
        self.note_unread(request.url, reason, message_of(failure))
        self._note_end(frontier, reason)
        if not isinstance(failure.value, LeftToNextRun):
            self.ledger.source_failed(visit_of(request), end_of_failure(failure, request))
        await self.next_visits.close_source(frontier)

    def note_unread(self, url: str, reason: str, error: object) -> None:
        """Count a file that could not be read, or not to its end."""
        self.crawler.stats.inc_value("newsextract/sources/unread")
        self.crawler.stats.inc_value(f"newsextract/sources/unread/{reason}")
        logger.info("cannot read %s: %s", url, error)

    def _note_end(self, frontier: Frontier, reason: str) -> None:
        self.crawler.signals.send_catch_log(source_ended, site=frontier.site, reason=reason)

    async def _add(self, entries: Iterable[Candidate | SitemapLink], frontier: Frontier) -> int:
        candidates = (entry for entry in entries if not isinstance(entry, SitemapLink))
        return await self.next_visits.add(candidates, frontier)

    async def _due(self, kind: Kind, links: Iterable[SitemapLink], frontier: Frontier) -> dict[str, bool]:
        return await self.ledger.admit([of_source(kind, link.url, frontier.site, link.lastmod) for link in links])

    async def _entries(
        self, response: Response, frontier: Frontier, read: Callable[[bytes, str], Future[SiteFile]]
    ) -> tuple[Candidate | SitemapLink, ...]:
        """Return the entries of a file, an empty list if it is unchanged; count an error that stopped the reading."""
        self.crawler.stats.inc_value("newsextract/sources/read")
        if note_received(response).is_unchanged:
            # Known from earlier runs, so this cannot become an endless chain.
            frontier.guard.sources_without_find = 0
            self._note_end(frontier, "")
            return ()
        try:
            found = await answer_of(read(response.body, response.url))
        except Unanswered as error:
            self.note_unread(response.url, error.reason, error)
            self._note_end(frontier, error.reason)
            return ()
        if found.trouble is not None:
            self.note_unread(response.url, found.trouble.reason, found.trouble)
        self._note_end(frontier, found.trouble.reason if found.trouble else "")
        return found.entries
