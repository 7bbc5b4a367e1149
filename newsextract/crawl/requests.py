"""The requests of a crawl, each with its purpose: a `Visit` in the meta, kept by redirects, retries and job queues."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http.request import NO_CALLBACK
from w3lib.encoding import http_content_type_encoding

from newsextract.page.page import KEPT_HEADERS, NO_HINTS, RIGHTS_HEADERS, Hints, Page
from newsextract.page.urls import clean_url, is_numbered
from newsextract.sites.article_address import Candidate
from newsextract.sites.robots import MAX_TDMREP_BYTES, TDMREP_PATH
from newsextract.sites.sitemaps import MAX_SITEMAP_BYTES
from newsextract.storage.ledger import Finding, Role
from newsextract.storage.rows import content_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.outcome import Outcome
    from newsextract.sites.article_address import Source
    from newsextract.sites.frontier import Frontier
    from newsextract.storage.ledger import Entry

VISIT = "newsextract_visit"
"""Key of a request's meta that holds its `Visit`; requests of other people's spiders have none."""

OPT_IN = "newsextract"
"""Key of a request's meta: `True` or the name of an extractor extracts the response; `False` does not."""
PROVIDED = "newsextract_provided"
"""Key of a request's meta: the URL of the response whose article its callback has been given; meta is passed on."""

RENDER_KEY = "newsextract_render"
"""Key of a request's meta that holds the name of the site whose page the browser is to render."""

WITH_SUBSCRIPTION, RENDERED_FLAG = "subscription", "newsextract_rendered"
"""Flags of responses: to a subscriber's request, and of a body that a browser made of the page."""

NOT_MODIFIED = 304

TDMREP_PRIORITY = 50
"""Before other requests, because pages that arrive earlier get no rules; it is one small file per host."""

AGAIN_PRIORITY, HOME_PRIORITY, SOURCE_PRIORITY, LISTING_PRIORITY = 45, 40, 30, 20
"""A visit that has begun is ended first. Pages that list others come before single pages, which have priority 0, or 1
if the URL looks like an article."""

LATER_PRIORITY, REVISIT_PRIORITY = -1, -2
"""Possible further pages of an article that is joined come after possible first pages; revisits after new pages."""

_MAX_VALIDATOR_CHARS = 1000
"""Longer ones are ignored: they would be sent with every request."""


@dataclass(frozen=True, slots=True)
class Received:
    """The parts of a response that the ledger keeps."""

    status: int | None = None
    content_hash: str | None = None
    """The hash of the body; `None` for a 304, which has no body."""
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True, slots=True)
class Again:
    """What is left to try for a page that was read and showed no article: other versions, then a browser."""

    first: Outcome
    """How the visit ends if nothing shows more."""
    url: str
    """Where the page was found at last."""
    hints: Hints
    extractor: str | None = None
    versions: tuple[str, ...] = ()
    """AMP and print versions that are still to be asked for."""
    originals: tuple[str, ...] = ()
    """The keys of the URLs that the versions may call their original."""
    may_render: bool = False
    is_rendered: bool = False
    """Whether the request is for the browser, rather than for a version."""


@dataclass(frozen=True, slots=True)
class Visit:
    """The purpose of a request of the `news` spider, and its result so far; can be pickled."""

    finding: Finding
    """The requested URL, before redirects, with its source and hints."""
    is_part: bool = False
    """Whether it is a further page of an article, which the ledger does not record."""
    holds_place: bool = False
    """Whether it holds one of the frontier's places for possible articles."""
    is_new: bool = True
    """Whether no earlier visit of the URL was completed."""
    known: Received = Received()
    """The response of the last visit."""
    received: Received = Received()
    """The response of this visit."""
    found_new: bool = False
    """Whether any of its links or entries was new."""
    again: Again | None = None
    """Set where the page is asked for a second time, in a browser or as another version."""

    @property
    def url(self) -> str:
        """The requested URL."""
        return self.finding.url

    @property
    def site(self) -> str:
        """The name of the site."""
        return self.finding.site

    @property
    def is_page(self) -> bool:
        """Whether it ends in a page state; a sitemap or feed does not."""
        return self.finding.role is not Role.SOURCE

    @property
    def is_for_article(self) -> bool:
        """Whether the URL was requested because it may be an article."""
        return self.finding.role is Role.ARTICLE and not self.is_part

    @property
    def is_of_home(self) -> bool:
        """Whether it visits a start page."""
        return self.finding.role is Role.LISTING and self.finding.depth == 0

    @property
    def is_unchanged(self) -> bool:
        """Whether the response is the same as that of the earlier visit."""
        is_same = self.known.content_hash is not None and self.known.content_hash == self.received.content_hash
        return is_same or self.received.status == NOT_MODIFIED

    @property
    def conditions(self) -> dict[str, str]:
        """The headers of a conditional request, with the validators of the last visit."""
        found = {"If-None-Match": self.known.etag, "If-Modified-Since": self.known.last_modified}
        return {header: value for header, value in found.items() if value}


