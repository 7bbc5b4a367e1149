"""What a worker of a crawl does: each task takes and returns plain values."""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from newsextract.crawl.readers import Pagination, Reading, SiteFile, Survey
from newsextract.page.links import page_links
from newsextract.page.page_words import page_words
from newsextract.reading.feed_article import article_of
from newsextract.reading.feed_entry import FeedEntry
from newsextract.reading.notices import HYDRATION
from newsextract.reading.pagination import first_page, linked_versions, next_page
from newsextract.reading.reader import of_host
from newsextract.reading.rules import ruled_next_page, ruled_single_page
from newsextract.reading.script_need import script_signs
from newsextract.sites.feeds import feed_links, read_feed
from newsextract.sites.site_files import SiteFileError
from newsextract.sites.sitemaps import read_sitemap
from newsextract.storage.articles import text_key
from newsextract.storage.likeness import TextPrint
from newsextract.storage.rows import cleaned
from newsextract.storage.word_index import text_entries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from newsextract.article import Article
    from newsextract.crawl.readers import ReaderPlan
    from newsextract.page.page import Page
    from newsextract.reading.feed_entry import Instead
    from newsextract.reading.pagination import LinkedVersions
    from newsextract.reading.reader import ArticleReader
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.sitemaps import SitemapLink

    Entry: TypeAlias = Candidate | SitemapLink

KEPT_PAGES = 16
"""Pages under way that a worker keeps, with their trees."""


class PagesUnderWay:
    """Keeps pages whose links were asked for, because their text is asked for next, and after that no more."""

    def __init__(self) -> None:
        self.pages: OrderedDict[tuple[str | None, str | bytes, str | None], Page] = OrderedDict()

    def keep(self, page: Page) -> Page:
        """Return the page with what was derived from it before, and keep it."""
        self.pages[page.url, page.html, page.arguments["charset"]] = self.take(page)
        if len(self.pages) > KEPT_PAGES:
            self.pages.popitem(last=False)
        return page

    def take(self, page: Page) -> Page:
        """Return the page with what was derived from it before; likewise the pages that continue it."""
        for one in (page, *page.continued):
            if known := self.pages.pop((one.url, one.html, one.arguments["charset"]), None):
                one.take_views(known)
        return page


class ReaderTasks:
    """The tasks of a worker, with what it keeps between them."""

    def __init__(self, plan: ReaderPlan) -> None:
        self.plan = plan
        self._under_way = PagesUnderWay()

    @cached_property
    def reader(self) -> ArticleReader:
        """The reader, made when the first page comes."""
        return self.plan.create()

    def read(self, page: Page) -> Article:
        """Return the article of a page; raises what `ArticleReader.read` raises."""
        article = self.reader.read(self._under_way.take(page))
        if self.plan.stores and article.articleBody and article.extraction is not None:
            is_data = article.extraction.sources["articleBody"] == HYDRATION
            texts = article.headline, article.description, article.articleBody
            article.page_words = page_words(page, *texts, data=article.articleBody if is_data else "")
        return article

    def read_to_store(self, page: Page, with_print: bool) -> Reading:
        """Return the article of a page as `read` does, with what the database makes of its text."""
        article = self.read(page)
        text_hash = text_key(article)
        if text_hash is None:
            return Reading(article)
        body = cleaned(article.articleBody)
        return Reading(article, text_hash, text_entries(body), TextPrint.of(body) if with_print else None)

    def survey(self, page: Page) -> Survey:
        """Return the links and feeds of a page."""
        page = self._under_way.keep(page)
        base = page.base_url or ""
        return Survey(tuple(page_links(page.tree, base)), tuple(feed_links(page.tree, base)))

    def script_signs(self, page: Page) -> tuple[str, ...]:
        """Return the signs that scripts bring the text of a page."""
        return script_signs(self._under_way.take(page))

    def linked_versions(self, page: Page) -> LinkedVersions:
        """Return the versions that a page links."""
        return linked_versions(self._under_way.take(page))

    def paginate(self, page: Page, first: str) -> Pagination:
        """Return the place of a page in the article that begins at the URL `first`."""
        page = self._under_way.keep(page)
        base, url = page.base_url or "", page.url or ""
        following = next_page(page.tree, base, url, first)
        rules = of_host(self.reader.rules, url)
        following = ruled_next_page(page, first, rules, following)
        single = ruled_single_page(page, rules) if url == first else None
        return Pagination(first_page(page.tree, base, url), following, single)

    def read_sitemap(self, body: bytes, url: str) -> SiteFile:
        """Return the entries of a sitemap or sitemap index."""
        return _read(read_sitemap(body, url))

    def read_feed(self, body: bytes, url: str, with_texts: bool) -> SiteFile:
        """Return the entries of a feed, if wanted with their texts."""
        return _read(read_feed(body, url, with_texts=with_texts))

    def read_entry(self, packed: bytes, instead: Instead) -> Article | None:
        """Return the article of a feed's entry in place of a page; `None` if its text is a teaser."""
        if instead.page is not None:
            self._under_way.take(instead.page)
        return article_of(FeedEntry.unpack(packed), instead, self.reader.precedence)


def _read(found: Iterable[Entry]) -> SiteFile:
    entries: list[Entry] = []
    try:
        entries.extend(found)
    except SiteFileError as error:
        return SiteFile(tuple(entries), error)
    return SiteFile(tuple(entries))
