"""Computes from measured figures what 1, 10 and 100 nodes do, what gives way first, and what each remedy moves.

    python -m benchmarks.scale

prints the tables of docs/explanation/scale.md, as Markdown; a test compares them. Every figure stands below with the
command that measured it, or with the word `assumed`. For machines of your own, measure there and change them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DAY = 86_400
"""Seconds."""
MONTH = 30
"""Days."""
GOAL = 100e6
"""Pages a day."""
LANGUAGES = 10
"""Of a crawl of the world's news, that are about as frequent; assumed."""
GIGABYTE = 1e9


@dataclass(frozen=True)
class Node:
    """What a node does; measured by `benchmarks/crawl.py`, see docs/explanation/large-crawls.md."""

    main_ms: float = 7.7
    """Processor time of the main process for a page; its threads take turns on one core."""
    worker_ms: float = 18.9
    """Processor time of the workers for a page."""
    memory_gigabytes: float = 0.57
    """At most, with two workers."""
    delay_seconds: float = 0.5
    """Between two requests to a host: the setting of the project."""

    @property
    def pages_a_second(self) -> float:
        """The most of a node with cores enough for its workers."""
        return 1000 / self.main_ms

    @property
    def cores(self) -> float:
        """The cores that it keeps busy."""
        return (self.main_ms + self.worker_ms) / self.main_ms


@dataclass(frozen=True)
class Database:
    """What pages cost PostgreSQL, in its processor time; measured by `python -m benchmarks.postgres_load`."""

    store_ms: float = 0
    """To store a new article, with search index and story."""
    admit_new_ms: float = 0
    """To take a new URL into the ledger."""
    admit_known_ms: float = 0
    """To find a listed URL there."""
    claim_ms: float = 0
    record_ms: float = 0
    store_rows: float = 0
    """Rows written to store an article."""
    visit_rows: float = 3
    """Rows written for a page that is new, claimed and visited."""
    article_bytes: float = 0
    """An article with its words and the keys of its story, indexes and long values included."""
    article_index_bytes: float = 0
    """Of these, what is searched for every new article: the indexes of keys and articles."""
    text_bytes: float = 0
    """Of these, the long values of an article, which could be elsewhere."""
    ledger_bytes: float = 0
    ledger_index_bytes: float = 0
    stories_a_second: float = 0
    """Articles that all nodes together can link with their stories: one transaction at a time does."""
    search_ms_per_article: float = 0
    """Processor time of a search for a word of most articles, for each article that is stored."""


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


@dataclass(frozen=True)
class Crawl:
    """What is crawled; all of it is assumed."""

    new_share: float = 0.5
    """Of the pages, those that are new articles; the others are listings, old ones and none."""
    listed: float = 10
    """Known URLs that listings and sitemaps name for each page that is fetched."""
    kept_days: float = 365
    """The age of the database: nothing deletes articles."""


@dataclass(frozen=True)
class Limit:
    """A resource with the pages a day at which it is used up."""

    name: str
    pages_a_day: float
    remedy: str


STORIES = "stories: one transaction at a time links copies"
SEARCH = "search: a word of most articles"
INDEXES = "memory: the indexes that every page looks into"
DISK = "disk"
WRITES = "rows written a second"
PROCESSORS = "processors of the database"

NODE, DATABASE, SERVER, CRAWL = Node(), Database(), Server(), Crawl()


def database_ms(database: Database, crawl: Crawl) -> float:
    """Return the processor time of the database for a page."""
    visit = database.admit_new_ms + crawl.listed * database.admit_known_ms + database.claim_ms + database.record_ms
    return visit + crawl.new_share * database.store_ms


def rows_written(database: Database, crawl: Crawl) -> float:
    """Return the rows that the database writes for a page."""
    return database.visit_rows + crawl.new_share * database.store_rows


def bytes_kept(database: Database, crawl: Crawl) -> float:
    """Return the bytes that stay of a page."""
    return database.ledger_bytes + crawl.new_share * database.article_bytes


def limits(database: Database, server: Server, crawl: Crawl) -> list[Limit]:
    """Return what one database gives way by, the first to give way first."""
    index_bytes = database.ledger_index_bytes + crawl.new_share * database.article_index_bytes
    index_room = server.index_share * server.memory_gigabytes * GIGABYTE
    searched = 1000 * server.search_seconds / database.search_ms_per_article
    processor_ms = 1000 * server.cores * server.busy_share
    kept_bytes = crawl.kept_days * bytes_kept(database, crawl)
    found = (
        Limit(STORIES, DAY * database.stories_a_second / crawl.new_share, "a lock for each language; or stories off"),
        Limit(SEARCH, searched / crawl.new_share / crawl.kept_days, "partitions by month, the newest searched first"),
        Limit(INDEXES, index_room / index_bytes / crawl.kept_days, "partitions by site; keep fewer days"),
        Limit(DISK, server.disk_gigabytes * GIGABYTE / kept_bytes, "texts in object storage; keep fewer days"),
        Limit(WRITES, DAY * server.rows_a_second / rows_written(database, crawl), "several databases, by site"),
        Limit(
            PROCESSORS, DAY * processor_ms / database_ms(database, crawl), "several databases; a replica to read from"
        ),
    )
    return sorted(found, key=lambda limit: limit.pages_a_day)


