"""The sitemaps and feeds of the sites: asked for once, read, and their candidates given to the frontiers."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from newsextract.sites.feeds import read_feed
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import SitemapLink, read_sitemap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy import Request
    from scrapy.http import Response

    from newsextract.sites.frontier import Frontier
    from newsextract.spiders.news import NewsSpider

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Sources:
    """Reads the files in which sites name their articles; one that cannot be read is noted and left."""

    spider: NewsSpider

    def requests(self, kind: str, urls: Iterable[str], frontier: Frontier) -> list[Request]:
        """Return the requests for the sitemaps or feeds that are wanted and were not asked for yet."""
        if not self.spider.arguments.uses(kind) or frontier.is_full:
            return []
        callback = self.spider.parse_feed if kind == "feeds" else self.spider.parse_sitemap
        make = self.spider.requests.source
        return [make(url, frontier.site, callback) for url in urls if frontier.open_source(url)]

    def next_requests(self, frontier: Frontier) -> list[Request]:
        """Return the requests for the candidates to fetch now; if there are none, for a sitemap that may hold some."""
        make = self.spider.requests.candidate
        candidates = [make(each, frontier.site, frontier.hints_of(each.url)) for each in frontier.take()]
        return candidates or self.requests("sitemaps", frontier.take_sitemaps(), frontier)

    def read_sitemap(self, response: Response, frontier: Frontier) -> None:
        """Follow an index to its sitemaps, the newest first; take in the candidates of the others."""
        try:
            found = self._read(read_sitemap, response)
            frontier.add(entry for entry in found if not isinstance(entry, SitemapLink))
            frontier.add_sitemaps(entry for entry in found if isinstance(entry, SitemapLink))
        finally:
            self.close(frontier)

    def read_feed(self, response: Response, frontier: Frontier) -> None:
        """Take in the entries of a feed."""
        try:
            frontier.add(self._read(read_feed, response))
        finally:
            self.close(frontier)

    def close(self, frontier: Frontier) -> None:
        """Go on after a sitemap or feed that was read, or could not be."""
        # Before it is closed, so that the candidates from links go on waiting for the sitemaps of an index.
        nested = self.requests("sitemaps", frontier.take_sitemaps(), frontier)
        frontier.close_source()
        self.spider.outbox.send([*nested, *self.next_requests(frontier)])

    def note_unread(self, url: str, error: str) -> None:
        """Count a file that could not be read, or not to its end."""
        self.spider.crawler.stats.inc_value("newsextract/sources/unread")
        logger.info("cannot read %s: %s", url, error)

    def _read(self, read: Callable[[bytes, str], Iterable[_T]], response: Response) -> list[_T]:
        found: list[_T] = []
        try:
            found.extend(read(response.body, response.url))
        except SiteFileError as error:
            self.note_unread(response.url, str(error))
        return found
