"""The sitemaps and feeds of the sites: asked for when they are due, read, and their candidates given to frontiers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from newsextract.crawl.extensions.page_states import SITE, front_read, source_ended
from newsextract.crawl.futures import answer_of
from newsextract.crawl.spiders.conditional_requests import has_changed, note_answer
from newsextract.crawl.spiders.ledger_findings import candidate_of, of_candidate, of_source
from newsextract.crawl.spiders.spider_ledger import MOST_PENDING
from newsextract.crawl.workers.worker_answers import Unanswered
from newsextract.page.urls.page_links import ARTICLE_THRESHOLD, article_likeness
from newsextract.sites.published.sitemaps import SitemapLink
from newsextract.storage.ledger.ledger_rows import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.crawl.spiders.news import NewsSpider
    from newsextract.crawl.workers.worker_answers import SiteFile
    from newsextract.page.urls.page_links import Link
    from newsextract.sites.frontier.candidate import Candidate
    from newsextract.sites.frontier.frontier import Frontier
    from newsextract.storage.ledger.ledger_rows import Entry

logger = logging.getLogger(__name__)

Kind: TypeAlias = Literal["feeds", "sitemaps"]

READY = 32
"""Candidates that are claimed at once, ahead of their turn: a window's half."""


@dataclass(frozen=True)
class Sources:
    """Reads the files in which sites name their articles; one that cannot be read is noted and left."""

    spider: NewsSpider

    async def requests(self, kind: Kind, links: Iterable[SitemapLink], frontier: Frontier) -> list[Request]:
        """Return the requests for those sitemaps or feeds that are wanted, due, and not asked for yet."""
        if not self.spider.limits[frontier.site].uses(kind) or frontier.is_full:
            return []
        due = await self._due(kind, links, frontier)
        return [self.spider.requests.source(kind, url, frontier.site) for url in due if frontier.sources.open(url)]

    async def add(self, candidates: Iterable[Candidate], frontier: Frontier) -> int:
        """Give the frontier those candidates that are due; return how many the site had not been known to have."""
        sifted = frontier.sift(candidates)
        too_old, frontier.too_old = frontier.too_old, []
        due = await self.spider.book.admit([of_candidate(each, frontier.site) for each in (*sifted, *too_old)])
        frontier.queue.add(sifted, due)
        return sum(not due.get(each.url, True) for each in sifted)

    def remember(self, entries: Sequence[Entry], frontier: Frontier) -> bool:
        """Give the frontier candidates of earlier runs; tell whether there was any that it had not met."""
        frontier.may_have_more = len(entries) >= MOST_PENDING
        sifted = frontier.sift(candidate_of(entry) for entry in entries)
        frontier.queue.add(sifted, {candidate.url: candidate.is_revisit for candidate in sifted})
        return bool(sifted)

    async def claim(self, frontier: Frontier) -> None:
        """Have candidates ready whose visit no other run is about to make."""
        while frontier.queue.ready_count < READY // 2:
            if next_ones := frontier.take_best(READY):
                claimed: set[str] = set()
                try:
                    claimed = await self.spider.book.claim([each.url for each in next_ones])
                finally:  # what could not be claimed is in the ledger all the same
                    frontier.queue.make_ready(next_ones, claimed)
            elif not frontier.may_have_more or frontier.queue.is_waiting:
                return
            else:
                (entries,) = await self.spider.book.pending([frontier.site], Role.CANDIDATE)
                if not self.remember(entries, frontier):
                    frontier.may_have_more = False

    def next_requests(self, frontier: Frontier) -> list[Request]:
        """Return the requests for the candidates to fetch now; if there are none, for a sitemap that may hold some."""
        make = self.spider.requests.candidate
        candidates = [make(each, frontier.site, frontier.hints_of(each.url)) for each in frontier.take()]
        if candidates:
            return candidates
        return self.next_sitemaps(frontier)

    async def read_sitemap(self, response: Response, frontier: Frontier) -> None:
        """Follow an index to its sitemaps, the newest first; take in the candidates of the others."""
        try:
            found = await self._entries(response, frontier, self.spider.readers.read_sitemap)
            new = await self.add((entry for entry in found if not isinstance(entry, SitemapLink)), frontier)
            links = [entry for entry in found if isinstance(entry, SitemapLink)]
            due = await self._due("sitemaps", links, frontier)
            frontier.sources.add_sitemaps((link for link in links if link.url in due), frontier.since)
            self.spider.book.source_read(response, is_changed=bool(new or due))
        finally:
            await self.close(frontier)

    async def read_feed(self, response: Response, frontier: Frontier) -> None:
        """Take in the entries of a feed."""
        try:
            found = await self._entries(response, frontier, self.spider.readers.read_feed)
            new = await self.add((entry for entry in found if not isinstance(entry, SitemapLink)), frontier)
            self.spider.book.source_read(response, is_changed=bool(new))
        finally:
            await self.close(frontier)

    async def close(self, frontier: Frontier) -> None:
        """Go on after a sitemap or feed that was read, or could not be."""
        # Before it is closed, so that the candidates from links go on waiting for the sitemaps of an index.
        nested = self.next_sitemaps(frontier)
        frontier.sources.close()
        await self.claim(frontier)
        self.spider.outbox.send([*nested, *self.next_requests(frontier)])

    def note_unread(self, url: str, reason: str, error: object) -> None:
        """Count a file that could not be read, or not to its end."""
        self.spider.crawler.stats.inc_value("newsextract/sources/unread")
        self.spider.crawler.stats.inc_value(f"newsextract/sources/unread/{reason}")
        logger.info("cannot read %s: %s", url, error)

    def note_failure(self, request: Request, reason: str, error: object) -> None:
        """Note a sitemap or feed that could not be fetched."""
        self.note_unread(request.url, reason, error)
        self._note_end(request.meta[SITE], reason)

    def note_front(self, links: Iterable[Link], frontier: Frontier) -> None:
        """Tell how many articles a front page links to, met before or not."""
        likely = {
            link.url
            for link in links
            if frontier.holds(link.url) and article_likeness(link.url, link.text) >= ARTICLE_THRESHOLD
        }
        signals = self.spider.crawler.signals
        signals.send_catch_log(front_read, site=frontier.site, links=len(likely))

    def _note_end(self, site: str, reason: str) -> None:
        self.spider.crawler.signals.send_catch_log(source_ended, site=site, reason=reason)

    async def _due(self, kind: Kind, links: Iterable[SitemapLink], frontier: Frontier) -> dict[str, bool]:
        findings = [of_source(kind, link.url, frontier.site, link.lastmod) for link in links]
        return await self.spider.book.admit(findings)

    def next_sitemaps(self, frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps of an index that are to be read now."""
        while links := frontier.take_sitemaps():
            if opened := [link.url for link in links if frontier.sources.open(link.url)]:
                return [self.spider.requests.source("sitemaps", url, frontier.site) for url in opened]
        return []

    async def _entries(
        self, response: Response, frontier: Frontier, read: Callable[[bytes, str], Future[SiteFile]]
    ) -> tuple[Candidate | SitemapLink, ...]:
        """Return what a worker finds in a file, nothing in one that is as it was; what keeps it from more is noted."""
        note_answer(response)
        self.spider.crawler.stats.inc_value("newsextract/sources/read")
        if not has_changed(response):
            # Known from before, and so no step on a way without end.
            frontier.guard.sources_without_find = 0
            self._note_end(frontier.site, "")
            return ()
        try:
            found = await answer_of(read(response.body, response.url))
        except Unanswered as error:
            self.note_unread(response.url, error.reason, error)
            self._note_end(frontier.site, error.reason)
            return ()
        if found.trouble is not None:
            self.note_unread(response.url, found.trouble.reason, found.trouble)
        self._note_end(frontier.site, found.trouble.reason if found.trouble else "")
        return found.entries
