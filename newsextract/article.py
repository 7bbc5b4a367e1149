"""The item: an article as schema.org describes it, with where every field came from."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from newsextract.metadata import Author, Breadcrumb, Image  # noqa: TC001 - a dataclass's types are looked up
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
    """How likely the page is an article, from 0 to 1; `None` where the extractor makes no such estimate."""


@dataclass
class ExtractionReport:
    """Who found the text, how sure that is, where each field came from, and what was refused."""

    extractor: str
    confidence: float
    """From 0 to 1; see `Extraction.confidence`."""
    sources: dict[str, str] = field(default_factory=dict)
    """The source of each filled field: `json_ld`, `meta_tags`, …; for the body, the extractor."""
    warnings: list[str] = field(default_factory=list)


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
    keywords: list[str] | None = field(default=None, repr=False)
    breadcrumbs: list[Breadcrumb] | None = field(default=None, repr=False)
    mainImage: Image | None = field(default=None, repr=False)
    images: list[Image] | None = field(default=None, repr=False)
    isAccessibleForFree: bool | None = None
    wordCount: int | None = None
    metadata: ArticleMetadata | None = field(default=None, repr=False)
    extraction: ExtractionReport | None = field(default=None, repr=False)


_FROM_METADATA = (
    "canonicalUrl", "headline", "description", "datePublished", "datePublishedRaw", "dateModified", "dateModifiedRaw",
    "publisher", "inLanguage", "mainImage", "isAccessibleForFree",
)  # fmt: skip
_LISTS_FROM_METADATA = ("authors", "keywords", "breadcrumbs", "images")


def compose(page: Page, extraction: Extraction, metadata: Metadata, downloaded: datetime | None = None) -> Article:
    """Return the article that an extraction and the metadata of one page make."""
    body = extraction.text or None
    sources = dict(metadata.sources)
    if body:
        sources |= {"articleBody": extraction.extractor, **extraction.sources}
    stamp = (downloaded or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    confidence = round(extraction.confidence, 4)
    fields: dict[str, Any] = {name: getattr(metadata, name) for name in _FROM_METADATA}
    fields |= {name: list(getattr(metadata, name)) or None for name in _LISTS_FROM_METADATA}
    return Article(
        url=page.url,
        articleBody=body,
        articleBodyHtml=extraction.html or None,
        wordCount=count_words(body) if body else None,
        metadata=ArticleMetadata(stamp, extraction.estimate),
        extraction=ExtractionReport(
            extraction.extractor, confidence, sources, [*metadata.warnings, *extraction.warnings]
        ),
        **fields,
    )
