"""The table of the pages that are kept as they were fetched; their bytes are in files."""

from __future__ import annotations

from typing import Any

from alembic import op
from sqlalchemy import JSON, Column, Index, MetaData, String, Table, Text

revision = "0007"
down_revision = "0006"

_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}

metadata = MetaData()
raw_pages = Table(
    "raw_pages",
    metadata,
    Column("id", String(32), primary_key=True, comment="hash of the article's id and of the page's bytes"),
    Column("article_id", String(32), nullable=False),
    Column("site", String(255), nullable=False),
    Column("url", Text, nullable=False),
    Column("date_fetched", String(40), nullable=False, comment="of the last time when these bytes were there"),
    Column("content", String(32), nullable=False, comment="hash of the bytes, which are in the file of that name"),
    Column("arguments", JSON, nullable=False, comment="what the page is made with besides its bytes"),
    Column("continued", JSON, comment="content and arguments of each further page"),
    Index("ix_raw_pages_article", "article_id", "date_fetched"),
    Index("ix_raw_pages_fetched", "date_fetched"),
    **_UNICODE,
)


def upgrade() -> None:
    """Add the table."""
    connection = op.get_bind()
    raw_pages.create(connection, checkfirst=True)
    for index in raw_pages.indexes:
        index.create(connection, checkfirst=True)  # the step may have broken off between table and index
