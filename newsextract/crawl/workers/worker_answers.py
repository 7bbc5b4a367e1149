"""What workers are given and what they answer: plain values that travel between processes.

Unanswered
├── TooSlow     the page took longer than it may, and its worker was killed
└── WorkerDied  the worker ended on its own: a crash of a library, or the system was out of memory
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from newsextract.reading.article_reader import ArticleReader
from newsextract.reading.page_kinds.page_kind import ARTICLE_LIKE
from newsextract.sites.site_list.site import extractors_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from newsextract.page.urls.page_links import Link
    from newsextract.reading.site_memory.site_memories import Shelf
    from newsextract.sites.candidate import Candidate
    from newsextract.sites.published.site_files import SiteFileError
    from newsextract.sites.published.sitemaps import SitemapLink
    from newsextract.sites.site_list.site import Site


class Unanswered(Exception):  # noqa: N818 - an end of a page, as `NoArticle` is
    """A worker gave no answer; `reason` is a short phrase, the same for every page of its kind."""

    reason = "unanswered"


class TooSlow(Unanswered):
    """The page took longer than it may."""

    reason = "too slow"


class WorkerDied(Unanswered):
    """The worker ended while it had the page."""

    reason = "worker died"


class WorkerError(RuntimeError):
    """An error of a worker that cannot travel itself; the message has its type and its own message."""


@dataclass(frozen=True)
class ReaderPlan:
    """What a worker makes its `ArticleReader` from; see `ArticleReader.create`."""

    extractor: str
    options: Mapping[str, Any] = field(default_factory=dict)
    sites: Mapping[str, str] = field(default_factory=dict)
    kinds: Collection[str] = ARTICLE_LIKE
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    uses_memory: bool = True
    listed: tuple[Site, ...] = ()
    """Sites whose extractor the list of sites names; it stands above what `sites` has."""
    database: str | None = None
    """Where the memories of sites are kept, if anywhere: an SQLAlchemy URL."""

    def create(self, shelf: Shelf | None = None) -> ArticleReader:
        """Return the reader; raises what `ArticleReader.create` raises."""
        reader = ArticleReader.create(
            self.extractor,
            self.options,
            self.sites,
            self.kinds,
            self.sources,
            shelf=shelf,
            uses_memory=self.uses_memory,
        )
        return replace(reader, by_site={**reader.by_site, **extractors_of(self.listed)})


@dataclass(frozen=True, slots=True)
class Survey:
    """Where a page leads."""

    links: tuple[Link, ...]
    feeds: tuple[str, ...]
    """The addresses of the feeds that it advertises."""


@dataclass(frozen=True, slots=True)
class Pagination:
    """The place of a page among those of its article."""

    first_page: str | None
    """The address of the article, if this is a later page of it."""
    next_page: str | None
    """The address of the page after this one."""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The entries of a sitemap or feed, and what kept it from being read to its end."""

    entries: tuple[Candidate | SitemapLink, ...]
    trouble: SiteFileError | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """What a worker has to say, to be logged where the crawl logs."""

    logger: str
    level: int
    message: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a task returned, or the error it ended with."""

    value: Any = None
    error: Exception | None = None
    log: tuple[LogLine, ...] = ()
