"""Fills a database of SQLite's with as many articles and ledger rows as wanted, in minutes.

Some thousand articles are written as a crawl writes them; all others are copies of their rows under other keys, sites
and dates, made in SQL. So words are as frequent as in that many different articles. The keys by which copies are found
differ, or a story would have hundreds of articles; each fifth article has the next one as its copy.
"""

from __future__ import annotations

import random
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from newsextract.article import Article, ArticleMetadata, Author
from newsextract.storage.articles import number_of, put_new_texts
from newsextract.storage.database import writing
from newsextract.storage.ledger import address_id
from newsextract.storage.rows import stamp
from newsextract.storage.stories import link_stories

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Engine

    from newsextract.storage.revisions import Change

NOW = datetime(2026, 6, 1, tzinfo=UTC)
"""When the last article was seen."""
SITES = 2000
TEMPLATES = 5000
_DAYS = 700
_BATCH = 250
_WORDS = 60_000
_SYLLABLES = [a + b for a in "b d f g k l m n p r s t v z br st".split() for b in "a e i o u an er".split()]


@cache
def vocabulary() -> tuple[list[str], list[float]]:
    """Return words and the sums of their weights, which fall with the rank as in a language (Zipf)."""
    dice = random.Random(1)  # noqa: S311 - the same texts each time
    made = dict.fromkeys("".join(dice.choices(_SYLLABLES, k=dice.randint(1, 4))) for _ in range(4 * _WORDS))
    known = list(made)[:_WORDS]
    return known, list(accumulate(1 / rank for rank in range(3, len(known) + 3)))


def articles(numbers: Sequence[int], *, host: str = "site", seen: datetime = NOW) -> Iterator[Article]:
    """Yield articles of three hundred words or so; a number has always the same text."""
    known, weights = vocabulary()
    for number in numbers:
        dice = random.Random(number)  # noqa: S311
        said = [" ".join(dice.choices(known, cum_weights=weights, k=dice.randint(10, 24))) for _ in range(18)]
        url = url_of(number, host)
        yield Article(
            metadata=ArticleMetadata(seen.isoformat(timespec="seconds")),
            url=url,
            canonicalUrl=url,
            headline=said[0].capitalize(),
            datePublished=(seen - timedelta(minutes=dice.randint(5, 600))).isoformat(timespec="seconds"),
            authors=[Author(" ".join(said[1].split()[:2]).title())],
            inLanguage=("en", "fr", "de", "es")[number % 4],
            section=("Politics", "Sport", "Culture", None)[number % 4],
            description=f"{said[1].capitalize()}.",
            articleBody="\n".join(f"{'. '.join(map(str.capitalize, said[at : at + 2]))}." for at in range(2, 18, 2)),
            wordCount=290,
        )


def url_of(number: int, host: str = "site") -> str:
    """Return the URL of an article of a fill."""
    return f"https://{host}{number % SITES}.example/news/{number}"


def fill(engine: Engine, count: int, ledger_rows: int) -> None:
    """Fill empty tables with so many articles, and so many ledger rows, each article's among them."""
    for first in range(0, TEMPLATES, _BATCH):
        with writing(engine) as connection:
            put_new_texts(connection, list(articles(range(first, first + _BATCH))), effects=[_linked])
    with engine.connect() as pooled:
        raw: sqlite3.Connection = pooled.connection.driver_connection  # type: ignore[assignment]
        raw.execute("PRAGMA cache_size = -1000000")
        raw.execute("PRAGMA synchronous = OFF")
        _copy_articles(raw, count)
        _fill_ledger(raw, count, ledger_rows)
        raw.commit()
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _linked(connection: Connection, changes: Sequence[Change]) -> None:
    link_stories(connection, changes)


def _copy_articles(connection: sqlite3.Connection, count: int) -> None:
    connection.executescript("""
        CREATE TEMP TABLE copies (n INTEGER PRIMARY KEY, template, id, number, url, site, published, seen);
        CREATE TEMP TABLE templates (template INTEGER PRIMARY KEY, number INTEGER UNIQUE);
        INSERT INTO templates SELECT rowid, number FROM articles;
    """)
    connection.executemany("INSERT INTO copies VALUES (?, ?, ?, ?, ?, ?, ?, ?)", map(_copy, range(TEMPLATES, count)))
    connection.execute("CREATE INDEX temp.ix_copies ON copies (template)")
    _copy_rows(connection, "articles", "number", _COPIED_ARTICLE, "c.number")
    connection.executescript("""
        CREATE TEMP TABLE copied_words AS SELECT rowid AS number, words FROM article_words;
        CREATE INDEX temp.ix_copied_words ON copied_words (number);
        INSERT OR IGNORE INTO article_words(rowid, words) SELECT c.number, a.words FROM copies c
            JOIN templates t ON t.template = c.template JOIN copied_words a ON a.number = t.number ORDER BY c.number;
    """)
    _copy_rows(connection, "fingerprint_keys", "article_number", _COPIED_KEY, "1")
    connection.executescript("""
        INSERT INTO stories SELECT id, seen, julianday(published) - 2440587, NULL FROM copies WHERE n % 5 = 0;
        INSERT INTO story_articles
            SELECT c.id, f.id, 0.8, 0.9 FROM copies c JOIN copies f ON f.n = c.n - c.n % 5 WHERE c.n % 5 < 2;
        INSERT INTO matches SELECT id, 'rule ' || (n % 40), lower(hex(randomblob(16))), seen, '[]'
            FROM copies WHERE n % 10 = 0;
    """)


