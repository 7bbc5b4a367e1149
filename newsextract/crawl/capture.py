"""Downloader middlewares that write what is fetched into WARC files, as `NEWSEXTRACT_WARC` asks for."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Self

from newsextract.crawl.futures import answer_of
from newsextract.crawl.parts import parts_of
from newsextract.crawl.requests import RENDERED_FLAG, content_hash, find_visit
from newsextract.crawl.sessions import LOGIN
from newsextract.storage.warc_store import Fetched, date_of, put_records, stored_bodies

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from newsextract.crawl.parts import CrawlParts

logger = logging.getLogger(__name__)


class Capture:
    """Writes each response and its request, before anything that follows from them is stored.

    Logins are left out, and what Scrapy's cache answers: that is not fetched.
    """

    takes_redirects = False

    def __init__(self, parts: CrawlParts) -> None:
        self.parts = parts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's store."""
        return cls(parts_of(crawler))

    async def process_response(self, request: Request, response: Response, **_: Any) -> Response:
        """Write a response, and return it as it is."""
        is_redirect = 300 <= response.status < 400 and "Location" in response.headers
        if is_redirect is self.takes_redirects and LOGIN not in request.meta and "cached" not in response.flags:
            try:
                await self._write(request, response)
            except OSError as error:
                self.parts.stats.inc_value("newsextract/warc/failed")
                logger.error("%s is not in the WARC: %s", response.url, error)  # noqa: TRY400 - the disk's, not ours
        return response

    async def _write(self, request: Request, response: Response) -> None:
        store, database = self.parts.warc, self.parts.database
        assert store is not None  # noqa: S101 - the add-on adds this where there is one
        visit = find_visit(request)
        if database is not None and visit and visit.known.content_hash and response.body:
            content = content_hash(response.body)
            is_repeated = content == visit.known.content_hash and content not in store.known
            if is_repeated and (row := await database.run(stored_bodies, content)):
                store.note(content, row["url"], date_of(row))
        row = await answer_of(store.thread.submit(store.put, _fetched(request, response)))
        self.parts.stats.inc_value(f"newsextract/warc/{row['kind']}")
        if database is not None:
            database.send(put_records, row)


class RedirectCapture(Capture):
    """Writes the responses that lead elsewhere, which other middlewares do not get to see."""

    takes_redirects = True


def _fetched(request: Request, response: Response) -> Fetched:
    return Fetched(
        response.url,
        response.body,
        datetime.now(UTC),
        status=response.status,
        headers=_headers(response),
        asked=dict(_headers(request)) if request.method == "GET" else None,
        ip=str(response.ip_address) if response.ip_address else None,
        is_made=RENDERED_FLAG in response.flags,
    )


def _headers(message: Request | Response) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, values in message.headers.items()
        for value in values
    ]
