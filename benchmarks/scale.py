"""Computes from measured figures what 1, 10 and 100 nodes do, what gives way first, and what each remedy moves.

    python -m benchmarks.scale

prints the tables of docs/explanation/scale.md, as Markdown; a test compares them. The figures are in `scale_figures`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchmarks.scale_figures import Crawl, Database, Node, Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DAY = 86_400
"""Seconds."""
MONTH = 30
"""Days."""
WINDOW = 14
"""Days in which copies of an article are looked for."""
GOAL = 100e6
"""Pages a day."""
LANGUAGES = 10
"""Of a crawl of the world's news, that are about as frequent; assumed."""
GIGABYTE = 1e9


@dataclass(frozen=True)
class Limit:
    """A resource with the pages a day at which it is used up."""

    name: str
    pages_a_day: float
    remedy: str


STORIES = "stories: one transaction at a time"
SEARCH = "search: a word of one article in a hundred takes 2 s"
INDEXES = "memory: indexes that every page looks into"
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
    """Return the bytes that the database holds for each page a day."""
    article = database.article_bytes + crawl.has_search * database.words_bytes
    page = database.ledger_bytes + crawl.new_share * article
    return crawl.kept_days * page + crawl.keys_days * crawl.new_share * database.keys_bytes


def indexes_in_use(database: Database, crawl: Crawl) -> float:
    """Return the bytes of indexes, for each page a day, that are looked into at random places."""
    page = database.ledger_index_bytes + crawl.new_share * database.article_index_bytes
    return crawl.kept_days * page + crawl.keys_days * crawl.new_share * database.keys_index_bytes


def limits(database: Database, server: Server, crawl: Crawl) -> list[Limit]:
    """Return what one database gives way by, the first to give way first."""
    index_room = server.index_share * server.memory_gigabytes * GIGABYTE
    hits = 1000 * server.search_seconds / database.search_ms_a_hit
    searched = hits / server.hit_share / crawl.new_share / crawl.kept_days
    processor_ms = 1000 * server.cores * server.busy_share
    found = (
        Limit(STORIES, DAY * database.stories_a_second / crawl.new_share, "a lock for each language; or stories off"),
        Limit(SEARCH, searched if crawl.has_search else math.inf, "fewer days; a search engine"),
        Limit(INDEXES, index_room / indexes_in_use(database, crawl), "fewer days; partitions by site"),
        Limit(DISK, server.disk_gigabytes * GIGABYTE / bytes_kept(database, crawl), "texts in object storage"),
        Limit(WRITES, DAY * server.rows_a_second / rows_written(database, crawl), "several databases, by site"),
        Limit(PROCESSORS, DAY * processor_ms / database_ms(database, crawl), "several databases; a read replica"),
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
        month = replace(crawl, kept_days=MONTH, keys_days=MONTH)
        yield [
            _millions(pages), _number(second), _number(second * crawl.new_share),
            _number(second * rows_written(database, crawl)), f"{second * database_ms(database, crawl) / 1000:.1f}",
            _number(pages * bytes_kept(database, month) / GIGABYTE),
            _number(pages * indexes_in_use(database, month) / GIGABYTE),
        ]  # fmt: skip


def limit_rows(found: Sequence[Limit], node: Node) -> Iterator[list[str]]:
    """Yield the limits, with the number of nodes that reach each."""
    for limit in found:
        nodes = limit.pages_a_day / (DAY * node.pages_a_second)
        yield [limit.name, _millions(limit.pages_a_day), _number(nodes), limit.remedy]


def remedy_rows(database: Database, server: Server, crawl: Crawl) -> Iterator[list[str]]:
    """Yield what each further remedy moves: what gives way first then, and the databases that the goal needs."""
    fewer_keys = replace(crawl, keys_days=WINDOW)
    month = replace(fewer_keys, kept_days=MONTH)
    engine = replace(month, has_search=False)
    outside = replace(database, article_bytes=database.article_bytes - database.text_bytes)
    languages = replace(outside, stories_a_second=LANGUAGES * database.stories_a_second)
    steps = (
        ("nothing", database, crawl),
        (f"keys of stories for {WINDOW} days", database, fewer_keys),
        ("a month in the database, the rest exported", database, month),
        ("a search engine of its own", database, engine),
        ("texts in object storage", outside, engine),
        (f"a lock of stories for each of {LANGUAGES} languages", languages, engine),
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
             "GB a month", "of which indexes in use"],
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
