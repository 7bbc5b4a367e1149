"""Where a site's pages are found: earlier runs, host files, sitemaps, feeds, and links of home and section pages."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from newsextract.crawl.outcome import LeftToNextRun, is_absence, message_of, of_failure, reason_of_failure
from newsextract.crawl.requests import (
    candidate_of,
    note,
    note_received,
    of_candidate,
    of_listing,
    of_source,
    request_of,
    visit_of,
)
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.crawl.spider_ledger import MOST_PENDING
from newsextract.page.links import ARTICLE_THRESHOLD, article_likeness
from newsextract.page.urls import clean_url, same_owner, unique_urls
from newsextract.processes.pool import Unanswered
from newsextract.reading.usage_rights import ROBOTS_TXT, TDMREP
from newsextract.sites.robots import read_tdmrep, tdm_values, use_groups, use_values
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink
from newsextract.storage.ledger import Role

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Future

    from scrapy import Request
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser
    from twisted.python.failure import Failure

    from newsextract.crawl.health import Health
    from newsextract.crawl.readers import Readers, SiteFile, Survey
    from newsextract.crawl.requests import RequestMaker, RequestSender
    from newsextract.crawl.spider_ledger import SpiderLedger
    from newsextract.crawl.visits import Fallbacks
    from newsextract.page.links import Link
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.frontier import Frontier
    from newsextract.sites.robots import TdmRule, UseGroup
    from newsextract.sites.site import Site
    from newsextract.storage.ledger import Entry

logger = logging.getLogger(__name__)

Kind: TypeAlias = Literal["feeds", "sitemaps"]

CUSTOMARY_SITEMAP = "/sitemap.xml"
"""The path of the sitemap if robots.txt names none."""

READY = 32
"""Candidates claimed at once, ahead of time: half a window."""

_TOGETHER = 100
"""Sites read from the ledger at once: few transactions, while the first requests still start soon."""


def sitemap_urls(robots: RobotParser | None, url: str, given: Sequence[str] = ()) -> list[str]:
    """Return the sitemaps given for the site, else those in the host's robots.txt."""
    named = getattr(getattr(robots, "rp", None), "sitemaps", ())
    return list(given) or unique_urls(clean_url(sitemap, url) for sitemap in named)


def likely_articles(links: Iterable[Link], frontier: Frontier) -> list[str]:
    """Return the URLs of the site that look like articles, each once, in their order."""
    likely = (link for link in links if frontier.holds(link.url))
    return list(
        dict.fromkeys(link.url for link in likely if article_likeness(link.url, link.text) >= ARTICLE_THRESHOLD)
    )


@dataclass
class SiteRights:
    """What each host's robots.txt and tdmrep.json say about use, by host and port; what arrives before has none."""

    _rules: dict[str, list[TdmRule]] = field(default_factory=dict)
    _groups: dict[str, list[UseGroup]] = field(default_factory=dict)

    def claim(self, url: str) -> bool:
        """Mark the tdmrep.json of a URL's host as requested, and return whether it was not before."""
        host = urlsplit(url).netloc
        is_new = host not in self._rules
        self._rules.setdefault(host, [])
        return is_new

    def read(self, host: str, body: bytes, url: str) -> str:
        """Read the tdmrep.json of a host, and return its rules as text; raises `SiteFileError` if it is invalid."""
        self._rules[host] = rules = read_tdmrep(body, url)
        return "\n".join(json.dumps({"location": each.location, **each.values}) for each in rules)

    def read_robots(self, host: str, body: bytes, agent: str = "") -> str:
        """Read the robots.txt of a host, and return what of it is about use."""
        self._groups[host] = groups = use_groups(body, agent)
        return "\n\n".join(group.text for group in groups)

    def values(self, url: str) -> dict[str, str]:
        """Return what both files say about a URL, as `Hints.site_rights`."""
        host = urlsplit(url).netloc
        mining = [f"{name}: {value}" for name, value in tdm_values(self._rules.get(host, ()), url).items()]
        told = {TDMREP: mining, ROBOTS_TXT: use_values(self._groups.get(host, ()), url)}
        return {name: "\n".join(lines) for name, lines in told.items() if lines}


