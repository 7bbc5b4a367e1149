"""The tables: a column per plain field of an article, in snake_case; lists and nested parts as JSON.

Times are ISO 8601 in UTC, to the second, and sort as text; what a page states is kept. A change needs a migration.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
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
)
from sqlalchemy.dialects.mysql import MEDIUMBLOB, MEDIUMTEXT

metadata = MetaData()

_MEMORY_BYTES = 1 << 20
"""What a site's memory stays below; MySQL has a type for each size."""
_UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}


def _long_text() -> Text:
    """Return the type of texts that may exceed 64 kB, which is where MySQL's TEXT ends."""
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def _hash(name: str, *arguments: Any, **options: Any) -> Column[str]:
    return Column(name, String(32), *arguments, **options)


def _time(name: str, **options: Any) -> Column[str]:
    return Column(name, String(40), **options)


articles = Table(
    "articles",
    metadata,
    _hash("id", primary_key=True, comment="hash of the canonical URL"),
    Column("number", BigInteger, comment="the same as an integer, for the full-text index"),
    Column("url", Text, nullable=False),
    Column("canonical_url", Text, nullable=False, comment="the page's own URL where it states none"),
    Column("site", String(255), nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", _long_text()),
    Column("article_body_html", _long_text()),
    _time("date_published", comment="ISO 8601"),
    Column("date_published_raw", Text),
    _time("date_modified", comment="ISO 8601"),
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
    Column("characters", _long_text(), comment="text of scripts without spaces, spaced out for the full-text index"),
    _hash("content_hash", nullable=False, comment="of headline and body"),
    _hash("run_id", comment="of the run that wrote this version"),
    _time("date_downloaded", nullable=False, comment="ISO 8601, UTC: the newest version's"),
    _time("date_first_seen", nullable=False, comment="ISO 8601, UTC"),
    Index("ix_articles_number", "number", unique=True),
    Index("ix_articles_site_date", "site", "date_published"),
    Index("ix_articles_first_seen", "date_first_seen"),
    **_UNICODE,
)

site_memory = Table(
    "site_memory",
    metadata,
    Column("site", String(255), primary_key=True),
    Column("revision", Integer, nullable=False, comment="how often it was written; a writer must know the last one"),
    _time("updated", nullable=False, comment="ISO 8601, UTC"),
    Column(
        "memory",
        LargeBinary(_MEMORY_BYTES).with_variant(MEDIUMBLOB(), "mysql", "mariadb"),
        nullable=False,
        comment="see newsextract.memory.packing",
    ),
    **_UNICODE,
)

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
    _hash("exclusive", unique=True, comment="the command, while no other run may do the same; empty once it has ended"),
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
    _hash("article_id", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="0: the text before the first change"),
    _time("date_seen", nullable=False, comment="ISO 8601, UTC"),
    _hash("content_hash", nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", _long_text()),
    _time("date_modified"),
    Column("changes", JSON, comment="since the revision before: see newsextract.revising.differences"),
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

site_runs = Table(
    "site_runs",
    metadata,
    _hash("run_id", primary_key=True),
    Column("site", String(255), primary_key=True),
    _time("date", nullable=False, comment="ISO 8601, UTC: of the run's end"),
    Column("articles", Integer, nullable=False, comment="that were new in this run"),
    Column("pages", Integer, nullable=False, comment="read to be articles, whether they were or not"),
    Column("figures", JSON, nullable=False, comment="see newsextract.health.figures"),
    Column(
        "troubles", String(255), nullable=False, comment="what was wrong with the site by then, with commas between"
    ),
    Index("ix_site_runs_site", "site", "date"),
    **_UNICODE,
)

locks = Table(
    "locks",
    metadata,
    Column("name", String(32), primary_key=True, comment="what one writer does at a time"),
    **_UNICODE,
)

matches = Table(
    "matches",
    metadata,
    _hash("article_id", primary_key=True),
    Column("rule", String(100), primary_key=True, comment="its name in watch.yml"),
    _hash("revision", nullable=False, comment="hash of what the rule said"),
    _time("date_matched", nullable=False, comment="when the article was first found to match"),
    Column("passages", JSON, nullable=False, comment="field, start, text, and the marks in it"),
    Index("ix_matches_rule", "rule", "date_matched"),
    **_UNICODE,
)

raw_pages = Table(
    "raw_pages",
    metadata,
    _hash("id", primary_key=True, comment="hash of the article's id and of the page's bytes"),
    _hash("article_id", nullable=False),
    Column("site", String(255), nullable=False),
    Column("url", Text, nullable=False),
    _time("date_fetched", nullable=False, comment="of the last time when these bytes were there"),
    _hash("content", nullable=False, comment="hash of the bytes, which are in the file of that name"),
    Column("arguments", JSON, nullable=False, comment="what the page is made with besides its bytes"),
    Column("continued", JSON, comment="content and arguments of each further page"),
    Index("ix_raw_pages_article", "article_id", "date_fetched"),
    Index("ix_raw_pages_fetched", "date_fetched"),
    **_UNICODE,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="the place in the order of all messages"),
    _hash("message_id", nullable=False, unique=True, comment="the same for the same news, whenever it is told"),
    Column("kind", String(16), nullable=False, comment="article, revision or match"),
    _hash("article_id", nullable=False),
    Column("payload", _long_text(), nullable=False, comment="the envelope as JSON: see docs/delivery.md"),
    _time("date_created", nullable=False),
    **_UNICODE,
)

outbox_head = Table(
    "outbox_head",
    metadata,
    Column("name", String(16), primary_key=True, comment="of the one row that there is"),
    Column("position", BigInteger, nullable=False, comment="of the newest message, also when it is gone"),
    **_UNICODE,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("target", String(255), primary_key=True),
    Column("position", BigInteger, nullable=False, comment="of the last message that it has"),
    Column("refusals", Integer, nullable=False, comment="of the message behind it"),
    _hash("held_by", comment="the sender that is at it"),
    _time("held_until"),
    _time("date_sought", nullable=False, comment="when a sender last had it in its settings"),
    **_UNICODE,
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("target", String(255), primary_key=True),
    _hash("message_id", primary_key=True),
    Column("payload", _long_text(), nullable=False),
    Column("reason", String(255), nullable=False, comment="why the target does not take it"),
    _time("date_refused", nullable=False),
    **_UNICODE,
)
