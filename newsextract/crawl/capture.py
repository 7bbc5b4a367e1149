"""Downloader middlewares that write what is fetched into WARC files, as `NEWSEXTRACT_WARC` asks for."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from weakref import WeakKeyDictionary

from newsextract.crawl.parts import parts_of
from newsextract.crawl.requests import BODY_CHARS, RENDERED_FLAG, find_visit
from newsextract.crawl.sessions import LOGIN
from newsextract.storage.database import StorageError
from newsextract.storage.rows import content_hash
from newsextract.storage.warc_store import Fetched, put_records, stored_bodies

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.parts import CrawlParts

logger = logging.getLogger(__name__)


AS_SENT = (b"gzip", b"br")
"""Encodings of bodies that are written as they were sent: what reads WARC files knows them, and it costs nothing."""


class Sent(NamedTuple):
    """The body and headers of a response before it was unpacked."""

    body: bytes
    headers: list[tuple[str, str]]


class SentBodies:
    """Sits before what unpacks bodies and follows redirects: writes redirects, and holds back what was sent."""

    def __init__(self, parts: CrawlParts) -> None:
        self.parts = parts
        self.packed: WeakKeyDictionary[Request, Sent] = WeakKeyDictionary()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's store."""
        return cls(parts_of(crawler))

    async def process_response(self, request: Request, response: Response, **_: Any) -> Response:
        """Write a redirect; hold back another response that is packed, unless it may have a subscriber's secrets."""
        secrets = self.parts.subscriptions
        if _is_redirect(response):
            await write(self.parts, request, response)
        elif response.headers.get("Content-Encoding") in AS_SENT and not (secrets and secrets.of(request)):
            self.packed[request] = Sent(response.body, _headers(response))  # which others change in place
        return response


class Capture:
    """Writes each response and its request, before anything that follows from them is stored."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's store."""
        return cls(crawler)

    async def process_response(self, request: Request, response: Response, **_: Any) -> Response:
        """Write a response, and return it as it is."""
        if not _is_redirect(response):
            sent = self.crawler.get_downloader_middleware(SentBodies)
            packed = sent.packed.pop(request, None) if sent else None
            await write(parts_of(self.crawler), request, response, packed)
        return response


async def write(parts: CrawlParts, request: Request, response: Response, packed: Sent | None = None) -> None:
    """Write a response, with body and headers as they were sent, where these are known.

    Logins are left out, and what Scrapy's cache answers: that is not fetched.
    """
    if LOGIN in request.meta or "cached" in response.flags:
        return
    store, database = parts.warc, parts.database
    assert store is not None  # noqa: S101 - the add-on adds this where there is one
    visit = find_visit(request)
    if database is not None and visit and visit.known.content_hash and response.body:
        content = content_hash(response.body)
        is_same = content[:BODY_CHARS] == visit.known.content_hash[:BODY_CHARS]
        if is_same and content not in store.known:
            with suppress(StorageError):  # it is written once more, then
                if row := await database.run(stored_bodies, content):
                    store.note(row)
    try:
        row = store.put(_fetched(request, response, packed))
    except OSError as error:
        parts.stats.inc_value("newsextract/warc/failed")
        logger.error("%s is not in the WARC: %s", response.url, error)  # noqa: TRY400 - the disk's, not ours
        return
    parts.stats.inc_value(f"newsextract/warc/{row['kind']}")
    if database is not None:
        database.send(put_records, row)


def _is_redirect(response: Response) -> bool:
    return 300 <= response.status < 400 and "Location" in response.headers


def _fetched(request: Request, response: Response, packed: Sent | None) -> Fetched:
    is_rendered = RENDERED_FLAG in response.flags
    return Fetched(
        response.url,
        response.body,
        datetime.now(UTC),
        status=response.status,
        headers=packed.headers if packed else _headers(response),
        sent=packed.body if packed else None,
        asked=dict(_headers(request)) if request.method == "GET" and not is_rendered else None,
        ip=str(response.ip_address) if response.ip_address else None,
        is_made=is_rendered,
    )


def _headers(message: Request | Response) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in message.headers.items()
        for value in values
    ]