def visit_of(request: Request) -> Visit:
    """Return the visit of a request of the `news` spider."""
    visit: Visit = request.meta[VISIT]
    return visit


def find_visit(request: Request | None) -> Visit | None:
    """Return the visit of a request; `None` for other people's requests."""
    return request.meta.get(VISIT) if request is not None else None


def is_for_page(request: Request) -> bool:
    """Return whether a request of the `news` spider is for a page."""
    visit = find_visit(request)
    return visit is not None and visit.is_page


def is_for_article(request: Request) -> bool:
    """Return whether a request of the `news` spider is for what may be an article."""
    visit = find_visit(request)
    return visit is not None and visit.is_for_article


def note(request: Request, **changes: Any) -> Visit:
    """Change some fields of the request's visit, and return the new visit."""
    visit = request.meta[VISIT] = replace(visit_of(request), **changes)
    return visit


BODY_CHARS = 24
"""The characters of a page's hash in the ledger that are of its body alone."""


def note_received(response: Response, site_rights: Iterable[str] = ()) -> Visit:
    """Record in the request's visit what the ledger keeps of its response, and return the visit.

    What headers and the site say about its use is part of it: a page of which another use is allowed has changed.
    The end of the hash has that, so that its beginning still tells whether the bytes are the same.
    """
    said = "\n".join((*(_header(response, name) for name in RIGHTS_HEADERS), *site_rights)).strip()
    body = content_hash(response.body) if response.status != NOT_MODIFIED else None
    if body and said:
        body = body[:BODY_CHARS] + content_hash(said.encode())[BODY_CHARS:]
    received = Received(response.status, body, _validator(response, "ETag"), _validator(response, "Last-Modified"))
    return note(request_of(response), received=received)


def request_of(response: Response) -> Request:
    """Return the request that led to the response."""
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    return response.request


def page_of(
    response: Response,
    max_bytes: int,
    *,
    extractor: str | None = None,
    hints: Hints = NO_HINTS,
) -> Page:
    """Return the page of a response, read by its own bytes and the charset that its header declares.

    `hints` holds what is known without the response, such as the title and date that a feed states; the headers of the
    response are added.

    Raises:
        PageError: the bytes are not HTML, or too many.
    """
    charset = http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))
    headers = {name: _header(response, name) for name in KEPT_HEADERS if name in response.headers}
    hints = replace(
        hints,
        headers={**headers, **hints.headers},
        with_subscription=WITH_SUBSCRIPTION in response.flags,
        is_rendered=RENDERED_FLAG in response.flags,
    )
    return Page(response.body, response.url, charset=charset, max_bytes=max_bytes, extractor=extractor, hints=hints)


def hints_from(stated: Mapping[str, str] | None, site_rights: Mapping[str, str] | None = None) -> Hints:
    """Return the `title` and `date` that a feed or news sitemap states, and the site about its use, as hints."""
    stated = stated or {}
    return Hints(stated.get("title"), stated.get("date"), site_rights=dict(site_rights or {}))


def _header(response: Response, name: str) -> str:
    return ", ".join(value.decode("latin-1") for value in response.headers.getlist(name))


def _validator(response: Response, name: str) -> str | None:
    value = (response.headers.get(name) or b"").decode("latin-1").strip()
    return value if 0 < len(value) <= _MAX_VALIDATOR_CHARS else None


def of_candidate(candidate: Candidate, site: str) -> Finding:
    """Return the ledger's finding for a page that may be an article."""
    known = candidate.source, candidate.depth, candidate.date, candidate.hints or None
    return Finding(candidate.url, site, Role.ARTICLE, *known)


def of_listing(url: str, site: str, depth: int) -> Finding:
    """Return the finding for a home (depth 0) or section page."""
    return Finding(url, site, Role.LISTING, "links", depth)


def of_source(kind: str, url: str, site: str, lastmod: datetime | None = None) -> Finding:
    """Return the finding for one of the `feeds` or `sitemaps`."""
    return Finding(url, site, Role.SOURCE, kind.removesuffix("s"), listed=lastmod)


def candidate_of(entry: Entry) -> Candidate:
    """Return the candidate for a page that an earlier run has found."""
    hints = entry.hints or {}
    return Candidate(
        entry.url,
        cast("Source", entry.found_in or "links"),  # written only by `of_candidate`
        entry.listed,
        hints.get("title"),
        published=hints.get("date"),
        depth=entry.depth,
        is_revisit=not entry.is_new,
    )


