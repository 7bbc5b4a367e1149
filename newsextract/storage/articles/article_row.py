"""An article as a row of the `articles` table."""

from __future__ import annotations

import hashlib
import re
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from newsextract.page.urls.clean_urls import site_of, url_key
from newsextract.storage.database.value_fitting import fit
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.search_words import spaced_out

if TYPE_CHECKING:
    from newsextract.article import Article

_PLAIN_FIELDS = (
    "url", "headline", "description", "articleBody", "articleBodyHtml", "datePublished", "datePublishedRaw",
    "dateModified", "dateModifiedRaw", "publisher", "inLanguage", "section", "keywords", "isAccessibleForFree",
    "paywalledParts", "wordCount",
)  # fmt: skip
_NESTED_FIELDS = ("authors", "breadcrumbs", "images", "liveBlogUpdates")


def row_of(article: Article) -> dict[str, Any]:
    """Return the values of the article's row, such as any database can hold; `warnings` names what had to be cut."""
    row = {column: getattr(article, name) for name, column in _PLAIN_COLUMNS.items()}
    row |= {column: _plain(getattr(article, name)) for name, column in _NESTED_COLUMNS.items()}
    address = article.canonicalUrl or article.url or ""
    report, obtained = article.extraction, article.metadata
    downloaded = (obtained and obtained.dateDownloaded) or datetime.now(UTC).isoformat(timespec="seconds")
    key = _hash(url_key(address))
    row |= {
        "id": key,
        "number": int(key[:15], 16),
        "url": article.url or address,
        "canonical_url": address,
        "site": site_of(article.url or address),
        "main_image": article.mainImage.url if article.mainImage else None,
        "usage_rights": asdict(article.usageRights) if article.usageRights else None,
        "language_confidence": report.languageConfidence if report else None,
        "probability": obtained.probability if obtained else None,
        "extractor": report.extractor if report else None,
        "confidence": report.confidence if report else None,
        "sources": report.sources if report else None,
        "warnings": report.warnings if report else None,
        "content_hash": _hash(f"{article.headline}\n{article.articleBody}"),
        "date_downloaded": downloaded,
        "date_first_seen": downloaded,
    }
    row["characters"] = spaced_out(article.headline, article.description, article.articleBody)
    fitting, cut = fit(articles, row)
    if cut:
        fitting["warnings"] = [*(fitting["warnings"] or []), *(f"{name} was cut for the database" for name in cut)]
    return fitting


def snake_case(name: str) -> str:
    """Return a schema.org name as a column's.

    >>> snake_case("datePublishedRaw")
    'date_published_raw'
    """
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _plain(values: list[Any] | None) -> list[dict[str, Any]] | None:
    return None if values is None else [asdict(value) for value in values]


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()


_PLAIN_COLUMNS = {name: snake_case(name) for name in _PLAIN_FIELDS}
_NESTED_COLUMNS = {name: snake_case(name) for name in _NESTED_FIELDS}
