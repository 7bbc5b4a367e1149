"""The tables; the columns of `articles` are derived from the fields of an `Article`. A change needs a migration."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import UTC
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

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
    func,
)
from sqlalchemy.dialects.mysql import MEDIUMTEXT

from newsextract.article import Article, Kept, plain
from newsextract.sites.site_files import parse_date

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.types import TypeEngine


# Column types of the tables, and the columns of `articles`, derived from the fields of an `Article`.
#
# Texts, numbers and truth values have types of their own, all else is JSON; a column's name is the field's in
# snake_case. What else there is to say about a column, the field says in `Kept`. Times are ISO 8601 in UTC, to the
# second, and sort as text; what a page states is kept. A change needs a migration.

metadata = MetaData()

UNICODE: Any = {"mysql_charset": "utf8mb4", "mysql_collate": "utf8mb4_bin", "mysql_engine": "InnoDB"}
"""Options of every table: full Unicode, and a collation that distinguishes accents and case."""

_IN_UTC = Kept(chars=40, comment="the same in UTC, which sorts")

_TYPES: dict[Any, type[TypeEngine[Any]]] = {str: Text, bool: Boolean, int: Integer, float: Float}


def long_text() -> Text:
    """Return the type of texts that may exceed 64 kB, which is where MySQL's TEXT ends."""
    return Text().with_variant(MEDIUMTEXT(), "mysql", "mariadb")


def hash_column(name: str, *arguments: Any, **options: Any) -> Column[str]:
    """Return a column of 32 hexadecimal digits."""
    return Column(name, String(32), *arguments, **options)


def time_column(name: str, **options: Any) -> Column[str]:
    """Return a column of a time as text."""
    return Column(name, String(40), **options)


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """The column of an article's field."""

    path: tuple[str, ...]
    """The attribute names from the article to the value."""
    name: str
    kind: Any
    """The type of the value."""
    kept: Kept
    is_utc: bool = False
    """Whether it holds the field's time converted to UTC."""

    def column(self) -> Column[Any]:
        """Return a new column for it."""
        return Column(self.name, self._type(), nullable=not self.kept.is_required, comment=self.kept.comment)

    def value_of(self, article: Article) -> Any:
        """Return the article's value for it, as plain values."""
        value: Any = article
        for name in self.path:
            value = None if value is None else getattr(value, name)
        return utc_time(value) if self.is_utc else plain(value)

    def _type(self) -> TypeEngine[Any]:
        if self.kept.chars:
            return String(self.kept.chars)
        return long_text() if self.kept.is_long else _TYPES.get(self.kind, JSON)()


def columns_of(item: type, path: tuple[str, ...] = ()) -> Iterator[FieldColumn]:
    """Yield the columns of an article's class, or of one whose parts have columns of their own, in its order."""
    types = get_type_hints(item)
    for field in fields(item):
        kept: Kept | None = field.metadata.get("kept", Kept())
        kind, here = _without_none(types[field.name]), (*path, field.name)
        if kept is None:
            continue
        if kept.is_spread:
            yield from columns_of(kind, here)
            continue
        inner, kind = ((kept.part,), _without_none(get_type_hints(kind)[kept.part])) if kept.part else ((), kind)
        yield FieldColumn((*here, *inner), snake_case(field.name), kind, kept)
        if kept.is_sorted:
            yield FieldColumn(here, f"{snake_case(field.name)}_utc", kind, _IN_UTC, is_utc=True)


def utc_time(text: str | None) -> str | None:
    """Return a stated time in UTC, to the second; `None` if it is not a time.

    A time without an offset counts as UTC, and a date without a time as its first moment.

    >>> utc_time("2026-05-20T05:09:00+08:00"), utc_time("2026-05-20"), utc_time("soon")
    ('2026-05-19T21:09:00+00:00', '2026-05-20T00:00:00+00:00', None)
    """
    time = parse_date(text)
    return time.astimezone(UTC).isoformat(timespec="seconds") if time else None


def snake_case(name: str) -> str:
    """Return the column name of a schema.org name.

    >>> snake_case("datePublishedRaw")
    'date_published_raw'
    """
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


def _without_none(kind: Any) -> Any:
    """Return the type of a value that is not `None`."""
    parts = get_args(kind)
    return next(part for part in parts if part is not NoneType) if NoneType in parts else kind


ARTICLE_COLUMNS = tuple(columns_of(Article))


# The tables of articles and of crawling; most columns of `articles` follow from the fields of the item.
#
# The tables derived from articles are in `newsextract.storage.schema`.

articles = Table(
    "articles",
    metadata,
    hash_column("id", primary_key=True, comment="hash of the URL that it is known by"),
    Column("number", BigInteger, comment="the same as an integer, for the full-text index"),
    Column("site", String(255), nullable=False),
    *(declared.column() for declared in ARTICLE_COLUMNS),
    hash_column("content_hash", nullable=False, comment="of headline and body"),
    hash_column("text_hash", comment="of site and body: what two addresses of one text share"),
    hash_column("page_hash", comment="of what the page said: two visits that met the same page"),
    Column("page_words", LargeBinary, comment="the page's word sequences, see newsextract.page.page_words"),
    hash_column("run_id", comment="of the run that wrote this version"),
    time_column("date_first_seen", nullable=False, comment="ISO 8601, UTC"),
    Index("ix_articles_number", "number"),
    Index("ix_articles_published", "date_published_utc"),
    Index("ix_articles_first_seen", "date_first_seen"),
    Index("ix_articles_text", "text_hash"),
    **UNICODE,
)

