"""The pipelines: one reads a page, one judges the article, one stores it. None of them downloads anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from zlib import crc32

from scrapy.exceptions import NotConfigured

from newsextract.article import Article
from newsextract.crawl.feeds_export import is_exported, local_feeds
from newsextract.crawl.outcome import (
    SAME_UNDER_HEADLINES,
    UNWRITTEN,
    Outcome,
    PageDropped,
    ShowsNoArticle,
    Stopped,
    unanswered,
    unread,
)
from newsextract.crawl.parts import parts_of
from newsextract.crawl.scrapy_versions import answer_of
from newsextract.page.page import Page, PageError
from newsextract.page.urls import site_of, url_key
from newsextract.processes.pool import Unanswered
from newsextract.reading.feed_entry import is_fallback
from newsextract.reading.notices import BadExtractorOption, NoArticle, PageState, UnknownExtractor
from newsextract.sites.article_address import address_of
from newsextract.storage.articles import Flag, flag, text_key
from newsextract.storage.database_thread import GivenUp
from newsextract.storage.removals import UNWANTED_LANGUAGE
from newsextract.storage.revisions import Stored

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.crawler import Crawler

    from newsextract.crawl.database import Database
    from newsextract.crawl.parts import CrawlParts
    from newsextract.crawl.visits import Fallbacks
    from newsextract.sites.site import SiteIndex

STORED = Outcome(PageState.DUPLICATE, "stored before, unchanged", is_stored=True)
"""The end of an article that the database already has, unchanged."""

SAME_TEXT = Outcome(PageState.DUPLICATE, "same text")
"""The end of an article whose text another article of the site has, from any run."""

EXPORTED = Outcome(PageState.DUPLICATE, "stored and exported by a run that broke off", is_stored=True, is_exported=True)
"""The end of an article that an earlier run stored and exported, but did not record as ended."""

MIN_HEADLINES = 3
"""Headlines that make a text an interstitial. One story may have two URLs with different headlines; three are rare."""

FIRST_PARAGRAPHS = 4
"""Paragraphs at the beginning of a text by which it is known."""
MIN_PARAGRAPH_CHARS = 40
"""Shorter lines are labels, names and dates."""
SHARED_PARAGRAPHS = 0.67
"""Of these, in characters: an article may begin with a standing introduction."""

WARNING = "the same text stands under other headlines of the site: a wall or a notice, and no article"

_SKETCH_LINES = 6
"""Lines of a text that are compared to recognise another version of it."""
_SHARED_RATIO = 1 / 3
"""The least share of these lines that two versions have in common: one may be cut to half."""


class ReadingPipeline:
    """Turns every `Page` into an `Article`; items of other kinds pass untouched.

    Workers do the reading.
    """

    def __init__(self, parts: CrawlParts) -> None:
        self.parts = parts

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's workers."""
        return cls(parts_of(crawler))

    async def process_item(self, item: Any, *_: Any) -> Any:
        """Return the article of a page; raises `ShowsNoArticle` for one that is none."""
        if not isinstance(item, Page):
            return item
        try:
            article = await self._read(item)
        except NoArticle as found:
            outcome = Outcome(found.state, found.reason)
            if fallback := await self.parts.fallbacks.of_page(item, outcome):
                return fallback
            raise ShowsNoArticle(outcome, item.url) from None
        except PageError as error:
            raise ShowsNoArticle(unread(error.reason), item.url) from None
        except Unanswered as error:
            raise ShowsNoArticle(unanswered(error), item.url) from None
        except Stopped:
            raise PageDropped(UNWRITTEN, item.url) from None
        except (UnknownExtractor, BadExtractorOption) as error:
            # Named in the meta of one request; names in settings are errors at start.
            unknown = Outcome(PageState.ERROR, "unknown extractor")
            raise PageDropped(unknown, f"{item.url}: {error}", log_level="ERROR") from None
        return article

    async def _read(self, page: Page) -> Article:
        database, readers = self.parts.database, self.parts.readers
        if self.parts.kept_pages is not None and page.url:
            self.parts.kept_pages.under_way[page.url] = page
        if database is None:
            return await answer_of(readers.read(page))
        found = await answer_of(readers.read_to_store(page, with_print=database.links_stories))
        if found.text_hash is not None and found.article.articleBody:
            database.words.put(found.article.articleBody, found.words)
            if found.text_print is not None:
                database.prints.put(found.text_hash, found.text_print)
        return found.article


@dataclass(frozen=True, slots=True)
class _Shown:
    """A page that showed a paragraph under its headline, with its URL and its canonical URL."""

    headline: int
    url: str
    canonical_url: str


