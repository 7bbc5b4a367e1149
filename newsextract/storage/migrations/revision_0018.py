"""Tables and columns get the names that the docs and the desk use: stories (they were clusters), and kept pages."""

from __future__ import annotations

from alembic import op
from sqlalchemy import inspect

revision = "0018"
down_revision = "0017"

_TABLES = {"clusters": "stories", "cluster_articles": "story_articles", "raw_pages": "kept_pages"}
_COLUMN = ("story_articles", "cluster_id", "story_id")
_INDEXES = {
    "ix_clusters_merged": ("ix_stories_merged", "stories", ["merged_into"]),
    "ix_cluster_articles_cluster": ("ix_story_articles_story", "story_articles", ["story_id"]),
    "ix_raw_pages_article": ("ix_kept_pages_article", "kept_pages", ["article_id", "date_fetched"]),
    "ix_raw_pages_fetched": ("ix_kept_pages_fetched", "kept_pages", ["date_fetched"]),
}


def upgrade() -> None:
    """Rename what has its former name; what an interrupted step has done is not done again."""
    connection = op.get_bind()
    for former, now in _TABLES.items():
        if inspect(connection).has_table(former):
            op.rename_table(former, now)
    table, former, now = _COLUMN
    if former in {column["name"] for column in inspect(connection).get_columns(table)}:
        # Not Alembic's way, which on SQLite copies the table, and on MariaDB wants the type once more.
        op.execute(f"ALTER TABLE {table} RENAME COLUMN {former} TO {now}")
    for former, (now, table, columns) in _INDEXES.items():
        known = {index["name"] for index in inspect(connection).get_indexes(table)}
        if now not in known:
            op.create_index(now, table, columns)
        if former in known:
            op.drop_index(former, table)
