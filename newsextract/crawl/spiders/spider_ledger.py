"""The spider's hand in the ledger: what it asks before a visit, and notes after one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.crawl.extensions.database_writer import Database
from newsextract.crawl.extensions.run_register import RunRegister
from newsextract.crawl.pipelines.article_storage import AS_EXPORTED, AS_STORED
from newsextract.crawl.spiders.conditional_requests import ANSWER, LEDGER, has_changed, note_address
from newsextract.reading.page_state import PageState
from newsextract.sites.published.stated_dates import parse_date
from newsextract.storage.ledger.claims import Claim, claim, release
from newsextract.storage.ledger.ledger import Admission, Pending, admit, pending
from newsextract.storage.ledger.ledger_rows import Finding, Role, address_id
from newsextract.storage.ledger.site_visits import SiteVisit, complete_site, last_visits, start_site
from newsextract.storage.ledger.visit_records import READ, UNCHANGED, Visit, record

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.article import Article
    from newsextract.crawl.spiders.spider_arguments import SpiderArguments
    from newsextract.sites.site_list.site import Site
    from newsextract.storage.ledger.ledger_rows import Entry

MOST_PENDING = 1000
"""Candidates that earlier runs have left, taken from the ledger at once."""


async def open_book(crawler: Crawler, arguments: SpiderArguments) -> LedgerBook:
    """Register the run and open its ledger; raises `CloseSpider` if the same run is going on already."""
    database, register = crawler.get_extension(Database), crawler.get_extension(RunRegister)
    if database is None or register is None:
        return LedgerBook(None, "")
    run_id = await register.begin((site.home for site in arguments.sites), arguments.given)
    return LedgerBook(database, run_id, looks_at_all=arguments.fresh, only_new=arguments.only_new)


@dataclass
class LedgerBook:
    """Asks the ledger which addresses are due, and notes how their visits ended; without a database, all are due."""

    database: Database | None
    run_id: str
    looks_at_all: bool = False
    """Whether sections, feeds and sitemaps are visited, due or not."""
    only_new: bool = False
    """Whether candidates that were visited before are left alone, due or not."""
    _begun: list[SiteVisit] = field(default_factory=list)
    _known: dict[str, Entry] = field(default_factory=dict)
    """What is known of addresses that are to be visited once more, until their requests are made."""

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

    def give_back(self, request: Request) -> None:
        """Leave to others what will not be visited after all."""
        if self.database is not None and (address := request.meta.get(LEDGER)):
            self.database.send(release, (self.run_id, (address["id"],)))

    def known(self, request: Request, finding: Finding) -> Request:
        """Have a request tell the ledger's address, and ask only for what has changed since an earlier visit."""
        address = {name: getattr(finding, name) for name in ("id", "url", "site", "found_in", "depth")}
        address["role"] = finding.role.value
        return note_address(request, address, self._known.pop(finding.id, None))

    def note_change(self, request: Request, *, is_changed: bool) -> None:
        """Remember whether a listing led to anything new, until its visit has ended."""
        if address := request.meta.get(LEDGER):
            address["is_changed"] = is_changed

    def source_read(self, response: Response, *, is_changed: bool) -> None:
        """Note that a sitemap or feed was fetched."""
        assert response.request is not None  # noqa: S101 - a response in a callback always has one
        self.note_change(response.request, is_changed=is_changed)
        self._record(response.request, READ if has_changed(response) else UNCHANGED, "")

    def source_failed(self, request: Request, outcome: tuple[PageState, str] | None) -> None:
        """Note that a sitemap or feed could not be fetched."""
        state, reason = outcome or (PageState.BLOCKED, "robots.txt")
        self._record(request, state, reason)

    def page_ended(self, request: Request, state: PageState, reason: str, article: Article | None) -> None:
        """Note how the visit of a page ended."""
        address = request.meta.get(LEDGER)
        if address is None:
            return
        if state is PageState.LISTING:
            address["role"] = Role.LISTING.value
        elif state is PageState.ARTICLE or reason in (AS_STORED, AS_EXPORTED):
            address["role"] = Role.CANDIDATE.value
        ending = PageState.ARTICLE if reason == AS_EXPORTED else state
        # Of a page that was read before, or another of its addresses is the article's by now: it is what it was.
        is_same = state is PageState.DUPLICATE and reason != AS_EXPORTED and not address["is_new"]
        self._record(request, UNCHANGED if is_same else ending, reason, article)

    def _record(self, request: Request, state: str, reason: str, article: Article | None = None) -> None:
        address: dict[str, Any] | None = request.meta.get(LEDGER)
        if self.database is None or address is None:
            return
        answer: dict[str, Any] = request.meta.get(ANSWER) or {}
        visit = Visit(
            id=address["id"],
            url=address["url"],
            site=address["site"],
            role=Role(address["role"]),
            found_in=address["found_in"],
            depth=address["depth"],
            state=state,
            reason=reason or None,
            status=answer.get("status"),
            etag=answer.get("etag"),
            last_modified=answer.get("last_modified"),
            content_hash=answer.get("content_hash"),
            article_id=address_id(article.canonicalUrl or article.url or "") if article else None,
            published=parse_date(article.datePublished) if article and article.datePublished else None,
            changed=bool(address.get("is_changed")) if article is None else True,
            at=datetime.now(UTC),
        )
        self.database.send(record, visit)

    def _is_wanted(self, entry: Entry) -> bool:
        return entry.is_new or not self.only_new or entry.role is not Role.CANDIDATE
