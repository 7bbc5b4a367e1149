"""Revisions by their numbers, and what links near-duplicates; nothing wrote to the tables that were there for it."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, MetaData, String, Table, Text
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0005"
down_revision = "0004"

_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}
_BEFORE = ("revisions", "clusters", "cluster_articles")

metadata = MetaData()


def _hash(name: str, *arguments: Any, **options: Any) -> Column[str]:
    return Column(name, String(32), *arguments, **options)


def _time(name: str, **options: Any) -> Column[str]:
    return Column(name, String(40), **options)


revisions = Table(
    "revisions",
    metadata,
    _hash("article_id", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="0: the text before the first change"),
    _time("date_seen", nullable=False, comment="ISO 8601, UTC"),
    _hash("content_hash", nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")),
    _time("date_modified"),
    Column("changes", JSON, comment="since the revision before: see newsextract.storage.revisions.article_differences"),
    Index("ix_revisions_seen", "date_seen"),
    **_UNICODE,
)

fingerprint_keys = Table(
    "fingerprint_keys",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False, comment="of a band or a sentence"),
    Column("article_number", BigInteger, primary_key=True, autoincrement=False),
    Column("day", Integer, nullable=False, comment="of the article, since 1970"),
    Index("ix_fingerprint_keys_article", "article_number"),
    sqlite_with_rowid=False,
    **_UNICODE,
)

clusters = Table(
    "clusters",
    metadata,
    _hash("id", primary_key=True, comment="of the article that was seen first"),
    _time("date_first_seen", nullable=False),
    Column("day", Integer, nullable=False, comment="of that article, since 1970"),
    _hash("merged_into", comment="the older story that it turned out to be"),
    Index("ix_clusters_merged", "merged_into"),
    **_UNICODE,
)

cluster_articles = Table(
    "cluster_articles",
    metadata,
    _hash("article_id", primary_key=True),
    _hash("cluster_id", nullable=False),
    Column("similarity", Float, nullable=False, comment="shingles that both have, of all; with what linked it, 0 to 1"),
    Column("containment", Float, nullable=False, comment="the same, of those of the shorter one"),
    Index("ix_cluster_articles_cluster", "cluster_id"),
    **_UNICODE,
)

locks = Table(
    "locks",
    metadata,
    Column("name", String(32), primary_key=True, comment="what one writer does at a time"),
    **_UNICODE,
)


def upgrade() -> None:
    """Make the tables anew, also where an attempt broke off between two of them."""
    connection = op.get_bind()
    for name in {*_BEFORE, *metadata.tables}:
        op.execute(f"DROP TABLE IF EXISTS {name}")
    metadata.create_all(connection)
