"""The spider's access to the ledger: queries before a visit, and records after it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from newsextract.crawl.outcome import UNWRITTEN
from newsextract.crawl.parts import parts_of
from newsextract.crawl.requests import find_visit
from newsextract.reading.notices import PageState
from newsextract.sites.article_address import address_of
from newsextract.sites.site_files import parse_date
from newsextract.storage.database_thread import GivenUp
from newsextract.storage.front_pages import FrontPage, note_front_page
from newsextract.storage.ledger import (
    READ,
    UNCHANGED,
    Admission,
    Claim,
    Finding,
    Pending,
    Role,
    VisitRecord,
    address_id,
    admit,
    claim,
    count_due,
    pending,
    postpone,
    release,
)
from newsextract.storage.rights import SiteSaid, note_site, site_address
from newsextract.storage.run_lock import SiteVisit, complete_site, last_visits, start_site

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.database import Database, RunRegister
    from newsextract.crawl.outcome import Outcome
    from newsextract.crawl.requests import Visit
    from newsextract.crawl.visits import Visits
    from newsextract.sites.site import Site
    from newsextract.storage.ledger import Entry


MOST_PENDING = 1000
"""Candidates of earlier runs, read from the ledger at once."""

_MOST_PLACES = 200
"""Links to articles on a front page, the first ones, of which it is kept how long they stand there."""

_UNREAD = frozenset((None, PageState.BLOCKED, PageState.ERROR, PageState.EMPTY))
"""The states of pages whose text is not known."""


@dataclass
class SpiderLedger:
    """Asks the ledger which URLs are due, and records how their visits ended; without a database, all are due."""

    database: Database | None = None
    register: RunRegister | None = None
    looks_at_all: bool = False
    """Whether sections, feeds and sitemaps are visited, due or not."""
    only_new: bool = False
    """Whether articles that were visited before are skipped, due or not."""
    run_id: str = ""
    """The id of the registered run."""
    _begun: list[SiteVisit] = field(default_factory=list)
    _known: dict[str, Entry] = field(default_factory=dict)
    """The entries of URLs to revisit, until their requests are made."""

    async def open(self, homes: Sequence[str], given: Mapping[str, str], shard: str) -> None:
        """Register the run with its home pages and arguments; raises `CloseSpider` if the same crawl is running."""
        if self.database is not None and self.register is not None:
            self.run_id = await self.register.begin(homes, given, shard)

    async def admit(self, findings: Sequence[Finding]) -> dict[str, bool]:
        """Record findings; return the URLs that are due, each with whether it was visited before.

        Raises:
            GivenUp: the database is away; who has found them shall be visited again.
        """
        if self.database is None or not findings:
            return {finding.url: False for finding in findings}
        admission = Admission(tuple(findings), datetime.now(UTC), everything=self.looks_at_all)
        entries = {entry.id: entry for entry in await self.database.run(admit, admission) if self._is_wanted(entry)}
        self._known |= {key: entry for key, entry in entries.items() if not entry.is_new}
        return {finding.url: not entries[finding.id].is_new for finding in findings if finding.id in entries}

    def note_rights(self, url: str, source: str, text: str) -> None:
        """Record what a file of a URL's host says about use, which is nothing if it is missing."""
        if self.database is not None:
            self.database.send(note_site, SiteSaid(site_address(url), source, text, datetime.now(UTC)))

    async def pending(self, sites: Sequence[str], role: Role) -> list[list[Entry]]:
        """Return the entries of earlier runs that are due, a list per site, the most promising first."""
        if self.database is None:
            return [[] for _ in sites]
        now = datetime.now(UTC)
        questions = [Pending(site, now, MOST_PENDING, role, self.looks_at_all) for site in sites]
        try:
            answers = await self.database.run_all(pending, questions)
        except GivenUp:
            return [[] for _ in sites]
        found = [[entry for entry in entries if self._is_wanted(entry)] for entries in answers]
        self._known |= {entry.id: entry for entries in found for entry in entries if not entry.is_new}
        return found

    async def due(self, sites: Sequence[Site]) -> list[Site]:
        """Return the sites that are due by their schedule."""
        if self.database is None:
            return list(sites)
        now = datetime.now(UTC)
        visits = await self.database.run_all(last_visits, [site.name for site in sites])
        # An interrupted visit is continued, whatever the schedule says.
        is_due = [
            self.looks_at_all or not visit.was_complete or site.is_due(visit.started, now)
            for site, visit in zip(sites, visits, strict=True)
        ]
        return [site for site, is_one in zip(sites, is_due, strict=True) if is_one]

    async def count_due(self, sites: Collection[str]) -> int | None:
        """Return how many pages of the sites are due; `None` without a database."""
        if self.database is None:
            return None
        return await self.database.run(count_due, (tuple(sites), datetime.now(UTC)))

    async def begin(self, sites: Sequence[Site]) -> None:
        """Record that the visits of sites begin."""
        if self.database is not None:
            now = datetime.now(UTC)
            visits = [SiteVisit(site.name, self.run_id, now) for site in sites]
            self._begun += visits
            await self.database.run_all(start_site, visits)

    def has_begun(self, site: str) -> bool:
        """Return whether a site is visited in this run."""
        return self.database is None or any(visit.site == site for visit in self._begun)

    async def complete(self, sites: Collection[str]) -> None:
        """Record that the visits of some sites have ended."""
        if self.database is not None:
            now = datetime.now(UTC)
            ended = [replace(visit, now=now) for visit in self._begun if visit.site in sites]
            await self.database.run_all(complete_site, ended)

    async def postpone(self, hosts: Mapping[str, datetime | None]) -> None:
        """Postpone the visits of hosts until the times that they named."""
        if self.database is not None:
            sites = tuple(visit.site for visit in self._begun)
            wishes = [(host, sites, until) for host, until in hosts.items() if until is not None]
            await self.database.run_all(postpone, wishes)

    def front_read(self, url: str, urls: Sequence[str] | None) -> None:
        """Record which articles a front page links to, in their order; `None` if these are the same as before."""
        if self.database is not None:
            ids = None if urls is None else list(dict.fromkeys(map(address_id, urls)))[:_MOST_PLACES]
            self.database.send(note_front_page, FrontPage(address_id(url), datetime.now(UTC), ids))

    async def claim(self, urls: Collection[str]) -> set[str]:
        """Claim pages for this run; return the URLs that no other run holds."""
        if self.database is None or not urls:
            return set(urls)
        ids = {address_id(url): url for url in urls}
        wanted = Claim(self.run_id, tuple(ids), datetime.now(UTC), everything=self.looks_at_all)
        try:
            taken = await self.database.run(claim, wanted)
        except GivenUp:  # they stay due
            return set()
        return {ids[key] for key in taken}

    def give_back(self, visit: Visit) -> None:
        """Release the claim of a visit that will not be made."""
        if self.database is not None and not visit.is_part:
            self.database.send(release, (self.run_id, (visit.finding.id,)))

    def may_fall_back(self, url: str) -> bool:
        """Return whether a feed's text may stand in for a page: no article of it, or of its other URLs, is known."""
        entry = self._known.get(address_id(url))
        return entry is None or (entry.article_id is None and entry.state in _UNREAD)

    def known(self, finding: Finding) -> Entry | None:
        """Return and forget the entry of a URL that is revisited; `None` for a first visit."""
        return self._known.pop(finding.id, None)

    def source_read(self, visit: Visit) -> None:
        """Record that a sitemap or feed was fetched."""
        self._record(visit, UNCHANGED if visit.is_unchanged else READ)

    def source_failed(self, visit: Visit, outcome: Outcome) -> None:
        """Record that a sitemap or feed could not be fetched."""
        self._record(visit, outcome.state, outcome)

    def page_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Record how the visit of a page ended; one whose article is not written has not."""
        if outcome == UNWRITTEN:
            self.give_back(visit)
            return
        if outcome.state is PageState.UNCHANGED and visit.is_of_home:
            self.front_read(visit.url, None)
        role = visit.finding.role
        if outcome.state is PageState.LISTING:
            role = Role.LISTING
        elif outcome.state is PageState.ARTICLE or outcome.is_stored:
            role = Role.ARTICLE
        visit = replace(visit, finding=replace(visit.finding, role=role))
        state: str = PageState.ARTICLE if outcome.is_exported else outcome.state
        if state == PageState.DUPLICATE and not visit.is_new:
            # It was read before, or the article is now stored under another URL: its state stays.
            state = UNCHANGED
        self._record(visit, state, outcome)

    def _record(self, visit: Visit, state: str, outcome: Outcome | None = None) -> None:
        if self.database is None or visit.is_part:
            return
        finding, received, article = visit.finding, visit.received, outcome.article if outcome else None
        ended = VisitRecord(
            id=finding.id,
            url=finding.url,
            site=finding.site,
            role=finding.role,
            found_in=finding.found_in,
            depth=finding.depth,
            state=state,
            reason=(outcome.reason or None) if outcome else None,
            retry=outcome.retry if outcome else None,
            status=received.status,
            etag=received.etag,
            last_modified=received.last_modified,
            content_hash=received.content_hash,
            article_id=address_id(address_of(article, self.database.sites)) if article else None,
            published=parse_date(article.datePublished) if article and article.datePublished else None,
            changed=visit.found_new if article is None else True,
            at=datetime.now(UTC),
        )
        self.database.send(self.database.record, ended)

    def _is_wanted(self, entry: Entry) -> bool:
        return entry.is_new or not self.only_new or entry.role is not Role.ARTICLE


class LeavesUnwritten:
    """Spider middleware: what could not be recorded, as on a full disk, is left to the next run without a traceback."""

    def __init__(self, visits: Visits) -> None:
        self.visits = visits

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's visits."""
        return cls(parts_of(crawler).visits)

    def process_spider_exception(self, response: Response, exception: Exception) -> tuple[()] | None:
        """End the page that lists what could not be recorded as not visited; a sitemap or feed stays due."""
        if not isinstance(exception, GivenUp):
            return None
        request = response.request
        visit = find_visit(request)
        if visit is not None and visit.is_page:
            self.visits.end(request, UNWRITTEN)
        return ()
