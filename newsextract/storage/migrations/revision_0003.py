"""The full-text index: FTS5 on SQLite where it has that, elsewhere a table of words."""

from __future__ import annotations

from alembic import op
from sqlalchemy import Column, ForeignKey, Index, MetaData, String, Table, Text, text
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.dialects.postgresql import TSVECTOR

revision = "0003"
down_revision = "0002"

_COLUMNS = "headline, description, article_body, characters"
_NEW, _OLD = (", ".join(f"{row}.{name}" for name in _COLUMNS.split(", ")) for row in ("new", "old"))
_ADD = f"INSERT INTO articles_fts(rowid, {_COLUMNS}) SELECT new.number, {_NEW} WHERE new.number IS NOT NULL;"
_TAKE = (
    f"INSERT INTO articles_fts(articles_fts, rowid, {_COLUMNS}) "
    f"SELECT 'delete', old.number, {_OLD} WHERE old.number IS NOT NULL;"
)
_OPTIONS = "content='articles', content_rowid='number', tokenize='unicode61 remove_diacritics 2'"
_FTS5 = (
    f"CREATE VIRTUAL TABLE articles_fts USING fts5({_COLUMNS}, {_OPTIONS})",
    f"CREATE TRIGGER articles_fts_insert AFTER INSERT ON articles BEGIN {_ADD} END",
    f"CREATE TRIGGER articles_fts_delete AFTER DELETE ON articles BEGIN {_TAKE} END",
    f"CREATE TRIGGER articles_fts_update AFTER UPDATE OF number, {_COLUMNS} ON articles BEGIN {_TAKE} {_ADD} END",
    "INSERT INTO articles_fts(articles_fts) VALUES ('rebuild')",
)

metadata = MetaData()
Table("articles", metadata, Column("id", String(32), primary_key=True))
article_words = Table(
    "article_words",
    metadata,
    Column("article_id", String(32), ForeignKey("articles.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "words",
        Text().with_variant(TSVECTOR(), "postgresql").with_variant(MEDIUMTEXT(), "mysql", "mariadb"),
        nullable=False,
    ),
    Index("ix_article_words", "words", postgresql_using="gin", mysql_prefix="FULLTEXT"),
    mysql_charset="utf8mb4",
    mysql_collate="utf8mb4_bin",
    mysql_engine="InnoDB",
)


def upgrade() -> None:
    """Make the index; revision 0011 makes another, and fills that."""
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        if connection.execute(text("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")).first():
            for statement in _FTS5:
                op.execute(statement)
        return
    if connection.dialect.name == "mysql":
        op.execute("SET SESSION innodb_ft_enable_stopword = OFF")  # for good: the index is without them
    article_words.create(connection, checkfirst=True)
    for index in article_words.indexes:
        index.create(connection, checkfirst=True)  # the step may have broken off between table and index
