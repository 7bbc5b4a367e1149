"""What a crawl asks of its workers, and what they answer: plain values that can be pickled."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from newsextract.page.urls import site_of
from newsextract.processes.pool import WorkerPool
from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR
from newsextract.reading.notices import KINDS as ALL_KINDS
from newsextract.settings import (
    COMMENTS,
    DATABASE,
    EXTRACTOR,
    KINDS,
    MARKDOWN,
    METADATA_SOURCES,
    PAGE_SECONDS,
    WORKERS,
)
from newsextract.sites.site import extractors_of, rules_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from concurrent.futures import Future

    from scrapy.settings import BaseSettings

    from newsextract.article import Article
    from newsextract.page.links import Link
    from newsextract.page.page import Page
    from newsextract.reading.feed_entry import Instead
    from newsextract.reading.pagination import LinkedVersions
    from newsextract.reading.reader import ArticleReader
    from newsextract.sites.article_address import Candidate
    from newsextract.sites.site import Site
    from newsextract.sites.site_files import SiteFileError
    from newsextract.sites.sitemaps import SitemapLink
    from newsextract.storage.likeness import TextPrint


@dataclass(frozen=True)
class ReaderPlan:
    """What a worker creates its `ArticleReader` from."""

    extractor: str
    kinds: Collection[str] = ARTICLE_LIKE
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    listed: tuple[Site, ...] = ()
    """Sites for which the list of sites names an extractor, or has rules."""
    comments: bool = False
    """Whether to read the comments of readers."""
    markdown: bool = False
    """Whether to give the text as Markdown, too."""
    stores: bool = False
    """Whether articles are stored, with the words of their pages, which tell a revision from another reading."""

    @property
    def is_usual(self) -> bool:
        """Whether it names nothing that could be wrong: no extractor, option or source but the defaults."""
        has_own = self.sources or self.listed
        return self.extractor == DEFAULT_EXTRACTOR and not has_own and set(ALL_KINDS).issuperset(self.kinds)

    def create(self) -> ArticleReader:
        """Return the reader.

        Raises:
            UnknownExtractor, BadExtractorOption, BadPrecedence: a name or option is wrong.
        """
        # Only workers read.
        from newsextract.reading.extraction.contract import create_reader  # noqa: PLC0415
        from newsextract.reading.extraction_options import ExtractionOptions  # noqa: PLC0415
        from newsextract.reading.metadata.precedence import with_overrides  # noqa: PLC0415
        from newsextract.reading.reader import ArticleReader  # noqa: PLC0415

        return ArticleReader(
            create_reader(self.extractor),
            extractors_of(self.listed),
            self.kinds,
            with_overrides(self.sources),
            ExtractionOptions(comments=self.comments, markdown=self.markdown),
            rules_of(self.listed),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """An article, with what the database makes of its text."""

    article: Article
    text_hash: str | None = None
    """See `text_key`; `None` without a text."""
    words: str = ""
    """The folded words of the text, see `text_entries`."""
    text_print: TextPrint | None = None
    """What its copies are found by, if that is wanted."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The links and feeds of a page."""

    links: tuple[Link, ...]
    feeds: tuple[str, ...]
    """The URLs of the feeds that it advertises."""


@dataclass(frozen=True, slots=True)
class Pagination:
    """The place of a page in a multi-page article."""

    first_page: str | None
    """The URL of the article's first page, if this is a later one."""
    next_page: str | None
    """The URL of the next page."""
    single_page: str | None = None
    """The URL of all of the article on one page, if this is its first."""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The entries of a sitemap or feed, and the error that stopped the reading, if any."""

    entries: tuple[Candidate | SitemapLink, ...]
    trouble: SiteFileError | None = None


class Readers:
    """Sends pages and site files to workers; every method returns the future of its answer at once.

    A future fails with what the task raises, or with an `Unanswered` of `newsextract.processes.pool`. Each site belongs
    to one worker, which keeps its pages under way, and which alone is held up by a site of slow pages. With no
    processes, one thread does all tasks, without a time limit.
    """

    def __init__(self, plan: ReaderPlan, workers: int = 0, *, seconds: float = PAGE_SECONDS.default) -> None:
        self.pool = WorkerPool("newsextract.crawl.reader_tasks:ReaderTasks", plan, processes=workers, seconds=seconds)
        self.refuse = self.pool.refuse
        self.close = self.pool.close
        self.counts = self.pool.counts

    def read(self, page: Page, *, anywhere: bool = False) -> Future[Article]:
        """Return the article of a page; fails with what `ArticleReader.read` raises.

        `anywhere`: by any worker, not its site's alone, which is faster for many pages of one site.
        """
        return self.pool.submit("read", page, key=None if anywhere else _site(page))

    def read_to_store(self, page: Page, *, with_print: bool) -> Future[Reading]:
        """Return the article of a page as `read` does, with its words, and with the print by which copies are found."""
        return self.pool.submit("read_to_store", page, with_print, key=_site(page))

    def survey(self, page: Page) -> Future[Survey]:
        """Return the links and feeds of a page."""
        return self.pool.submit("survey", page, key=_site(page))

    def script_signs(self, page: Page) -> Future[tuple[str, ...]]:
        """Return the signs that scripts bring the text of a page that gave no article."""
        return self.pool.submit("script_signs", page, key=_site(page))

    def linked_versions(self, page: Page) -> Future[LinkedVersions]:
        """Return the versions that a page links."""
        return self.pool.submit("linked_versions", page, key=_site(page))

    def paginate(self, page: Page, first: str | None = None) -> Future[Pagination]:
        """Return the place of a page in the article that begins at the URL `first`, or at the page itself."""
        return self.pool.submit("paginate", page, first or page.url or "", key=_site(page))

    def read_sitemap(self, body: bytes, url: str) -> Future[SiteFile]:
        """Return the entries of a sitemap or sitemap index."""
        return self.pool.submit("read_sitemap", body, url)

    def read_feed(self, body: bytes, url: str, *, with_texts: bool = False) -> Future[SiteFile]:
        """Return the entries of a feed, if wanted with their texts."""
        return self.pool.submit("read_feed", body, url, with_texts)

    def read_entry(self, packed: bytes, instead: Instead) -> Future[Article | None]:
        """Return the article of a feed's entry in place of a page; `None` if its text is a teaser."""
        return self.pool.submit("read_entry", packed, instead, key=site_of(instead.url))


def _site(page: Page) -> str:
    return site_of(page.url or "")


def plan_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> ReaderPlan:
    """Return the plan for reading pages, with the extractors and rules that the list of sites has for its sites."""
    return ReaderPlan(
        EXTRACTOR.of(settings),
        kinds=KINDS.of(settings),
        sources=METADATA_SOURCES.of(settings),
        listed=tuple(site for site in sites if site.extractor or site.rules),
        comments=COMMENTS.of(settings),
        markdown=MARKDOWN.of(settings),
        stores=DATABASE.of(settings) is not None,
    )


def readers_from_settings(settings: BaseSettings, sites: Iterable[Site] = ()) -> Readers:
    """Return the workers that read the pages of a crawl; raises `BadSetting`."""
    plan = plan_from_settings(settings, sites)
    if not plan.is_usual:
        plan.create()  # a wrong name must fail at start, not on every page
    return Readers(plan, WORKERS.of(settings), seconds=PAGE_SECONDS.of(settings))
