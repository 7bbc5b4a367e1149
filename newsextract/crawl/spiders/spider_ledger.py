"""The spider's access to the ledger: what it asks before a visit, and records after one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.run_register import RunRegister
from newsextract.reading.page_state import PageState
from newsextract.sites.published.stated_dates import parse_date
from newsextract.storage.ledger.claims import Claim, claim, release
from newsextract.storage.ledger.ledger import Admission, Pending, admit, pending
from newsextract.storage.ledger.ledger_rows import Finding, Role, address_id
from newsextract.storage.ledger.site_visits import SiteVisit, complete_site, last_visits, start_site
from newsextract.storage.ledger.visit_records import READ, UNCHANGED, VisitRecord, record

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from scrapy.crawler import Crawler

    from newsextract.article import Article
    from newsextract.crawl.page_end import PageEnd
    from newsextract.crawl.visit import Visit
    from newsextract.sites.site_list.site import Site
    from newsextract.storage.ledger.ledger_rows import Entry

MOST_PENDING = 1000
"""Candidates that earlier runs have left, taken from the ledger at once."""


@dataclass
class SpiderLedger:
    """Asks the ledger which addresses are due, and notes how their visits ended; without a database, all are due."""

    database: Database | None = None
    register: RunRegister | None = None
    looks_at_all: bool = False
    """Whether sections, feeds and sitemaps are visited, due or not."""
    only_new: bool = False
    """Whether articles that were visited before are left alone, due or not."""
    run_id: str = ""
    """Of the run in the register."""
    _begun: list[SiteVisit] = field(default_factory=list)
    _known: dict[str, Entry] = field(default_factory=dict)
    """What is known of addresses that are to be visited once more, until their requests are made."""

    @classmethod
    def from_crawler(cls, crawler: Crawler, *, looks_at_all: bool, only_new: bool) -> Self:
        """Use the crawl's database, if it has one."""
        database, register = crawler.get_extension(Database), crawler.get_extension(RunRegister)
        return cls(database if register else None, register, looks_at_all, only_new)

    async def open(self, homes: Sequence[str], given: Mapping[str, str]) -> None:
        """Register the run with its home pages and arguments; raises `CloseSpider` if the same is going on already."""
        if self.database is not None and self.register is not None:
            self.run_id = await self.register.begin(homes, given)

    async def admit(self, findings: Sequence[Finding]) -> dict[str, bool]:
        """Note what was found; return the addresses that are due, and of each whether it was visited before."""
        if self.database is None or not findings:
            return {finding.url: False for finding in findings}
        admission = Admission(tuple(findings), datetime.now(UTC), everything=self.looks_at_all)
        entries = {entry.id: entry for entry in await self.database.run(admit, admission) if self._is_wanted(entry)}
        self._known |= {key: entry for key, entry in entries.items() if not entry.is_new}
        return {finding.url: not entries[finding.id].is_new for finding in findings if finding.id in entries}

    async def pending(self, sites: Sequence[str], role: Role) -> list[list[Entry]]:
        """Return what is due of each site by what earlier runs have noted, the most promising first."""
        if self.database is None:
            return [[] for _ in sites]
        now = datetime.now(UTC)
        questions = [Pending(site, now, MOST_PENDING, role, self.looks_at_all) for site in sites]
        found = [
            [entry for entry in entries if self._is_wanted(entry)]
            for entries in await self.database.run_all(pending, questions)
        ]
        self._known |= {entry.id: entry for entries in found for entry in entries if not entry.is_new}
        return found

    async def begin(self, sites: Sequence[Site]) -> list[Site]:
        """Return the sites whose schedule has them visited now, and note that their visits begin."""
        if self.database is None:
            return list(sites)
        now = datetime.now(UTC)
        visits = await self.database.run_all(last_visits, [site.name for site in sites])
        # A visit that broke off is gone on with, whatever the schedule says.
        is_due = [
            self.looks_at_all or not visit.was_complete or site.is_due(visit.started, now)
            for site, visit in zip(sites, visits, strict=True)
        ]
        due = [site for site, is_one in zip(sites, is_due, strict=True) if is_one]
        self._begun += [SiteVisit(site.name, site.home, self.run_id, now) for site in due]
        await self.database.run_all(start_site, self._begun[-len(due) :] if due else [])
        return due

    async def complete(self) -> None:
        """Note that the visits of all sites have come to their end."""
        if self.database is not None:
            now = datetime.now(UTC)
            await self.database.run_all(complete_site, [replace(visit, now=now) for visit in self._begun])

    async def claim(self, urls: Collection[str]) -> set[str]:
        """Return the addresses of pages whose visit is now this run's, and nobody else's."""
        if self.database is None or not urls:
            return set(urls)
        ids = {address_id(url): url for url in urls}
        wanted = Claim(self.run_id, tuple(ids), datetime.now(UTC), everything=self.looks_at_all)
        taken = await self.database.run(claim, wanted)
        return {ids[key] for key in taken}

    def give_back(self, visit: Visit) -> None:
        """Leave to others what will not be visited after all."""
        if self.database is not None and not visit.is_part:
            self.database.send(release, (self.run_id, (visit.finding.id,)))

    def known(self, finding: Finding) -> Entry | None:
        """Return what is known of an address that was visited before, once: for the request that visits it now."""
        return self._known.pop(finding.id, None)

    def source_read(self, visit: Visit) -> None:
        """Note that a sitemap or feed was fetched."""
        self._record(visit, UNCHANGED if visit.is_unchanged else READ)

    def source_failed(self, visit: Visit, end: PageEnd | None) -> None:
        """Note that a sitemap or feed could not be fetched; without an end, robots.txt forbids it."""
        if end is None:
            self._record(visit, PageState.BLOCKED, "robots.txt")
        else:
            self._record(visit, end.state, end.reason)

    def page_ended(self, visit: Visit, end: PageEnd) -> None:
        """Note how the visit of a page ended."""
        role = visit.finding.role
        if end.state is PageState.LISTING:
            role = Role.LISTING
        elif end.state is PageState.ARTICLE or end.is_stored:
            role = Role.ARTICLE
        visit = replace(visit, finding=replace(visit.finding, role=role))
        state: str = PageState.ARTICLE if end.is_exported else end.state
        if state == PageState.DUPLICATE and not visit.is_new:
            # It was read before, or another of its addresses is the article's by now: it is what it was.
            state = UNCHANGED
        self._record(visit, state, end.reason, end.article)

    def _record(self, visit: Visit, state: str, reason: str = "", article: Article | None = None) -> None:
        if self.database is None or visit.is_part:
            return
        finding, received = visit.finding, visit.received
        ended = VisitRecord(
            id=finding.id,
            url=finding.url,
            site=finding.site,
            role=finding.role,
            found_in=finding.found_in,
            depth=finding.depth,
            state=state,
            reason=reason or None,
            status=received.status,
            etag=received.etag,
            last_modified=received.last_modified,
            content_hash=received.content_hash,
            article_id=address_id(article.canonicalUrl or article.url or "") if article else None,
            published=parse_date(article.datePublished) if article and article.datePublished else None,
            changed=visit.found_new if article is None else True,
            at=datetime.now(UTC),
        )
        self.database.send(record, ended)

    def _is_wanted(self, entry: Entry) -> bool:
        return entry.is_new or not self.only_new or entry.role is not Role.ARTICLE