_COPIED_ARTICLE = {
    "id": "c.id", "number": "c.number", "url": "c.url", "canonical_url": "c.url", "site": "c.site",
    "date_published": "c.published", "date_published_utc": "c.published", "date_first_seen": "c.seen",
    "date_downloaded": "c.seen", "text_hash": "lower(hex(randomblob(16)))",
}  # fmt: skip
_COPIED_KEY = {
    "key": "a.key / 2 + c.n * 2654435761",
    "article_number": "c.number",
    "day": "CAST(julianday(c.published) - 2440587.5 AS INTEGER)",
}


def _copy(number: int) -> tuple[Any, ...]:
    """Return the row of a copy, the later ones newer."""
    url = url_of(number)
    key = address_id(url)
    dice = random.Random(number)  # noqa: S311
    seen = NOW - timedelta(days=_DAYS * dice.random() ** 2)
    published = seen - timedelta(minutes=dice.randint(5, 600))
    site = f"site{number % SITES}.example"
    stamps = (published.isoformat(timespec="seconds"), seen.isoformat(timespec="seconds"))
    return number, number % TEMPLATES + 1, key, number_of(key), url, site, *stamps


def _copy_rows(connection: sqlite3.Connection, table: str, number: str, changed: Mapping[str, str], order: str) -> None:
    """Write a row for each copy, made from that of its template; in the order of the keys, which is fastest.

    `number` is the column with the number of the article.
    """
    names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    values = ", ".join(changed.get(name, f"a.{name}") for name in names)
    # A table of its own, or a fill without indexes would search them all for each copy.
    connection.execute(f"CREATE TEMP TABLE copied_{table} AS SELECT * FROM {table}")  # noqa: S608 - of constants
    connection.execute(f"CREATE INDEX temp.ix_copied_{table} ON copied_{table} ({number})")
    with _without_indexes(connection, table):
        connection.execute(
            f"INSERT OR IGNORE INTO {table} ({', '.join(names)}) SELECT {values} FROM copies c "  # noqa: S608 - of constants
            f"JOIN templates t ON t.template = c.template JOIN copied_{table} a ON a.{number} = t.number "
            f"ORDER BY {order}"
        )


def _fill_ledger(connection: sqlite3.Connection, count: int, rows: int) -> None:
    """Write ledger rows: those of the articles, and of nine pages in ten that are none or were never visited."""
    names = [row[1] for row in connection.execute("PRAGMA table_info(ledger)")]
    values = {
        "id": "id", "url": "url", "site": "site", "role": "'candidate'", "found_in": "'sitemap'", "depth": "1",
        "state": "state", "status": "iif(state IS NULL, NULL, 200)", "content_hash": "iif(state IS NULL, NULL, id)",
        "article_id": "iif(state = 'article', id, NULL)", "date_first_seen": "seen",
        "date_visited": "iif(state IS NULL, NULL, seen)", "date_published": "iif(state = 'article', seen, NULL)",
        "next_visit": f"iif(state IS NULL, '{stamp(NOW)}', NULL)", "visits": "1", "unchanged": "0", "failures": "0",
    }  # fmt: skip
    made = ", ".join(values.get(name, "NULL") for name in names)
    known = "SELECT id, url, site, seen, 'article' AS state FROM copies"
    numbers = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count)"
    other = """
        SELECT lower(hex(randomblob(16))), 'https://site' || (n % :sites) || '.example/other/page-' || n,
            'site' || (n % :sites) || '.example',
            strftime('%Y-%m-%dT%H:%M:%S+00:00', :now, '-' || (n % 350) || ' days'),
            CASE n / :sites % 20 WHEN 0 THEN NULL WHEN 1 THEN 'error' WHEN 2 THEN 'duplicate' WHEN 3 THEN 'listing'
                ELSE 'other' END
        FROM numbers
    """
    wanted = {"count": max(1, rows - count), "sites": SITES, "now": NOW.isoformat()}
    with _without_indexes(connection, "ledger"):
        connection.execute(
            f"INSERT OR IGNORE INTO ledger ({', '.join(names)}) {numbers} "  # noqa: S608 - of constants
            f"SELECT {made} FROM ({known} UNION ALL {other}) ORDER BY id",
            wanted,
        )


@contextmanager
def _without_indexes(connection: sqlite3.Connection, table: str) -> Iterator[None]:
    """Drop the indexes of a table and make them again: one by one they take an hour."""
    wanted = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
    found = connection.execute(wanted, [table]).fetchall()
    for name, _ in found:
        connection.execute(f"DROP INDEX {name}")
    yield
    for _, statement in found:
        connection.execute(statement)
