"""An article as a row of the `articles` table."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from newsextract.page.urls.clean_urls import site_of, url_key
from newsextract.storage.database.value_fitting import fit
from newsextract.storage.schema.article_columns import ARTICLE_COLUMNS
from newsextract.storage.schema.crawl_tables import articles
from newsextract.storage.schema.search_words import spaced_out

if TYPE_CHECKING:
    from newsextract.article import Article


def row_of(article: Article) -> dict[str, Any]:
    """Return the values of the article's row, such as any database can hold; `warnings` names what had to be cut."""
    row = {column.name: column.value_of(article) for column in ARTICLE_COLUMNS}
    address = article.canonicalUrl or article.url or ""
    downloaded = row["date_downloaded"] or datetime.now(UTC).isoformat(timespec="seconds")
    key = _hash(url_key(address))
    row |= {
        "id": key,
        "number": int(key[:15], 16),
        "url": article.url or address,
        "canonical_url": address,
        "site": site_of(article.url or address),
        "content_hash": _hash(f"{article.headline}\n{article.articleBody}"),
        "date_downloaded": downloaded,
        "date_first_seen": downloaded,
    }
    row["characters"] = spaced_out(article.headline, article.description, article.articleBody)
    fitting, cut = fit(articles, row)
    if cut:
        fitting["warnings"] = [*(fitting["warnings"] or []), *(f"{name} was cut for the database" for name in cut)]
    return fitting


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