def node_rows(node: Node, counts: Sequence[int]) -> Iterator[list[str]]:
    """Yield what so many nodes do."""
    for count in counts:
        pages = count * node.pages_a_second
        yield [
            str(count), _number(pages), _millions(DAY * pages), _number(pages * node.delay_seconds),
            _number(count * node.cores), _number(count * node.memory_gigabytes),
        ]  # fmt: skip


def load_rows(database: Database, crawl: Crawl, days: Sequence[float]) -> Iterator[list[str]]:
    """Yield what the database has to do for so many pages a day."""
    for pages in days:
        second = pages / DAY
        kept = pages * crawl.kept_days
        yield [
            _millions(pages), _number(second), _number(second * crawl.new_share),
            _number(second * rows_written(database, crawl)), f"{second * database_ms(database, crawl) / 1000:.1f}",
            _millions(kept), _number(kept * bytes_kept(database, crawl) / GIGABYTE),
            _number(kept * database.ledger_index_bytes / GIGABYTE),
        ]  # fmt: skip


def limit_rows(found: Sequence[Limit], node: Node) -> Iterator[list[str]]:
    """Yield the limits, with the number of nodes that reach each."""
    for limit in found:
        nodes = limit.pages_a_day / (DAY * node.pages_a_second)
        yield [limit.name, _millions(limit.pages_a_day), f"{nodes:.1f}", limit.remedy]


def remedy_rows(database: Database, server: Server, crawl: Crawl) -> Iterator[list[str]]:
    """Yield what each further remedy moves: what gives way first then, and the databases that the goal needs."""
    stories = replace(database, stories_a_second=LANGUAGES * database.stories_a_second)
    months = replace(stories, search_ms_per_article=stories.search_ms_per_article * MONTH / crawl.kept_days)
    outside = replace(months, article_bytes=months.article_bytes - database.text_bytes)
    month = replace(crawl, kept_days=MONTH)
    steps = (
        ("nothing", database, crawl),
        (f"a lock of stories for each of {LANGUAGES} languages", stories, crawl),
        ("partitions by month, the newest searched first", months, crawl),
        ("texts in object storage", outside, crawl),
        ("a month in the database, the rest exported", outside, month),
    )
    for name, changed, kept in steps:
        first = limits(changed, server, kept)[0]
        yield [name, first.name, _millions(first.pages_a_day), str(math.ceil(GOAL / first.pages_a_day))]


def table(heads: Sequence[str], rows: Iterator[list[str]]) -> str:
    """Return a table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def tables() -> list[str]:
    """Return the tables of the page, in its order."""
    return [
        table(
            ["nodes", "pages a second", "pages a day", "hosts busy at once", "cores", "memory, GB"],
            node_rows(NODE, (1, 10, 100)),
        ),
        table(
            ["pages a day", "pages a second", "new articles a second", "rows written a second", "cores busy",
             "ledger rows kept", "GB kept", "of which the ledger's indexes"],
            load_rows(DATABASE, CRAWL, (1e6, 1e7, 1e8, DAY * 100 * NODE.pages_a_second)),
        ),
        table(
            ["what gives way", "at pages a day", "nodes", "what to change then"],
            limit_rows(limits(DATABASE, SERVER, CRAWL), NODE),
        ),
        table(
            ["changed", "what then gives way first", "at pages a day", "databases for 100 million a day"],
            remedy_rows(DATABASE, SERVER, CRAWL),
        ),
    ]  # fmt: skip


def _number(value: float) -> str:
    """Return a number with two digits that count, as no more are known.

    >>> _number(1298.7), _number(0.57), _number(65.2)
    ('1,300', '0.57', '65')
    """
    if value >= 100:
        digits = len(str(int(value))) - 2
        return f"{round(value, -digits):,.0f}"
    return f"{value:.2g}"


def _millions(value: float) -> str:
    """Return a number of pages in words.

    >>> _millions(11_220_000), _millions(1_122_000_000), _millions(420_000)
    ('11 million', '1,100 million', '0.42 million')
    """
    return f"{_number(value / 1e6)} million"


if __name__ == "__main__":
    print("\n\n".join(tables()))