@dataclass(frozen=True)
class NextVisits:
    """Fills frontiers with candidates that are due, and sends requests for the best of them."""

    ledger: SpiderLedger
    make: RequestMaker
    sender: RequestSender
    fallbacks: Fallbacks | None = None
    """Keeps what feeds have of the articles until their pages were visited."""

    async def add(self, candidates: Iterable[Candidate], frontier: Frontier) -> int:
        """Add the candidates that are due to the frontier, their texts aside; return how many were new."""
        entries: dict[str, bytes] = {}
        wanted = frontier.filter(_apart(candidates, entries))
        too_old, frontier.too_old = frontier.too_old, []
        due = await self.ledger.admit([of_candidate(each, frontier.site) for each in (*wanted, *too_old)])
        frontier.queue.add(wanted, due)
        for url, entry in entries.items():
            if self.fallbacks is not None and frontier.queue.is_to_visit(url) and self.ledger.may_fall_back(url):
                self.fallbacks.keep(url, entry)
        return sum(not due.get(each.url, True) for each in wanted)

    def remember(self, entries: Sequence[Entry], frontier: Frontier) -> bool:
        """Add candidates of earlier runs to the frontier; return whether any was new to it."""
        frontier.may_have_more = len(entries) >= MOST_PENDING
        wanted = frontier.filter(candidate_of(entry) for entry in entries)
        frontier.queue.add(wanted, {candidate.url: candidate.is_revisit for candidate in wanted})
        return bool(wanted)

    async def claim(self, frontier: Frontier) -> None:
        """Claim candidates that no other run has claimed, until enough are ready."""
        while len(frontier.queue.ready) < READY // 2:
            # Those from links wait while sources are being read, because these state dates.
            if next_ones := frontier.queue.take_best(READY, with_links=not frontier.sources.count):
                claimed = await self.ledger.claim([each.url for each in next_ones])
                frontier.queue.make_ready(next_ones, claimed)  # the others stay in the ledger
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

    async def claim_and_send(self, frontier: Frontier) -> None:
        """Claim candidates, and send the requests for what to fetch now."""
        await self.claim(frontier)
        self.sender.send(self.requests(frontier))

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


