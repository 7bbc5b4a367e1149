"""The tables of the versions that had no migrations; of those that are there, only what they lack is added."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import op
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    inspect,
)

if TYPE_CHECKING:
    from sqlalchemy import Inspector

revision = "0001"
down_revision = None

metadata = MetaData()
_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}

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
    **_UNICODE,
)

site_memory = Table(
    "site_memory",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("revision", Integer, nullable=False, comment="how often it was written; a writer must know the last one"),
    Column("updated", String(40), nullable=False, comment="ISO 8601, UTC"),
    Column("memory", LargeBinary(1 << 20), nullable=False, comment="see newsextract.memory.packing"),
    **_UNICODE,
)


def upgrade() -> None:
    """Make the tables, and the columns and indexes that came before there were migrations."""
    there = inspect(op.get_bind())
    if there.has_table(articles.name):
        _complete(there)
    metadata.create_all(op.get_bind())


def _complete(there: Inspector) -> None:
    """Add nullable columns only: what to put into the rows, where something must be, is not ours to guess."""
    known = {column["name"] for column in there.get_columns(articles.name)}
    for column in articles.columns:
        if column.name not in known and column.nullable:
            op.add_column(articles.name, Column(column.name, column.type, comment=column.comment))
    indexes = {index["name"] for index in there.get_indexes(articles.name)}
    for index in articles.indexes:
        if index.name not in indexes:
            index.create(op.get_bind())
