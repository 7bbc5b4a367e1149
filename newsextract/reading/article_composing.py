"""Compose an article from what was read of its page: the body, the metadata and the kind."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.page.urls.clean_urls import site_of
from newsextract.page.urls.registrable_domains import registrable_domain, same_owner
from newsextract.page.words import count_words
from newsextract.reading.metadata.article_images import with_images
from newsextract.reading.metadata.article_media import with_media
from newsextract.reading.notices import Notice, NoticeCode

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata import Metadata
    from newsextract.reading.page_kinds.page_kind import PageKind


def compose(
    page: Page,
    extraction: Extraction,
    metadata: Metadata,
    downloaded: datetime | None = None,
    kind: PageKind | None = None,
) -> Article:
    """Compose an article from the extraction, the metadata and the kind of one page."""
    shown = [page.illustrations for page in extraction.by_page]
    metadata = with_images(metadata, shown if extraction.content.images else (), extraction.extractor)
    metadata = with_media(metadata, shown, extraction.extractor)
    body = extraction.text or None
    stamp = (downloaded or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    stated = {each.name: getattr(metadata, each.name) for each in fields(Article)}
    ours = {
        "url": page.url,
        "articleBody": body,
        "articleBodyHtml": extraction.html or None,
        "wordCount": count_words(body) if body else None,
        "metadata": _obtained(stamp, kind),
        "extraction": _report(extraction, metadata, (*_subscribed(page), *_foreign(page.url, metadata.canonicalUrl))),
    }
    return Article(**stated | ours)


def _obtained(stamp: str, kind: PageKind | None) -> ArticleMetadata:
    if kind is None:
        return ArticleMetadata(stamp)
    return ArticleMetadata(stamp, round(kind.article_probability, 4), kind.kind, list(kind.reasons))


def _subscribed(page: Page) -> tuple[Notice, ...]:
    """Return a notice of a page that was fetched with a subscription, or is continued by one that was."""
    is_ours = any(each.hints.with_subscription for each in (page, *page.continued))
    return (Notice(NoticeCode.WITH_SUBSCRIPTION),) if is_ours else ()


def _foreign(url: str | None, canonical: str | None) -> tuple[Notice, ...]:
    """Return a notice of a canonical URL that is not on the page's site: it claims that the page is a copy."""
    if not url or not canonical or same_owner(url, canonical):
        return ()
    return (Notice(NoticeCode.OTHER_DOMAIN, domain=registrable_domain(site_of(canonical))),)


def _report(extraction: Extraction, metadata: Metadata, notices: tuple[Notice, ...]) -> ExtractionReport:
    sources = dict(metadata.sources)
    if extraction.text:
        sources |= {"articleBody": extraction.extractor, **extraction.sources}
    warnings = (*metadata.warnings, *notices, *extraction.warnings)
    return ExtractionReport(
        extraction.extractor,
        round(extraction.confidence, 4),
        sources,
        [str(warning) for warning in warnings],
        metadata.languageConfidence,
        warnings,
    )