@dataclass(frozen=True)
class RequestMaker:
    """Makes the requests whose responses the spider handles."""

    callbacks: Any
    """The spider: callbacks and errbacks are its methods, which job queues store by name."""
    known: Callable[[Finding], Entry | None]
    """Returns what the ledger knows of a URL that is revisited."""
    max_page_bytes: int
    renders: Callable[[str], bool] = lambda _: False
    """Whether all pages of a site are rendered in a browser."""

    def listing(self, url: str, site: str, depth: int) -> Request:
        """Return the request for a home (depth 0) or section page."""
        priority = LISTING_PRIORITY - depth if depth else HOME_PRIORITY
        return self._page(self._visit(of_listing(url, site, depth)), self.callbacks.parse_listing, priority)

    def candidate(self, candidate: Candidate, frontier: Frontier) -> Request:
        """Return the request for a page that may be an article, with hints from feeds and news sitemaps."""
        is_later = frontier.joins_pages and is_numbered(candidate.url)
        priority = LATER_PRIORITY if is_later else int(candidate.is_article_like)
        if candidate.is_revisit:
            priority = REVISIT_PRIORITY
        hints = frontier.hints_of(candidate.url)
        finding = replace(of_candidate(candidate, frontier.site), hints=hints or None)
        return self._page(replace(self._visit(finding), holds_place=True), self.callbacks.parse_page, priority)

    def part(self, url: str, site: str) -> Request:
        """Return the request for a further page of an article; the handler of the first page downloads it."""
        return self._page(Visit(Finding(url, site, Role.ARTICLE), is_part=True), NO_CALLBACK, priority=0)

    def again(self, url: str, visit: Visit, *, callback: Any = None, **meta: Any) -> Request:
        """Return the request for a page that was read and showed nothing, as another version or in a browser."""
        meta = {"handle_httpstatus_all": True, "allow_offsite": True, "download_maxsize": self.max_page_bytes, **meta}
        return Request(
            url,
            callback=callback or self.callbacks.parse_again,
            errback=None if callback else self.callbacks.download_failed,
            priority=AGAIN_PRIORITY,
            dont_filter=True,
            meta={VISIT: visit, "download_slot": urlsplit(url).netloc, **meta},
        )

    def source(self, kind: str, url: str, site: str) -> Request:
        """Return the request for one of the `feeds` or `sitemaps`, which may be on another host."""
        return self._request(
            self._visit(of_source(kind, url, site)),
            callback=self.callbacks.parse_feed if kind == "feeds" else self.callbacks.parse_sitemap,
            errback=self.callbacks.source_failed,
            priority=SOURCE_PRIORITY,
            # `OpenSources` prevents repetition per site: a URL that is one site's feed may be another site's page.
            dont_filter=True,
            meta={"allow_offsite": True, "download_maxsize": MAX_SITEMAP_BYTES},
        )

    def tdmrep(self, url: str) -> Request:
        """Return the request for the tdmrep.json of a page's host; it counts neither as a page nor as a source."""
        found = clean_url(TDMREP_PATH, url) or url
        host = urlsplit(found).netloc
        return Request(
            found,
            callback=self.callbacks.parse_tdmrep,
            cb_kwargs={"host": host},
            errback=self.callbacks.tdmrep_failed,
            priority=TDMREP_PRIORITY,
            meta={OPT_IN: False, "download_maxsize": MAX_TDMREP_BYTES, "download_slot": host},
        )

    def _visit(self, finding: Finding) -> Visit:
        entry = self.known(finding)
        if entry is None:
            return Visit(finding)
        before = Received(None, entry.content_hash, entry.etag, entry.last_modified)
        return Visit(finding, is_new=False, known=before)

    def _page(self, visit: Visit, callback: Any, priority: int) -> Request:
        rendered = {RENDER_KEY: visit.site} if self.renders(visit.site) else {}
        meta = {"download_maxsize": self.max_page_bytes, **rendered}
        errback = self.callbacks.download_failed
        return self._request(visit, callback=callback, errback=errback, priority=priority, meta=meta)

    def _request(self, visit: Visit, meta: dict[str, Any], **arguments: Any) -> Request:
        # A slot per host and port: two servers of one machine need not wait for each other.
        meta = {VISIT: visit, "download_slot": urlsplit(visit.url).netloc, **meta}
        headers = visit.conditions
        if headers:
            meta["handle_httpstatus_list"] = [NOT_MODIFIED]
        return Request(visit.url, headers=headers, meta=meta, **arguments)


@dataclass
class RequestSender:
    """Sends requests outside callbacks, one after the other, including those that sending one causes.

    When the engine drops a request, the spider sends the next: a thousand drops in a row would recurse too deep.
    """

    crawler: Crawler
    waiting: deque[Request] = field(default_factory=deque)
    is_sending: bool = False

    def send(self, requests: Iterable[Request]) -> None:
        """Pass the requests to the engine."""
        self.waiting.extend(requests)
        if self.is_sending:
            return
        self.is_sending = True
        try:
            while self.waiting:
                self.crawler.engine.crawl(self.waiting.popleft())
        finally:
            self.is_sending = False
