"""An article made of what was read of its page: body, metadata and kind."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from newsextract.article import Article, ArticleMetadata, ExtractionReport
from newsextract.page.words import count_words
from newsextract.reading.metadata.article_images import with_images

if TYPE_CHECKING:
    from newsextract.page.page import Page
    from newsextract.reading.extraction.contract import Extraction
    from newsextract.reading.metadata.findings import Metadata
    from newsextract.reading.page_kinds.page_kind import PageKind


def compose(
    page: Page,
    extraction: Extraction,
    metadata: Metadata,
    downloaded: datetime | None = None,
    kind: PageKind | None = None,
) -> Article:
    """Return the article that an extraction, the metadata and the kind of one page make."""
    metadata = with_images(metadata, extraction.blocks, extraction.extractor)
    body = extraction.text or None
    stamp = (downloaded or datetime.now(UTC)).astimezone(UTC).isoformat(timespec="seconds")
    stated = {each.name: getattr(metadata, each.name) for each in fields(Article)}
    ours = {
        "url": page.url,
        "articleBody": body,
        "articleBodyHtml": extraction.html or None,
        "wordCount": count_words(body) if body else None,
        "metadata": _obtained(stamp, kind),
        "extraction": _report(extraction, metadata),
    }
    return Article(**stated | ours)


def _obtained(stamp: str, kind: PageKind | None) -> ArticleMetadata:
    if kind is None:
        return ArticleMetadata(stamp)
    return ArticleMetadata(stamp, round(kind.article_probability, 4), kind.kind, list(kind.reasons))


def _report(extraction: Extraction, metadata: Metadata) -> ExtractionReport:
    sources = dict(metadata.sources)
    if extraction.text:
        sources |= {"articleBody": extraction.extractor, **extraction.sources}
    warnings = (*metadata.warnings, *extraction.warnings)
    return ExtractionReport(
        extraction.extractor,
        round(extraction.confidence, 4),
        sources,
        [str(warning) for warning in warnings],
        metadata.languageConfidence,
        warnings,
    )
