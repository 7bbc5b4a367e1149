"""Columns for what an article shows beside its text, its readers' comments, and its Markdown."""

from __future__ import annotations

from alembic import op
from sqlalchemy import JSON, Column, Text, inspect
from sqlalchemy.dialects.mysql import MEDIUMTEXT

revision = "0015"
down_revision = "0014"

_LISTS = ("videos", "audios", "embeds", "comments")


def upgrade() -> None:
    """Add the columns, except those that an interrupted step has added."""
    known = {column["name"] for column in inspect(op.get_bind()).get_columns("articles")}
    new = [Column(name, JSON) for name in _LISTS]
    new.append(Column("article_markdown", Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")))
    for column in new:
        if column.name not in known:
            op.add_column("articles", column)