class JudgingPipeline:
    """Drops articles in languages that nobody asked for, interstitials, and duplicates of this run.

    The third page of a site with another headline whose text is mostly the paragraphs of the others' beginnings is an
    interstitial, as a paywall, and so are those that follow: what stands around a wall may differ. The rows of those
    that were stored as articles before get a warning.

    A duplicate is an article that was met at one of its URLs, or whose text the same site has. The same text on two
    sites is two articles: who published what is the point of a watch. Two texts that are said to be at one URL, and
    have nothing in common, are two articles as well. What earlier runs have met is found when it is stored.
    """

    def __init__(self, sites: SiteIndex, database: Database | None = None, fallbacks: Fallbacks | None = None) -> None:
        self.sites = sites
        self.database = database
        self.fallbacks = fallbacks
        self.paragraphs: dict[int, tuple[_Shown, ...]] = {}
        """The first pages with other headlines that begin with a paragraph, by its key and the site's."""
        self.flagged: set[_Shown] = set()
        self.urls: set[str] = set()
        """Keys of the URLs where articles were fetched."""
        self.sketches: dict[str, tuple[int, ...]] = {}
        """The sketches of the texts, by the keys of their fetched and canonical URLs."""
        self.met_texts: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's sites, database and fallbacks."""
        parts = parts_of(crawler)
        return cls(parts.sites, parts.database, parts.fallbacks)

    async def process_item(self, item: Any, *_: Any) -> Any:
        """Return the article if it is new and wanted; or the feed's text in place of an interstitial."""
        if not isinstance(item, Article):
            return item
        site = self.sites.find(item.url or "")
        if site is not None and site.languages and site.speaks(item.inLanguage) is False:
            raise PageDropped(Outcome(PageState.OTHER, UNWANTED_LANGUAGE), item.url)
        key = text_key(item)
        if key is not None and await self._is_interstitial(item):
            if is_fallback(item) or self.fallbacks is None:
                raise PageDropped(SAME_UNDER_HEADLINES, item.url)
            article = await self.fallbacks.of_interstitial(item, SAME_UNDER_HEADLINES)
            if article is None:
                raise PageDropped(SAME_UNDER_HEADLINES, item.url)
            item, key = article, text_key(article)
        self._refuse_duplicate(item, key)
        return item

    async def _is_interstitial(self, article: Article) -> bool:
        long = [line for line in (article.articleBody or "").splitlines() if len(line) >= MIN_PARAGRAPH_CHARS]
        site = site_of(article.url or "")
        headline = crc32(" ".join((article.headline or "").casefold().split()).encode("utf-8", "replace"))
        page = _Shown(headline, article.url or "", article.canonicalUrl or "")
        shared, earlier = 0, set[_Shown]()
        first = long[:FIRST_PARAGRAPHS] or [article.articleBody or ""]
        for line in first:
            key = crc32(f"{site}\n{line}".encode("utf-8", "replace"))
            shown = self.paragraphs.get(key, ())
            if len(shown) < MIN_HEADLINES and headline not in {one.headline for one in shown}:
                shown = self.paragraphs[key] = (*shown, page)
            if len(shown) == MIN_HEADLINES:
                shared += len(line)
                earlier.update(shown)
        if not shared or shared < sum(map(len, first)) * SHARED_PARAGRAPHS:
            return False
        stored = sorted((one.url, one.canonical_url) for one in earlier - self.flagged - {page})
        self.flagged |= earlier
        if self.database is not None:
            await self.database.run_all(flag, [Flag(*urls, WARNING) for urls in stored])
        return True

    def _refuse_duplicate(self, article: Article, text: str | None) -> None:
        own, sketch = url_key(article.url or ""), _sketch(article)
        key = url_key(address_of(article, self.sites))
        # Either may come first: the page at the canonical URL, or a page that states it.
        known = (self.sketches[one] for one in (own, key) if one in self.sketches)
        if (own and own in self.urls) or any(_is_same(sketch, one) for one in known):
            raise PageDropped(Outcome(PageState.DUPLICATE, "same canonical URL"), article.url)
        # A database judges that itself, which knows whose text an interrupted run has stored.
        if text and self.database is None and text in self.met_texts:
            raise PageDropped(SAME_TEXT, article.url)
        self.urls.add(own)
        self.sketches[own] = sketch
        self.sketches.setdefault(key, sketch)
        if text:
            self.met_texts.add(text)


def _sketch(article: Article) -> tuple[int, ...]:
    r"""Return the lowest hashes of a text's lines, which are the same in every process.

    >>> _sketch(Article("https://a.example/", articleBody="one\ntwo"))
    (298486374, 2053932785)
    """
    lines = (article.articleBody or "").encode("utf-8", "replace").splitlines()
    return tuple(sorted(map(crc32, lines))[:_SKETCH_LINES])


def _is_same(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    # Only the lowest hashes of both together: a page that quotes a line of an article is not a version of it.
    lowest = sorted({*one, *other})[:_SKETCH_LINES]
    shared = len({*one}.intersection(other, lowest))
    return shared > 0 and shared >= len(lowest) * _SHARED_RATIO


class StoringPipeline:
    """Stores every article, and passes it on whether it is new or not."""

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Use the crawl's database; raises `NotConfigured` if it has none."""
        database = parts_of(crawler).database
        if database is None:
            raise NotConfigured  # no database, no storage
        return cls(database)

    async def process_item(self, item: Any, *_: Any) -> Any:
        """Store the article, and return it."""
        if isinstance(item, Article):
            await self._store(item)
        return item

    async def _store(self, article: Article) -> Stored:
        """Store an article; drop it, and leave its page to the next run, if the database has been away for too long."""
        try:
            return await self.database.run(self.database.put, article)
        except GivenUp:
            raise PageDropped(UNWRITTEN, article.url) from None


class StoringNewPipeline(StoringPipeline):
    """Stores each article once; drops one that is stored already and unchanged as a duplicate.

    Unless it was stored by a run that broke off before it could hand it on: then that is made up for.
    """

    feeds: Sequence[Path] = ()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Look for what a broken run has exported in the feeds of the settings."""
        self = super().from_crawler(crawler)
        self.feeds = local_feeds(crawler.settings)
        return self

    async def process_item(self, item: Any, *_: Any) -> Any:
        """Store the article and return it, unless the database already has it unchanged."""
        if not isinstance(item, Article):
            return item
        stored = await self._store(item)
        if stored is Stored.SAME_TEXT:
            raise PageDropped(SAME_TEXT, item.url)
        if stored is Stored.UNCHANGED:
            raise PageDropped(STORED, item.url)
        if stored is Stored.UNFINISHED and is_exported(item, self.feeds):
            raise PageDropped(EXPORTED, item.url)
        return item
