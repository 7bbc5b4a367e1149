"""The tables of articles and of crawling; most columns of `articles` follow from the fields of the item.

The tables derived from articles are in `newsextract.storage.schema.history_tables`.
"""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Index, Integer, LargeBinary, String, Table, Text
from sqlalchemy.dialects.mysql import MEDIUMBLOB

from newsextract.storage.schema.article_columns import (
    ARTICLE_COLUMNS,
    UNICODE,
    hash_column,
    metadata,
    time_column,
)

_MEMORY = LargeBinary(1 << 20).with_variant(MEDIUMBLOB(), "mysql", "mariadb")
"""What a site's memory stays below, 1 MiB; MySQL has a type for each size."""

articles = Table(
    "articles",
    metadata,
    hash_column("id", primary_key=True, comment="hash of the URL that it is known by"),
    Column("number", BigInteger, comment="the same as an integer, for the full-text index"),
    Column("site", String(255), nullable=False),
    *(declared.column() for declared in ARTICLE_COLUMNS),
    hash_column("content_hash", nullable=False, comment="of headline and body"),
    hash_column("text_hash", comment="of site and body: what two addresses of one text share"),
    hash_column("run_id", comment="of the run that wrote this version"),
    time_column("date_first_seen", nullable=False, comment="ISO 8601, UTC"),
    Index("ix_articles_number", "number"),
    Index("ix_articles_published", "date_published_utc"),
    Index("ix_articles_first_seen", "date_first_seen"),
    Index("ix_articles_text", "text_hash"),
    **UNICODE,
)

site_memory = Table(
    "site_memory",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("revision", Integer, nullable=False, comment="how often it was written; a writer must know the last one"),
    time_column("updated", nullable=False, comment="ISO 8601, UTC"),
    Column("memory", _MEMORY, nullable=False, comment="see newsextract.memory.packing"),
    Column("known", _MEMORY, comment="the same when a run last came to its end: what pages are read with"),
    **UNICODE,
)

ledger = Table(
    "ledger",
    metadata,
    hash_column("id", primary_key=True, comment="hash of the address's key"),
    Column("url", Text, nullable=False),
    Column("site", String(255), nullable=False),
    Column("role", String(16), nullable=False, comment="candidate, listing or source"),
    Column("found_in", String(16), comment="sitemap, news_sitemap, feed or links"),
    Column("depth", Integer, nullable=False, comment="clicks from the home page"),
    Column("hints", JSON, comment="title and date that the source told"),
    time_column("date_listed", comment="what the source dates it, published or changed"),
    Column("state", String(16), comment="how the last visit ended; empty: never visited to an end"),
    Column("reason", String(120)),
    Column("status", Integer, comment="of the last answer"),
    Column("etag", Text),
    Column("last_modified", String(64)),
    hash_column("content_hash", comment="of the last answer's body"),
    hash_column("article_id"),
    time_column("date_published", comment="of the article"),
    time_column("date_first_seen", nullable=False),
    time_column("date_visited"),
    time_column("date_changed", comment="of the visit that last found something else"),
    time_column("next_visit", comment="empty: never again, unless a source says that it changed"),
    Column("interval_seconds", Integer, comment="between visits of a listing or source"),
    Column("visits", Integer, nullable=False),
    Column("unchanged", Integer, nullable=False, comment="visits in a row that found nothing new"),
    Column("failures", Integer, nullable=False, comment="visits in a row that failed"),
    hash_column("claimed_by", comment="the run that is about to visit it"),
    Index("ix_ledger_due", "site", "role", "next_visit"),
    Index("ix_ledger_claims", "claimed_by"),
    Index("ix_ledger_states", "role", "site", "state"),
    Index("ix_ledger_forgettable", "article_id", "date_first_seen"),
    **UNICODE,
)

sites = Table(
    "sites",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("home", Text),
    time_column("date_first_seen", nullable=False),
    time_column("date_started", comment="of the last run's visit"),
    time_column("date_completed", comment="of the last visit that came to its end; empty while one is under way"),
    hash_column("run_id"),
    **UNICODE,
)

runs = Table(
    "runs",
    metadata,
    hash_column("id", primary_key=True),
    Column("spider", String(64), nullable=False),
    hash_column("command", nullable=False, comment="hash of spider and sites: what must not run twice at once"),
    hash_column("exclusive", unique=True, comment="the command, while no other run may do it; empty once it has ended"),
    Column("arguments", JSON),
    Column("job", String(128), comment="scrapyd's name of it"),
    Column("host", String(255), nullable=False),
    Column("boot", String(64), comment="of the host: process numbers mean nothing after the next one"),
    Column("pid", Integer, nullable=False),
    time_column("date_started", nullable=False),
    time_column("date_heartbeat", nullable=False),
    Column("beat_ms", BigInteger, comment="the same by the database's clock, in milliseconds since 1970"),
    time_column("date_ended"),
    Column("reason", String(120)),
    Column("stats", JSON),
    Index("ix_runs_open", "date_ended", "command"),
    **UNICODE,
)
