"""Tables for crawls that run every day, and what a full-text index needs of an article."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from alembic import op
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    bindparam,
    inspect,
    select,
    update,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT

if TYPE_CHECKING:
    from sqlalchemy import Connection

revision = "0002"
down_revision = "0001"

_ROWS_AT_ONCE = 500
_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}
_FOR_MYSQL = (
    "ALTER TABLE articles CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
    "ALTER TABLE articles MODIFY article_body MEDIUMTEXT, MODIFY article_body_html MEDIUMTEXT",
    "ALTER TABLE site_memory CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
)
"""Earlier versions left it to the server which characters, and whether more than 64 kB, can be stored."""

metadata = MetaData()


def _long_text() -> Text:
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def _hash(name: str, *arguments: Any, **options: Any) -> Column[str]:
    return Column(name, String(32), *arguments, **options)


def _time(name: str, **options: Any) -> Column[str]:
    return Column(name, String(40), **options)


articles = Table(
    "articles",
    MetaData(),
    _hash("id", primary_key=True),
    Column("number", BigInteger, comment="the same as an integer, for the full-text index"),
    Column("characters", _long_text(), comment="for the first full-text index; revision 0011 drops it"),
    _hash("run_id", comment="of the run that wrote this version"),
)
"""What this step needs to know of the table, and adds to it."""

ledger = Table(
    "ledger",
    metadata,
    _hash("id", primary_key=True, comment="hash of the address's key"),
    Column("url", Text, nullable=False),
    Column("site", String(255), nullable=False),
    Column("role", String(16), nullable=False, comment="candidate, listing or source"),
    Column("found_in", String(16), comment="sitemap, news_sitemap, feed or links"),
    Column("depth", Integer, nullable=False, comment="clicks from the home page"),
    Column("hints", JSON, comment="title and date that the source told"),
    _time("date_listed", comment="what the source dates it, published or changed"),
    Column("state", String(16), comment="how the last visit ended; empty: never visited to an end"),
    Column("reason", String(120)),
    Column("status", Integer, comment="of the last answer"),
    Column("etag", Text),
    Column("last_modified", String(64)),
    _hash("content_hash", comment="of the last answer's body"),
    _hash("article_id"),
    _time("date_published", comment="of the article"),
    _time("date_first_seen", nullable=False),
    _time("date_visited"),
    _time("date_changed", comment="of the visit that last found something else"),
    _time("next_visit", comment="empty: never again, unless a source says that it changed"),
    Column("interval_seconds", Integer, comment="between visits of a listing or source"),
    Column("visits", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False, comment="visits in a row that found nothing new"),
    Column("failures", Integer, nullable=False, comment="visits in a row that failed"),
    _hash("claimed_by", comment="the run that is about to visit it"),
    Index("ix_ledger_due", "site", "role", "next_visit"),
    Index("ix_ledger_claims", "claimed_by"),
    **_UNICODE,
)

sites = Table(
    "sites",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("home", Text),
    _time("date_first_seen", nullable=False),
    _time("date_started", comment="of the last run's visit"),
    _time("date_completed", comment="of the last visit that came to its end; empty while one is under way"),
    _hash("run_id"),
    **_UNICODE,
)

runs = Table(
    "runs",
    metadata,
    _hash("id", primary_key=True),
    Column("spider", String(64), nullable=False),
    _hash("command", nullable=False, comment="hash of spider and sites: what must not run twice at once"),
    _hash("exclusive", unique=True, comment="the command, while no other run may do it; empty once it has ended"),
    Column("arguments", JSON),
    Column("job", String(128), comment="scrapyd's name of it"),
    Column("host", String(255), nullable=False),
    Column("boot", String(64), comment="of the host: process numbers mean nothing after the next one"),
    Column("pid", Integer, nullable=False),
    _time("date_started", nullable=False),
    _time("date_heartbeat", nullable=False),
    _time("date_ended"),
    Column("reason", String(120)),
    Column("stats", JSON),
    Index("ix_runs_open", "date_ended", "command"),
    **_UNICODE,
)

revisions = Table(
    "revisions",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    _hash("article_id", nullable=False),
    _time("date_seen", nullable=False),
    _hash("content_hash", nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", _long_text()),
    _time("date_modified"),
    Column("changes", JSON),
    UniqueConstraint("article_id", "date_seen", name="uq_revisions_seen"),
    **_UNICODE,
)

clusters = Table(
    "clusters",
    metadata,
    _hash("id", primary_key=True, comment="of the article that was seen first"),
    _time("date_first_seen", nullable=False),
    **_UNICODE,
)

cluster_articles = Table(
    "cluster_articles",
    metadata,
    _hash("article_id", primary_key=True),
    _hash("cluster_id", nullable=False),
    Column("similarity", Float, nullable=False, comment="with the first of the cluster, 0 to 1"),
    Index("ix_cluster_articles_cluster", "cluster_id"),
    **_UNICODE,
)


def upgrade() -> None:
    """Add tables and columns, and fill the columns."""
    connection = op.get_bind()
    if connection.dialect.name == "mysql":
        for statement in _FOR_MYSQL:
            op.execute(statement)
    metadata.create_all(connection)
    for table in metadata.sorted_tables:
        for index in table.indexes:
            index.create(connection, checkfirst=True)  # the step may have broken off between table and index
    there = inspect(connection)
    known = {column["name"] for column in there.get_columns(articles.name)}
    for column in (articles.c.number, articles.c.characters, articles.c.run_id):
        if column.name not in known:
            op.add_column(articles.name, Column(column.name, column.type, comment=column.comment))
    _fill(connection)
    if "ix_articles_number" not in {index["name"] for index in there.get_indexes(articles.name)}:
        op.create_index("ix_articles_number", articles.name, ["number"], unique=True)


def _fill(connection: Connection) -> None:
    """Give the articles that there are their numbers, some at a time."""
    missing = select(articles.c.id).where(articles.c.number.is_(None)).limit(_ROWS_AT_ONCE)
    change = update(articles).where(articles.c.id == bindparam("known"))
    while keys := connection.execute(missing).scalars().all():
        connection.execute(change, [{"known": key, "number": int(key[:15], 16)} for key in keys])
