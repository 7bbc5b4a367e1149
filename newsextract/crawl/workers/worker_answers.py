"""The input and output of workers: plain values that can be pickled.

Unanswered
├── TooSlow     the page took longer than it may, and its worker was killed
└── WorkerDied  the worker ended on its own: a crash of a library, or the system was out of memory
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from newsextract.reading.notices import ARTICLE_LIKE, DEFAULT_EXTRACTOR, KINDS
from newsextract.reading.reader import Extras
from newsextract.sites.site_list.site import extractors_of, rules_of
from newsextract.sites.visit_schedule import Patience

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from newsextract.article import Article
    from newsextract.page.urls.page_links import Link
    from newsextract.reading.memory import Shelf
    from newsextract.reading.reader import ArticleReader
    from newsextract.sites.candidate import Candidate
    from newsextract.sites.published.site_files import SiteFileError
    from newsextract.sites.published.sitemaps import SitemapLink
    from newsextract.sites.site_list.site import Site
    from newsextract.storage.copies.text_prints import TextPrint


class Unanswered(Exception):  # noqa: N818 - an end of a page, as `NoArticle` is
    """A worker gave no answer; `reason` is a short phrase, the same for every page of its kind."""

    reason = "unanswered"
    patience = Patience.TRANSIENT


class TooSlow(Unanswered):
    """The page took longer than it may."""

    reason = "too slow"
    patience = Patience.LASTING


class WorkerDied(Unanswered):
    """The worker ended while it had the page."""

    reason = "worker died"


class WorkerError(RuntimeError):
    """Replaces a worker's error that cannot be pickled; the message has the error's type and message."""


@dataclass(frozen=True)
class ReaderPlan:
    """The arguments from which a worker creates its `ArticleReader`; see `ArticleReader.create`."""

    extractor: str
    options: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, str] = field(default_factory=dict)
    kinds: Collection[str] = ARTICLE_LIKE
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    uses_memory: bool = True
    listed: tuple[Site, ...] = ()
    """Sites for which the list of sites names an extractor, which takes precedence over `sites`, or has rules."""
    extras: Extras = field(default_factory=Extras)
    """What is read beside the article itself."""
    database: str | None = None
    """The SQLAlchemy URL of the database that keeps the site memories; `None` to keep none."""

    @property
    def is_usual(self) -> bool:
        """Whether it names nothing that could be wrong: no extractor, option or source but the defaults."""
        has_own = self.options or self.sites or self.sources or self.listed
        return self.extractor == DEFAULT_EXTRACTOR and not has_own and set(KINDS).issuperset(self.kinds)

    def create(self, shelf: Shelf | None = None) -> ArticleReader:
        """Return the reader; raises what `ArticleReader.create` raises."""
        from newsextract.reading.reader import ArticleReader  # noqa: PLC0415 - only workers read

        reader = ArticleReader.create(
            self.extractor,
            self.options,
            self.sites,
            self.kinds,
            self.sources,
            shelf=shelf,
            uses_memory=self.uses_memory,
        )
        by_site = {**reader.by_site, **extractors_of(self.listed)}
        return replace(reader, by_site=by_site, extras=self.extras, rules=rules_of(self.listed))


@dataclass(frozen=True, slots=True)
class Reading:
    """An article, with what the database makes of its text."""

    article: Article
    text_hash: str | None = None
    """See `text_key`; `None` without a text."""
    words: str = ""
    """The folded words of the text, see `join_words`."""
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


@dataclass(frozen=True, slots=True)
class LogLine:
    """A log record of a worker, to be logged by the crawl's process."""

    logger: str
    level: int
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task returned, or the error it ended with."""

    value: Any = None
    error: Exception | None = None
    log: tuple[LogLine, ...] = ()
