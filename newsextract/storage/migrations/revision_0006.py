"""The articles that watch rules are true of."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, Index, MetaData, String, Table

revision = "0006"
down_revision = "0005"

matches = Table(
    "matches",
    MetaData(),
    Column("article_id", String(32), primary_key=True),
    Column("rule", String(100), primary_key=True, comment="its name in watch.yml"),
    Column("revision", String(32), nullable=False, comment="hash of what the rule said"),
    Column("date_matched", String(40), nullable=False, comment="when the article was first found to match"),
    Column("passages", JSON, nullable=False, comment="field, start, text, and the marks in it"),
    Index("ix_matches_rule", "rule", "date_matched"),
    mysql_charset="utf8mb4",
    mysql_collate="utf8mb4_bin",
    mysql_engine="InnoDB",
)


def upgrade() -> None:
    """Make the table."""
    connection = op.get_bind()
    matches.create(connection, checkfirst=True)
    for index in matches.indexes:
        index.create(connection, checkfirst=True)  # the step may have broken off between table and index
