"""What a worker does: each task takes its bench and plain values, and returns plain values."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from newsextract.crawl.workers.worker_answers import Pagination, SiteFile, Survey
from newsextract.page.urls.page_links import page_links
from newsextract.reading.next_page import first_page, next_page
from newsextract.sites.published import feeds, sitemaps
from newsextract.sites.published.feeds import feed_links
from newsextract.sites.published.site_files import SiteFileError
from newsextract.storage.database.connection import StorageError, open_engine
from newsextract.storage.ledger.site_memory_table import SiteMemoryStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from newsextract.article import Article
    from newsextract.crawl.workers.worker_answers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.reading.article_reader import ArticleReader
    from newsextract.sites.candidate import Candidate
    from newsextract.sites.published.sitemaps import SitemapLink

    Entry: TypeAlias = Candidate | SitemapLink

KEPT_PAGES = 16
KEPT_BYTES = 4 * 1024 * 1024
"""Of the HTML of kept pages together; their trees take some ten times as much."""

logger = logging.getLogger(__name__)


@dataclass
class RecentPages:
    """The last pages that were worked on: links and text of a page are asked for one after the other."""

    pages: OrderedDict[tuple[str | None, str | bytes], Page] = field(default_factory=OrderedDict)
    size: int = 0

    def know(self, page: Page) -> Page:
        """Return the page, with what was derived from it before, and those that continue it likewise."""
        for one in (page, *page.continued):
            self._know(one)
        return page

    def _know(self, page: Page) -> None:
        key = page.url, page.html
        known = self.pages.pop(key, None)
        if known is None:
            self.size += len(page.html)
        elif known.arguments["charset"] == page.arguments["charset"]:
            page.take_views(known)
        self.pages[key] = page
        while len(self.pages) > KEPT_PAGES or (self.size > KEPT_BYTES and len(self.pages) > 1):
            (_, html), _ = self.pages.popitem(last=False)
            self.size -= len(html)


@dataclass
class Bench:
    """What a worker keeps from task to task."""

    plan: ReaderPlan
    recent: RecentPages = field(default_factory=RecentPages)

    @cached_property
    def reader(self) -> ArticleReader:
        """The reader, with the memories of the sites whose pages come here."""
        return self.plan.create(self._shelf())

    def _shelf(self) -> SiteMemoryStore | None:
        if not self.plan.database or not self.plan.uses_memory:
            return None
        try:
            return SiteMemoryStore(open_engine(self.plan.database))
        except StorageError as error:  # an article is worth more than what is known of its site
            logger.warning("what is learned of the sites is not kept: %s", error)
            return None


def read(bench: Bench, page: Page, learn: bool) -> Article:
    """Return the article of a page; raises what `ArticleReader.read` raises."""
    return bench.reader.read(bench.recent.know(page), learn=learn)


def survey(bench: Bench, page: Page) -> Survey:
    """Return where a page leads."""
    page = bench.recent.know(page)
    base = page.base_url or ""
    return Survey(tuple(page_links(page.tree, base)), tuple(feed_links(page.tree, base)))


def paginate(bench: Bench, page: Page, first: str) -> Pagination:
    """Return the place of a page among those of the article that begins at an address."""
    page = bench.recent.know(page)
    base, url = page.base_url or "", page.url or ""
    return Pagination(first_page(page.tree, base, url), next_page(page.tree, base, url, first))


def read_sitemap(_: Bench, body: bytes, url: str) -> SiteFile:
    """Return the entries of a sitemap or an index of them."""
    return _read(sitemaps.read_sitemap, body, url)


def read_feed(_: Bench, body: bytes, url: str) -> SiteFile:
    """Return the entries of a feed."""
    return _read(feeds.read_feed, body, url)


def _read(reader: Callable[[bytes, str], Iterable[Entry]], body: bytes, url: str) -> SiteFile:
    entries: list[Entry] = []
    try:
        entries.extend(reader(body, url))
    except SiteFileError as error:
        return SiteFile(tuple(entries), error)
    return SiteFile(tuple(entries))


def save(bench: Bench) -> None:
    """Save what was learned of the sites."""
    if "reader" in bench.__dict__:
        bench.reader.memories.save()