NEWEST = func.coalesce(articles.c.date_published_utc, articles.c.date_first_seen)
"""By what articles are listed; one without a date of publication counts by when it was first seen."""

# Without these, a list of a hundred thousand articles is sorted anew for each page, which takes a second. MariaDB has
# no indexes of expressions.
for _index in (
    Index("ix_articles_newest", NEWEST),
    Index("ix_articles_site_newest", articles.c.site, NEWEST),
    Index("ix_articles_language_newest", articles.c.in_language, NEWEST),
    Index("ix_articles_section_newest", articles.c.section, NEWEST),
):
    _index.ddl_if(dialect=("sqlite", "postgresql"))  # type: ignore[arg-type]  # its types know only one name

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


# The tables derived from articles: revisions, stories, matches, health, kept pages, messages.

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
    Column("changes", JSON, comment="since the revision before: see newsextract.storage.differences"),
    Index("ix_revisions_seen", "date_seen"),
    **UNICODE,
)

removals = Table(
    "removals",
    metadata,
    hash_column("article_id", primary_key=True),
    time_column("date_missed", primary_key=True, comment="ISO 8601, UTC: of the first look that missed it"),
    Column("reason", String(120), nullable=False, comment="how the look ended"),
    time_column("date_removed", comment="of a second look, a day later or more; empty: there was none yet"),
    time_column("date_restored", comment="of the look that found it again"),
    Index("ix_removals_removed", "date_removed"),
    **UNICODE,
)

front_places = Table(
    "front_places",
    metadata,
    hash_column("address_id", primary_key=True, comment="hash of the address's key, as in the ledger"),
    time_column("date_first", primary_key=True, comment="ISO 8601, UTC: of the first look that found it there"),
    time_column("date_last", nullable=False, comment="of the last look in a row that found it there"),
    hash_column("front_id", nullable=False, comment="hash of the front page's address"),
    Column("place", Integer, nullable=False, comment="among the links to articles, from 1 on, at the last look"),
    Column("best_place", Integer, nullable=False),
    Index("ix_front_places_last", "front_id", "date_last"),
    **UNICODE,
)

rights = Table(
    "rights",
    metadata,
    hash_column("id", primary_key=True, comment="of the article, or hash of the site's address"),
    Column("source", String(16), primary_key=True, comment="robots.txt, tdmrep.json, header, meta, link, json-ld"),
    time_column("date_first_seen", primary_key=True, comment="ISO 8601, UTC: when it was first said"),
    time_column("date_last_seen", nullable=False, comment="when it was still said"),
    Column("address", Text, nullable=False, comment="of the article, or scheme and host of the site"),
    Column("statement", long_text(), nullable=False, comment="what it says about use; empty: nothing any more"),
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
        "problems", String(255), nullable=False, comment="what was wrong with the site by then, with commas between"
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
    hash_column("content", nullable=False, comment="hash of the bytes, which a record of `warc_records` has"),
    Column("arguments", JSON, nullable=False, comment="what the page is made with besides its bytes"),
    Column("continued", JSON, comment="content and arguments of each further page"),
    Index("ix_kept_pages_article", "article_id", "date_fetched"),
    Index("ix_kept_pages_fetched", "date_fetched"),
    **UNICODE,
)

warc_records = Table(
    "warc_records",
    metadata,
    hash_column("id", primary_key=True, comment="hash of file and position"),
    hash_column("content", nullable=False, comment="hash of the body"),
    hash_column("url_key", nullable=False, comment="the same for all spellings of the URL"),
    Column("url", Text, nullable=False),
    Column("kind", String(16), nullable=False, comment="response, resource, or revisit: its body is in another record"),
    Column("status", Integer, comment="of the response"),
    time_column("date_fetched", nullable=False),
    Column("digest", String(80), comment="SHA-256 of the body, as in the WARC"),
    Column("file", String(100), nullable=False, comment="in the folder of `NEWSEXTRACT_WARC`"),
    Column("position", BigInteger, nullable=False, comment="where the record begins in it"),
    Column("length", BigInteger, nullable=False, comment="its compressed bytes"),
    Column("request_length", BigInteger, nullable=False, comment="those of the request's record, which follows it"),
    Index("ix_warc_records_content", "content"),
    Index("ix_warc_records_url", "url_key", "date_fetched"),
    Index("ix_warc_records_file", "file"),
    **UNICODE,
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False, comment="the place in the order of all messages"),
    hash_column("message_id", nullable=False, unique=True, comment="the same for the same news, whenever it is told"),
    Column("kind", String(16), nullable=False, comment="article, revision, match, headline, removed or restored"),
    hash_column("article_id", nullable=False),
    Column("payload", long_text(), nullable=False, comment="the envelope as JSON: see docs/reference/messages.md"),
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
