"""The tables: a column per plain field of an article, in snake_case; lists and nested parts as JSON."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

_MEMORY_BYTES = 1 << 20
"""What a site's memory stays below; MySQL has a type for each size."""

articles = Table(
    "articles",
    metadata,
    Column("id", String(32), primary_key=True, comment="hash of the canonical URL"),
    Column("url", Text, nullable=False),
    Column("canonical_url", Text, nullable=False, comment="the page's own URL where it states none"),
    Column("site", String(255), nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", Text),
    Column("article_body_html", Text),
    Column("date_published", String(40), comment="ISO 8601"),
    Column("date_published_raw", Text),
    Column("date_modified", String(40), comment="ISO 8601"),
    Column("date_modified_raw", Text),
    Column("authors", JSON),
    Column("publisher", Text),
    Column("in_language", String(35)),
    Column("language_confidence", Float, comment="where the language was detected"),
    Column("section", Text),
    Column("keywords", JSON),
    Column("breadcrumbs", JSON),
    Column("main_image", Text),
    Column("images", JSON),
    Column("is_accessible_for_free", Boolean),
    Column("paywalled_parts", JSON, comment="CSS selectors"),
    Column("usage_rights", JSON),
    Column("live_blog_updates", JSON),
    Column("word_count", Integer),
    Column("probability", Float),
    Column("extractor", String(64)),
    Column("confidence", Float),
    Column("sources", JSON),
    Column("warnings", JSON),
    Column("content_hash", String(32), nullable=False, comment="of headline and body"),
    Column("date_downloaded", String(40), nullable=False, comment="ISO 8601, UTC: the newest version's"),
    Column("date_first_seen", String(40), nullable=False, comment="ISO 8601, UTC"),
    Index("ix_articles_site_date", "site", "date_published"),
    Index("ix_articles_first_seen", "date_first_seen"),
)

site_memory = Table(
    "site_memory",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("revision", Integer, nullable=False, comment="how often it was written; a writer must know the last one"),
    Column("updated", String(40), nullable=False, comment="ISO 8601, UTC"),
    Column("memory", LargeBinary(_MEMORY_BYTES), nullable=False, comment="see newsextract.memory.packing"),
)