@dataclass(frozen=True)
class Discovery:
    """Makes the requests for what lists pages, and reads the answers; counts and skips what cannot be read."""

    stats: Any
    ledger: SpiderLedger
    make: RequestMaker
    readers: Readers
    next_visits: NextVisits
    health: Health | None = None
    site_rights: SiteRights = field(default_factory=SiteRights)
    named: set[str] = field(default_factory=set)
    """The sitemaps that the list of sites or a robots.txt names; others are guesses."""

    async def first_requests(
        self, sites: Sequence[Site], frontiers: Mapping[str, Frontier], *, with_files: bool
    ) -> AsyncIterator[Request]:
        """Yield the first requests of sites, whose visits begin; with the hosts' files if no robots.txt names them."""
        await self.ledger.begin(sites)
        for start in range(0, len(sites), _TOGETHER):
            some = sites[start : start + _TOGETHER]
            async for request in self._open(some, frontiers, with_files=with_files):
                yield request

    async def host_files(self, url: str, robots: RobotParser | None, frontier: Frontier) -> list[Request]:
        """Return the requests for the files of a page's host that were not requested yet."""
        tdmrep = [self.make.tdmrep(url)] if self.site_rights.claim(url) else []
        given = frontier.definition.sitemaps if frontier.definition else ()
        named = sitemap_urls(robots, url, given)
        self.named.update(named)
        guess = [clean_url(CUSTOMARY_SITEMAP, url) or url]
        return [*tdmrep, *await self.sources("sitemaps", named or guess, frontier)]

    async def sources(self, kind: Kind, urls: Iterable[str], frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps or feeds that are wanted, due, and not requested yet."""
        if not frontier.uses(kind) or frontier.is_full:
            return []
        due = await self._due(kind, [SitemapLink(url) for url in urls], frontier)
        # Some sites name one of their pages as a feed: it is fetched once, in the role in which it was found first.
        wanted = [url for url in due if frontier.claim(url) and frontier.sources.open(url)]
        return [self.make.source(kind, url, frontier.site) for url in wanted]

    async def follow(self, survey: Survey, request: Request, frontier: Frontier) -> list[Request]:
        """Return the requests for the links of a home or section page that are to be followed."""
        depth = visit_of(request).finding.depth
        if depth == 0:
            articles = likely_articles(survey.links, frontier)
            self.ledger.front_read(visit_of(request).url, articles)
            if self.health is not None:
                self.health.front_read(frontier.site, len(articles))
        requests = await self.sources("feeds", survey.feeds if depth == 0 else (), frontier)
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
            read = partial(self.readers.read_feed, with_texts=speaks_for_it)
            new = await self._add(await self._entries(response, frontier, read), frontier)
            self.ledger.source_read(note(request_of(response), found_new=bool(new)))
        finally:
            await self.next_visits.close_source(frontier)

    async def source_failed(self, failure: Failure, request: Request, frontier: Frontier) -> None:
        """Record a sitemap or feed that could not be fetched, and continue."""
        reason = reason_of_failure(failure, request)
        is_guess = request.url not in self.named and urlsplit(request.url).path == CUSTOMARY_SITEMAP
        level = logging.DEBUG if is_guess and is_absence(failure) else logging.INFO
        self._note_unread(request.url, reason, message_of(failure), level)
        self._note_end(frontier, reason)
        if not isinstance(failure.value, LeftToNextRun):
            self.ledger.source_failed(visit_of(request), of_failure(failure, request))
        await self.next_visits.close_source(frontier)

    def read_tdmrep(self, response: Response, host: str) -> None:
        """Read the rules in a host's tdmrep.json."""
        try:
            self.ledger.note_rights(response.url, TDMREP, self.site_rights.read(host, response.body, response.url))
        except SiteFileError as error:
            self._note_unread(response.url, error.reason, error)

    def read_robots(self, url: str, body: bytes, agent: str) -> None:
        """Read what the robots.txt of a URL's host says about use, to a user agent and others."""
        self.ledger.note_rights(url, ROBOTS_TXT, self.site_rights.read_robots(urlsplit(url).netloc, body, agent))

    def tdmrep_failed(self, failure: Failure, request: Request) -> None:
        """Count a tdmrep.json that could not be fetched; most hosts have none, which is not reported."""
        if is_absence(failure):
            self.ledger.note_rights(request.url, TDMREP, "")
        else:
            self._note_unread(request.url, reason_of_failure(failure, request), message_of(failure))

    async def _open(
        self, sites: Sequence[Site], frontiers: Mapping[str, Frontier], *, with_files: bool
    ) -> AsyncIterator[Request]:
        homes = await self.ledger.admit([of_listing(url, site.name, depth=0) for site in sites for url in site.start])
        names = list(dict.fromkeys(site.name for site in sites))
        pending = {role: dict(zip(names, await self.ledger.pending(names, role), strict=True)) for role in Role}
        for site in sites:
            frontier = frontiers[site.name]
            # Each home page, though they may share a key: every host of a site has its own robots.txt.
            for url in site.start:
                frontier.claim(url)
                if url in homes and frontier.count_page():
                    yield self.make.listing(url, site.name, depth=0)
            # Sitemaps here too, because robots.txt may be unreachable.
            for kind, urls in (("feeds", site.feeds), ("sitemaps", site.sitemaps)):
                for request in await self.sources(kind, urls, frontier):  # type: ignore[arg-type]
                    yield request
            for request in await self.host_files(site.home, None, frontier) if with_files else ():
                yield request
        for name in names:
            remembered = {role: entries[name] for role, entries in pending.items()}
            for request in await self._remembered(frontiers[name], remembered):
                yield request

    async def _remembered(self, frontier: Frontier, pending: dict[Role, list[Entry]]) -> list[Request]:
        """Return the requests for what earlier runs have found; feeds may no longer list it."""
        self.next_visits.remember(pending[Role.ARTICLE], frontier)
        requests = [*await self._known_listings(pending[Role.LISTING], frontier)]
        requests += self._known_sources(pending[Role.SOURCE], frontier)
        await self.next_visits.claim(frontier)
        return [*requests, *self.next_visits.requests(frontier)]

    async def _known_listings(self, entries: Iterable[Entry], frontier: Frontier) -> list[Request]:
        if not frontier.uses("links"):
            return []
        wanted = [each for each in entries if frontier.wants(each.url) and frontier.claim(each.url)]
        claimed = await self.ledger.claim([each.url for each in wanted])
        return [
            self.make.listing(each.url, frontier.site, each.depth)
            for each in wanted
            if each.url in claimed and frontier.count_page()
        ]

    def _known_sources(self, entries: Iterable[Entry], frontier: Frontier) -> Iterator[Request]:
        for entry in entries:
            if entry.found_in == "feed" and frontier.uses("feeds") and frontier.sources.open(entry.url):
                yield self.make.source("feeds", entry.url, frontier.site)
            elif entry.found_in != "feed" and frontier.uses("sitemaps"):
                frontier.sources.add_sitemaps([SitemapLink(entry.url, entry.listed)], frontier.since)
        yield from self.next_visits.sitemaps(frontier)

    async def _add(self, entries: Iterable[Candidate | SitemapLink], frontier: Frontier) -> int:
        candidates = (entry for entry in entries if not isinstance(entry, SitemapLink))
        return await self.next_visits.add(candidates, frontier)

    async def _due(self, kind: Kind, links: Iterable[SitemapLink], frontier: Frontier) -> dict[str, bool]:
        return await self.ledger.admit([of_source(kind, link.url, frontier.site, link.lastmod) for link in links])

    async def _entries(
        self, response: Response, frontier: Frontier, read: Callable[[bytes, str], Future[SiteFile]]
    ) -> tuple[Candidate | SitemapLink, ...]:
        """Return the entries of a file, an empty list if it is unchanged; count an error that stopped the reading."""
        self.stats.inc_value("newsextract/sources/read")
        if note_received(response).is_unchanged:
            # Known from earlier runs, so this cannot become an endless chain.
            frontier.guard.sources_without_find = 0
            self._note_end(frontier, "")
            return ()
        try:
            found = await answer_of(read(response.body, response.url))
        except Unanswered as error:
            self._note_unread(response.url, error.reason, error)
            self._note_end(frontier, error.reason)
            return ()
        if found.trouble is not None:
            self._note_unread(response.url, found.trouble.reason, found.trouble)
        self._note_end(frontier, found.trouble.reason if found.trouble else "")
        return found.entries

    def _note_unread(self, url: str, reason: str, error: object, level: int = logging.INFO) -> None:
        """Count a file that could not be read, or not to its end."""
        self.stats.inc_value("newsextract/sources/unread")
        self.stats.inc_value(f"newsextract/sources/unread/{reason}")
        logger.log(level, "cannot read %s: %s", url, error)

    def _note_end(self, frontier: Frontier, reason: str) -> None:
        if self.health is not None:
            self.health.source_ended(frontier.site, reason)
