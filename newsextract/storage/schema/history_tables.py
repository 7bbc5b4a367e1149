"""The tables derived from articles: revisions, stories, matches, health, kept pages, messages."""

from __future__ import annotations

from sqlalchemy import JSON, BigInteger, Column, Float, Index, Integer, String, Table, Text

from newsextract.storage.schema.article_columns import UNICODE, hash_column, long_text, metadata, time_column

revisions = Table(
    "revisions",
    metadata,
    hash_column("article_id", primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False, comment="0: the text before the first change"),
    time_column("date_seen", nullable=False, comment="ISO 8601, UTC"),
    hash_column("content_hash", nullable=False),
    Column("headline", Text),
    Column("description", Text),
    Column("article_body", long_text()),
    time_column("date_modified"),
    Column("changes", JSON, comment="since the revision before: see newsextract.storage.revisions.article_differences"),
    Index("ix_revisions_seen", "date_seen"),
    **UNICODE,
)

fingerprint_keys = Table(
    "fingerprint_keys",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False, comment="of a band or a sentence"),
    Column("article_number", BigInteger, primary_key=True, autoincrement=False),
    Column("day", Integer, nullable=False, comment="of the article, since 1970"),
    Index("ix_fingerprint_keys_article", "article_number"),
    sqlite_with_rowid=False,
    **UNICODE,
)

stories = Table(
    "stories",
    metadata,
    hash_column("id", primary_key=True, comment="of the article that was seen first"),
    time_column("date_first_seen", nullable=False),
    Column("day", Integer, nullable=False, comment="of that article, since 1970"),
    hash_column("merged_into", comment="the older story that it turned out to be"),
    Index("ix_stories_merged", "merged_into"),
    **UNICODE,
)

story_articles = Table(
    "story_articles",
    metadata,
    hash_column("article_id", primary_key=True),
    hash_column("story_id", nullable=False),
    Column("similarity", Float, nullable=False, comment="shingles that both have, of all; with what linked it, 0 to 1"),
    Column("containment", Float, nullable=False, comment="the same, of those of the shorter one"),
    Index("ix_story_articles_story", "story_id"),
    **UNICODE,
)

site_runs = Table(
    "site_runs",
    metadata,
    hash_column("run_id", primary_key=True),
    Column("site", String(255), primary_key=True),
    time_column("date", nullable=False, comment="ISO 8601, UTC: of the run's end"),
    Column("articles", Integer, nullable=False, comment="that were new in this run"),
    Column("pages", Integer, nullable=False, comment="read to be articles, whether they were or not"),
    Column("figures", JSON, nullable=False, comment="see newsextract.newsroom.health.figures"),
    Column(
        "troubles", String(255), nullable=False, comment="what was wrong with the site by then, with commas between"
    ),
    Index("ix_site_runs_site", "site", "date"),
    **UNICODE,
)

locks = Table(
    "locks",
    metadata,
    Column("name", String(32), primary_key=True, comment="what one writer does at a time"),
    time_column("done_until", comment="for work that goes on from where it was: as far as that is"),
    **UNICODE,
)

matches = Table(
    "matches",
    metadata,
    hash_column("article_id", primary_key=True),
    Column("rule", String(100), primary_key=True, comment="its name in watch.yml"),
    hash_column("revision", nullable=False, comment="hash of what the rule said"),
    time_column("date_matched", nullable=False, comment="when the article was first found to match"),
    Column("passages", JSON, nullable=False, comment="field, start, text, and the marks in it"),
    Index("ix_matches_rule", "rule", "date_matched"),
    **UNICODE,
)

kept_pages = Table(
    "kept_pages",
    metadata,
    hash_column("id", primary_key=True, comment="hash of the article's id and of the page's bytes"),
    hash_column("article_id", nullable=False),
    Column("site", String(255), nullable=False),
    Column("url", Text, nullable=False),
    time_column("date_fetched", nullable=False, comment="of the last time when these bytes were there"),
    hash_column("content", nullable=False, comment="hash of the bytes, which are in the file of that name"),
    Column("arguments", JSON, nullable=False, comment="what the page is made with besides its bytes"),
    Column("continued", JSON, comment="content and arguments of each further page"),
    Index("ix_kept_pages_article", "article_id", "date_fetched"),
    Index("ix_kept_pages_fetched", "date_fetched"),
    **UNICODE,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="the place in the order of all messages"),
    hash_column("message_id", nullable=False, unique=True, comment="the same for the same news, whenever it is told"),
    Column("kind", String(16), nullable=False, comment="article, revision or match"),
    hash_column("article_id", nullable=False),
    Column("payload", long_text(), nullable=False, comment="the envelope as JSON: see docs/delivery.md"),
    time_column("date_created", nullable=False),
    **UNICODE,
)

outbox_head = Table(
    "outbox_head",
    metadata,
    Column("name", String(16), primary_key=True, comment="of the one row that there is"),
    Column("position", BigInteger, nullable=False, comment="of the newest message, also when it is gone"),
    **UNICODE,
)

deliveries = Table(
    "deliveries",
    metadata,
    Column("target", String(255), primary_key=True),
    Column("position", BigInteger, nullable=False, comment="of the last message that it has"),
    Column("refusals", Integer, nullable=False, comment="of the message behind it"),
    hash_column("held_by", comment="the sender that is at it"),
    time_column("held_until"),
    time_column("date_sought", nullable=False, comment="when a sender last had it in its settings"),
    **UNICODE,
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("target", String(255), primary_key=True),
    hash_column("message_id", primary_key=True),
    Column("payload", long_text(), nullable=False),
    Column("reason", String(255), nullable=False, comment="why the target does not take it"),
    time_column("date_refused", nullable=False),
    **UNICODE,
)
