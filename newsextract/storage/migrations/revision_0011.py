"""A full-text index of the words as they are folded for rules too; it is made anew of the stored articles."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT
from sqlalchemy.dialects.postgresql import TSVECTOR

from newsextract.page.word_folding import words
from newsextract.storage.schema.full_text_index import WORD_TABLES

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0011"
down_revision = "0010"

_ROWS_AT_ONCE = 500
_WORTH_SAYING = 5_000
"""Articles whose words take some seconds."""

articles = Table(
    "articles",
    MetaData(),
    Column("id", String(32), primary_key=True),
    Column("number", BigInteger),
    Column("site", String(255)),
    *(Column(name, Text) for name in ("headline", "description", "article_body", "section", "publisher")),
    Column("in_language", String(35)),
    Column("authors", JSON),
    Column("keywords", JSON),
)
_FIELDS = "headline description body author section keyword publisher site language".split()

field_words = Table(
    "article_words",
    MetaData(),
    Column("number", BigInteger().with_variant(Integer(), "sqlite"), primary_key=True),
    *(Column(name, Text) for name in _FIELDS),
)
article_words = Table(
    "article_words",
    MetaData(),
    Column("article_id", String(32), ForeignKey(articles.c.id, ondelete="CASCADE"), primary_key=True),
    Column(
        "words",
        Text().with_variant(TSVECTOR(), "postgresql").with_variant(MEDIUMTEXT(), "mysql", "mariadb"),
        nullable=False,
    ),
    mysql_charset="utf8mb4",
    mysql_collate="utf8mb4_bin",
    mysql_engine="InnoDB",
)

_COLUMNS = ", ".join(_FIELDS)
_NEW, _OLD = (", ".join(f"{row}.{name}" for name in _FIELDS) for row in ("new", "old"))
_ADD = f"INSERT INTO articles_fts(rowid, {_COLUMNS}) VALUES (new.number, {_NEW});"  # noqa: S608 - of our own names
_TAKE = f"INSERT INTO articles_fts(articles_fts, rowid, {_COLUMNS}) VALUES ('delete', old.number, {_OLD});"  # noqa: S608
_OPTIONS = """content='article_words', content_rowid='number', tokenize="ascii tokenchars '.:-_'" """
"""The words are folded, with spaces between them; only hosts have anything else in ASCII than letters and digits."""
_DELETE = "DELETE FROM article_words WHERE number = old.number;"
_RENUMBER = "UPDATE article_words SET number = new.number WHERE number = old.number;"
_OF_SQLITE = (
    f"CREATE TRIGGER article_words_delete AFTER DELETE ON articles BEGIN {_DELETE} END",
    f"CREATE TRIGGER article_words_update AFTER UPDATE OF number ON articles BEGIN {_RENUMBER} END",
)
_FTS5 = (
    f"CREATE VIRTUAL TABLE articles_fts USING fts5({_COLUMNS}, {_OPTIONS})",
    f"CREATE TRIGGER articles_fts_insert AFTER INSERT ON article_words BEGIN {_ADD} END",
    f"CREATE TRIGGER articles_fts_delete AFTER DELETE ON article_words BEGIN {_TAKE} END",
    f"CREATE TRIGGER articles_fts_update AFTER UPDATE ON article_words BEGIN {_TAKE} {_ADD} END",
)
_FORMER = (
    *(f"DROP TRIGGER IF EXISTS articles_fts_{event}" for event in ("insert", "delete", "update")),
    "DROP TABLE IF EXISTS articles_fts",
    *(f"DROP TRIGGER IF EXISTS article_words_{event}" for event in ("delete", "update")),
)


def upgrade() -> None:
    """Make the index anew, also where an attempt broke off, and drop the column of the former one."""
    connection = op.get_bind()
    is_sqlite = connection.dialect.name == "sqlite"
    for statement in _FORMER if is_sqlite else ():
        op.execute(statement)
    op.execute("DROP TABLE IF EXISTS article_words")
    table = field_words if is_sqlite else article_words
    table.create(connection)
    if is_sqlite:
        has_fts5 = connection.execute(text("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'")).first()
        for statement in (*_OF_SQLITE, *(_FTS5 if has_fts5 else ())):
            op.execute(statement)
    _fill(connection, table)
    if not is_sqlite:
        # Now, which takes less time than row by row.
        op.create_index("ix_article_words", table.name, ["words"], postgresql_using="gin", mysql_prefix="FULLTEXT")
    _drop_characters(connection)


def _fill(connection: Connection, table: Table) -> None:
    count = connection.execute(select(func.count()).select_from(articles)).scalar_one()
    if count > _WORTH_SAYING:
        logging.getLogger(__name__).info("The full-text index is made anew, once, of %s articles", f"{count:,}")
    row_of = WORD_TABLES[connection.dialect.name].row_of
    some = select(articles).where(articles.c.number.is_not(None)).order_by(articles.c.number).limit(_ROWS_AT_ONCE)
    rows = connection.execute(some).mappings().all()
    while rows:
        connection.execute(insert(table), [row_of(dict(row), words) for row in rows])
        rows = connection.execute(some.where(articles.c.number > rows[-1]["number"])).mappings().all()


def _drop_characters(connection: Connection) -> None:
    is_there = "characters" in {column["name"] for column in inspect(connection).get_columns("articles")}
    # An older SQLite cannot drop a column; nobody reads it.
    if is_there and (connection.dialect.name != "sqlite" or sqlite3.sqlite_version_info >= (3, 35)):
        op.drop_column("articles", "characters")
