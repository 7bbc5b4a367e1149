"""What `benchmarks.scale` computes with: every figure with the command that measured it, or with the word `assumed`.

For machines of your own, measure there and change them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """What a node does; measured by `benchmarks/crawl.py`, see docs/explanation/large-crawls.md."""

    main_ms: float = 7.7
    """Processor time of the main process for a page; its threads take turns on one core."""
    postgres_ms: float = 2.6 - 1.4
    """What the main process needs more to store an article in PostgreSQL than in SQLite, with which `main_ms` was
    measured; by `python -m benchmarks.postgres_load`."""
    worker_ms: float = 18.9
    """Processor time of the workers for a page."""
    memory_gigabytes: float = 0.57
    """At most, with two workers."""
    delay_seconds: float = 0.5
    """Between two requests to a host: the setting of the project."""

    @property
    def pages_a_second(self) -> float:
        """The most of a node with cores enough for its workers."""
        return 1000 / (self.main_ms + self.postgres_ms)

    @property
    def cores(self) -> float:
        """The cores that it keeps busy."""
        return 1 + self.worker_ms / (self.main_ms + self.postgres_ms)


@dataclass(frozen=True)
class Database:
    """What pages cost PostgreSQL, in its processor time; measured by `python -m benchmarks.postgres_load`.

    With 12,000 articles on two cores, which others used too.
    """

    store_ms: float = 3.3
    """To store a new article, with search index and story."""
    admit_new_ms: float = 0.028
    """To take a new URL into the ledger."""
    admit_known_ms: float = 0.004
    """To find a listed URL there."""
    claim_ms: float = 0.42
    record_ms: float = 0.072
    store_rows: float = 47.8
    """Rows written to store an article."""
    visit_rows: float = 3
    """Rows written for a page that is new, claimed and visited."""
    article_bytes: float = 5_272
    """An article, with indexes and long values."""
    text_bytes: float = 4_237
    """Of these, text and HTML, which could be elsewhere."""
    article_index_bytes: float = 207
    words_bytes: float = 7_646
    """Its words for the search, with their index."""
    keys_bytes: float = 40 * 101
    """The keys by which its copies are found, with their index."""
    keys_index_bytes: float = 40 * 49
    ledger_bytes: float = 432
    ledger_index_bytes: float = 124
    stories_a_second: float = 320
    """Articles that all nodes together can link with their stories: one transaction at a time does."""
    search_ms_a_hit: float = 66 / 12_000
    """Processor time of a search, for each article that has the word."""


@dataclass(frozen=True)
class Server:
    """The database server; all of it is assumed: a large machine that can be rented."""

    cores: float = 32
    busy_share: float = 0.6
    """Of its processors, at which it still answers at once."""
    memory_gigabytes: float = 256
    index_share: float = 0.5
    """Of the memory, for the indexes in use: what does not fit is read from the disk for every page."""
    disk_gigabytes: float = 15_000
    rows_a_second: float = 100_000
    """Rows that it can write, of some hundred bytes, with their indexes and its log."""
    search_seconds: float = 2
    """What people wait for a search."""
    hit_share: float = 0.01
    """Of the articles, those that have the word: one that is neither rare nor in most of them."""


@dataclass(frozen=True)
class Crawl:
    """What is crawled; all of it is assumed."""

    new_share: float = 0.5
    """Of the pages, those that are new articles; the others are listings, old ones and none."""
    listed: float = 10
    """Known URLs that listings and sitemaps name for each page that is fetched."""
    kept_days: float = 365
    """The age of the database: nothing deletes articles, and of the ledger only what is older than 400 days."""
    keys_days: float = 60
    """The same for the keys of stories: they are deleted 60 days after their article was first seen."""
    has_search: bool = True
    """Whether the database keeps words for the search."""
