"""The item: an article as schema.org describes it, with where every field came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from newsextract.illustrations import illustrate
from newsextract.metadata import (  # noqa: TC001 - a dataclass's types are looked up
    Author,
    Breadcrumb,
    Image,
    LiveUpdate,
    UsageRights,
)
from newsextract.words import count_words

if TYPE_CHECKING:
    from newsextract.extraction import Extraction
    from newsextract.metadata import Metadata
    from newsextract.page import Page

# ruff: noqa: N815 - the names are schema.org's, as in zyte-common-items.


@dataclass
class ArticleMetadata:
    """How and when the article was obtained."""

    dateDownloaded: str | None = None
    """ISO 8601 in UTC, to the second."""
    probability: float | None = None
    """How likely the page is an article, a live blog, a gallery or a video, from 0 to 1."""
    pageKind: str | None = None
    """`article`, `live`, `gallery`, `video`, `listing` or `other`."""
    reasons: list[str] | None = None
    """What speaks for that kind, the weightiest first: short phrases for people."""


class Judged(Protocol):
    """What was found of the kind of a page; see `newsextract.kinds.judging.PageKind`."""

    @property
    def kind(self) -> str:
        """The name of the kind."""
        ...

    @property
    def reasons(self) -> tuple[str, ...]:
        """What speaks for it."""
        ...

    @property
    def article_probability(self) -> float:
        """How likely the page is an article of any format."""
        ...


@dataclass
class ExtractionReport:
    """Who found the text, how sure that is, where each field came from, and what was refused."""

    extractor: str
    confidence: float
    """From 0 to 1; see `Extraction.confidence`."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each filled field: `json_ld`, `meta_tags`, …; for the body, the extractor."""
    warnings: list[str] = field(default_factory=list)
    languageConfidence: float | None = None
    """How sure the language is, from 0 to 1, where it was detected; `None` where the page declares it."""


@dataclass
class Article:
    """One news article. A field the page does not state is `None`, never empty."""

    url: str | None
    """Where the page was fetched, after redirects."""
    canonicalUrl: str | None = None
    headline: str | None = None
    description: str | None = None
    articleBody: str | None = field(default=None, repr=False)
    """The text, a paragraph a line, without the headline."""
    articleBodyHtml: str | None = field(default=None, repr=False)
    """The text as clean HTML with absolute URLs."""
    datePublished: str | None = None
    """ISO 8601, with offset when the page gives one."""
    datePublishedRaw: str | None = None
    dateModified: str | None = None
    dateModifiedRaw: str | None = None
    authors: list[Author] | None = None
    publisher: str | None = None
    inLanguage: str | None = None
    section: str | None = None
    keywords: list[str] | None = field(default=None, repr=False)
    breadcrumbs: list[Breadcrumb] | None = field(default=None, repr=False)
    mainImage: Image | None = field(default=None, repr=False)
    images: list[Image] | None = field(default=None, repr=False)
    """The main image first, then those inside the body, with their captions."""
    isAccessibleForFree: bool | None = None
    paywalledParts: list[str] | None = field(default=None, repr=False)
    """CSS selectors of what is behind the paywall, as the page marks it up."""
    usageRights: UsageRights | None = field(default=None, repr=False)
    """What the page, its server and its site say about use by machines."""
    liveBlogUpdates: list[LiveUpdate] | None = field(default=None, repr=False)
    """The entries of a live blog, in the order of the page; `articleBody` has their texts too."""
    wordCount: int | None = None
    metadata: ArticleMetadata | None = field(default=None, repr=False)
    extraction: ExtractionReport | None = field(default=None, repr=False)


_FROM_METADATA = (
    "canonicalUrl", "headline", "description", "datePublished", "datePublishedRaw", "dateModified", "dateModifiedRaw",
    "publisher", "inLanguage", "section", "mainImage", "isAccessibleForFree", "usageRights",
)  # fmt: skip
_LISTS_FROM_METADATA = ("authors", "keywords", "breadcrumbs", "images", "paywalledParts", "liveBlogUpdates")


def compose(
    page: Page,
    extraction: Extraction,
    metadata: Metadata,
    downloaded: datetime | None = None,
    kind: Judged | None = None,
) -> Article:
    """Return the article that an extraction, the metadata and the kind of one page make."""
    metadata = illustrate(metadata, extraction)
    body = extraction.text or None
    stamp = (downloaded or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    fields: dict[str, Any] = {name: getattr(metadata, name) for name in _FROM_METADATA}
    fields |= {name: list(getattr(metadata, name)) or None for name in _LISTS_FROM_METADATA}
    return Article(
        url=page.url,
        articleBody=body,
        articleBodyHtml=extraction.html or None,
        wordCount=count_words(body) if body else None,
        metadata=_obtained(stamp, kind),
        extraction=_report(extraction, metadata),
        **fields,
    )


def _obtained(stamp: str, kind: Judged | None) -> ArticleMetadata:
    if kind is None:
        return ArticleMetadata(stamp)
    return ArticleMetadata(stamp, round(kind.article_probability, 4), kind.kind, list(kind.reasons))


def _report(extraction: Extraction, metadata: Metadata) -> ExtractionReport:
    sources = dict(metadata.sources)
    if extraction.text:
        sources |= {"articleBody": extraction.extractor, **extraction.sources}
    return ExtractionReport(
        extraction.extractor,
        round(extraction.confidence, 4),
        sources,
        [*metadata.warnings, *extraction.warnings],
        metadata.languageConfidence,
    )
