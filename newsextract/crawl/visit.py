"""The purpose of a request: one value in its meta, kept through redirects, retries and job queues."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from newsextract.storage.ledger.ledger import Finding, Role

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

    from newsextract.storage.ledger.ledger import Entry

VISIT = "newsextract_visit"
"""Key of a request's meta that holds its `Visit`; requests of other people's spiders have none."""

NOT_MODIFIED = 304

AGAIN = "newsextract_again"
"""Key of a request's meta: it is for a page that was visited and shows no article, in a browser or another version.

Such a request has no visit of its own.
"""

_VALIDATORS = {"etag": "If-None-Match", "last_modified": "If-Modified-Since"}
_HEADERS = {"etag": "ETag", "last_modified": "Last-Modified"}
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

    @classmethod
    def of(cls, response: Response) -> Self:
        """Read a response."""
        is_whole = response.status != NOT_MODIFIED
        validators = {field: _header(response, header) for field, header in _HEADERS.items()}
        return cls(response.status, content_hash(response.body) if is_whole else None, **validators)


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

    @classmethod
    def to(cls, finding: Finding, known: Entry | None) -> Self:
        """Return the visit for a finding; `known` is the ledger's entry of an earlier visit."""
        if known is None:
            return cls(finding)
        before = Received(None, known.content_hash, known.etag, known.last_modified)
        return cls(finding, is_new=False, known=before)

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
        told = {header: getattr(self.known, field) for field, header in _VALIDATORS.items()}
        return {header: value for header, value in told.items() if value}


def visit_of(request: Request) -> Visit:
    """Return the visit of a request of the `news` spider."""
    visit: Visit = request.meta[VISIT]
    return visit


def find_visit(request: Request | None) -> Visit | None:
    """Return the visit of a request; `None` for other people's requests."""
    return request.meta.get(VISIT) if request is not None else None


def is_for_page(request: Request) -> bool:
    """Return whether a request of the crawl is for a page, be it in another way or version than first."""
    visit = find_visit(request)
    return AGAIN in request.meta or (visit is not None and visit.is_page)


def is_for_article(request: Request) -> bool:
    """Return whether a request of the crawl is for what may be an article, as `is_for_page`."""
    visit = find_visit(request)
    return AGAIN in request.meta or (visit is not None and visit.is_for_article)


def note(request: Request, **changes: Any) -> Visit:
    """Change some fields of the request's visit, and return the new visit."""
    visit = request.meta[VISIT] = replace(visit_of(request), **changes)
    return visit


def note_received(response: Response) -> Visit:
    """Record in the request's visit what the ledger keeps of its response, and return the visit."""
    return note(request_of(response), received=Received.of(response))


def request_of(response: Response) -> Request:
    """Return the request that led to the response."""
    assert response.request is not None  # noqa: S101 - a response in a callback always has one
    return response.request


def content_hash(body: bytes) -> str:
    """Return a hash that tells one body from another."""
    return hashlib.blake2b(body, digest_size=16).hexdigest()


def _header(response: Response, name: str) -> str | None:
    value = (response.headers.get(name) or b"").decode("latin-1").strip()
    return value if 0 < len(value) <= _MAX_VALIDATOR_CHARS else None
