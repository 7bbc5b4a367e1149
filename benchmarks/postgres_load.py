"""Measures what crawls cost PostgreSQL: processor time, rows, transactions and bytes for a page, and waits for stories.

    createdb scale
    python -m benchmarks.postgres_load postgresql://user@127.0.0.1/scale [--articles 20000]

The database must be empty, of its own, and on this machine: the processor time is that of the server's processes for
our connections, which does not depend on what else the machine does. Articles are those of
`benchmarks.large_database`, of three hundred words, with their HTML. `benchmarks.scale` computes with what is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlalchemy import text

from benchmarks.large_database.filling import NOW, articles, vocabulary
from newsextract.storage.articles import put_new_texts, text_key
from newsextract.storage.database import open_engine, writing
from newsextract.storage.ledger.ledger import (
    Admission,
    Claim,
    Finding,
    Pending,
    Role,
    VisitRecord,
    admit,
    claim,
    pending,
    record,
)
from newsextract.storage.ledger.runs import Run, begin_run
from newsextract.storage.likeness import TextPrint, TextPrints
from newsextract.storage.search.article_search import search
from newsextract.storage.stories import link_stories

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import Connection, Engine

    from newsextract.article import Article
    from newsextract.storage.revisions import Change

_BATCH = 100
_SITES = 20
_LISTED = 5000
_LOCKS = 20
"""Batches of each kind for which the lock is timed."""
_TICK = os.sysconf("SC_CLK_TCK")
_PAIRS = ("inserted", "updated", "deleted")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database")
    parser.add_argument("--articles", type=int, default=20_000)
    options = parser.parse_args()
    engine = open_engine(options.database)
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    _measure_articles(engine, options.articles)
    _settle(engine)
    _measure_ledger(engine)
    _measure_searches(engine)
    _print_sizes(engine)
    _measure_lock(engine, 2 * options.articles)
    engine.dispose()


@contextmanager
def _measured(engine: Engine, name: str, count: int) -> Iterator[None]:
    """Print what the server did in a block, for each of `count` things."""
    rows, processor = _rows(engine), _processor_seconds(engine)
    ours, started = time.process_time(), time.perf_counter()
    yield
    wall, ours = time.perf_counter() - started, time.process_time() - ours
    used = _processor_seconds(engine) - processor
    done = {key: value - rows[key] for key, value in _rows(engine).items()}
    written = sum(done[each] for each in _PAIRS) / count
    print(
        f"{name:34} server {1000 * used / count:7.3f} ms  we {1000 * ours / count:6.3f}  "
        f"wall {1000 * wall / count:7.3f} ms  "
        f"rows written {written:6.2f}  transactions {done['commits'] / count:.3f}",
        flush=True,
    )


def _measure_articles(engine: Engine, count: int) -> None:
    half = count // 2
    _store_all(engine, range(half))
    batches = _made(range(half, count))
    with _measured(engine, "store an article, with its story", count - half):
        _store(engine, batches)
    with TemporaryDirectory() as folder:
        beside, started = open_engine(f"sqlite:///{folder}/load.db"), time.process_time()
        _store(beside, batches)
        print(f"the same into SQLite, in our process: {1000 * (time.process_time() - started) / (count - half):.3f} ms")
        beside.dispose()
    known = _made(range(half, min(count, half + 2000)))
    with _measured(engine, "store one that has not changed", sum(len(batch) for batch, _ in known)):
        _store(engine, known)


def _measure_ledger(engine: Engine) -> None:
    now = NOW + timedelta(minutes=1)
    run = Run.here("news", "load", {})
    sites = [f"fresh{number}.example" for number in range(_SITES)]
    found = {
        site: [Finding(f"https://{site}/news/{n}", site, Role.ARTICLE, "sitemap") for n in range(_LISTED)]
        for site in sites
    }
    with writing(engine) as connection:
        begin_run(connection, run, now)
    first, *others = sites
    _admit(engine, [found[first]], now)
    _settle(engine)
    for name in ("admit a new URL", "admit a known URL"):
        with _measured(engine, name, _LISTED * len(others)):
            _admit(engine, [found[site] for site in others], now)
    _settle(engine)
    with engine.connect() as connection:
        due = [one for site in sites for one in pending(connection, [Pending(site, now, 1000)])[0]]
    parts = [due[at : at + _BATCH] for at in range(0, len(due), _BATCH)]
    with _measured(engine, "claim a page", len(due)):
        for part in parts:
            with writing(engine) as connection:
                claim(connection, [Claim(run.id, tuple(one.id for one in part), now)])
    with _measured(engine, "record a visit", len(due)):
        for part in parts:
            visits = [
                VisitRecord(id=one.id, url=one.url, site=sites[0], role=one.role, state="other", at=now) for one in part
            ]
            with writing(engine) as connection:
                record(connection, visits)


def _admit(engine: Engine, lists: Sequence[Sequence[Finding]], now: datetime) -> None:
    for listed in lists:
        with writing(engine) as connection:
            admit(connection, [Admission(tuple(listed), now)])


def _settle(engine: Engine) -> None:
    """Do what PostgreSQL does by itself after a while: clean up, and count what the planner goes by."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("vacuum analyze"))


def _measure_searches(engine: Engine) -> None:
    words, _ = vocabulary()
    queries = {"a word of most articles": words[0], "a rare word": words[-10], "a phrase": f'"{words[3]} {words[4]}"'}
    for name, query in queries.items():
        with _measured(engine, f"search: {name}", 5):
            for _ in range(5):
                search(engine, query)


def _measure_lock(engine: Engine, first: int) -> None:
    """Print how long the lock is held under which one transaction of all nodes links copies with their stories.

    It is what a batch takes longer with stories: they are linked at its end. The fastest of the batches count, which
    nothing else on the machine has delayed; with and without take turns.
    """
    taken: dict[bool, list[float]] = {True: [], False: []}
    for batch in _made(range(first, first + 2 * _LOCKS * _BATCH)):
        links = len(taken[True]) <= len(taken[False])
        started = time.perf_counter()
        _store(engine, [batch], links=links)
        taken[links].append(1000 * (time.perf_counter() - started) / _BATCH)
    fastest = {links: sorted(times)[_LOCKS // 10] for links, times in taken.items()}
    held = fastest[True] - fastest[False]
    print(f"a batch, the fastest tenth: {fastest[True]:.2f} ms an article, {fastest[False]:.2f} without stories")
    print(f"lock of stories held {held:.2f} ms an article: at most {1000 / held:.0f} a second from all nodes together")


def _made(numbers: range) -> list[tuple[list[Article], TextPrints]]:
    """Return articles in batches, made before anything is timed, with the prints that workers make."""
    prints, made = TextPrints(1 << 30), []
    for article in articles(numbers):
        body = article.articleBody or ""
        prints.put(text_key(article) or "", TextPrint.of(body))
        html = "".join(f"<p>{line}</p>\n" for line in body.splitlines())
        made.append(replace(article, articleBodyHtml=f"<article>{html}</article>"))
    return [(made[at : at + _BATCH], prints) for at in range(0, len(made), _BATCH)]


def _store_all(engine: Engine, numbers: range) -> None:
    for first in range(0, len(numbers), 2000):
        _store(engine, _made(numbers[first : first + 2000]))


def _store(engine: Engine, batches: Sequence[tuple[list[Article], TextPrints]], *, links: bool = True) -> None:
    for batch, prints in batches:

        def link(connection: Connection, changes: Sequence[Change], prints: TextPrints = prints) -> None:
            link_stories(connection, changes, prints=prints)

        with writing(engine) as connection:
            put_new_texts(connection, batch, effects=[link] if links else [])


def _rows(engine: Engine) -> dict[str, int]:
    """Return the counts of rows written and transactions; the server knows them when a connection has told it."""
    with engine.connect() as connection:
        connection.execute(text("select pg_stat_force_next_flush()"))
        connection.commit()
        row = connection.execute(
            text(
                "select tup_inserted, tup_updated, tup_deleted, xact_commit "
                "from pg_stat_database where datname = current_database()"
            )
        ).one()
    return dict(zip((*_PAIRS, "commits"), row, strict=True))


def _processor_seconds(engine: Engine) -> float:
    """Return the processor time of the server's processes of our connections."""
    with engine.connect() as connection:
        pids = connection.execute(text("select pid from pg_stat_activity where datname = current_database()")).scalars()
        fields = [Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split() for pid in pids]
    return sum(int(each[11]) + int(each[12]) for each in fields) / _TICK


def _print_sizes(engine: Engine) -> None:
    wanted = (
        "select relname, greatest(reltuples, 1)::bigint, pg_relation_size(oid), pg_indexes_size(oid), "
        "pg_total_relation_size(oid) from pg_class where relkind = 'r' and relnamespace = current_schema::regnamespace "
        "and pg_total_relation_size(oid) > 1000000 order by 5 desc"
    )
    _settle(engine)
    with engine.connect() as connection:
        for name, rows, table, indexes, total in connection.execute(text(wanted)):
            parts = {"table": table, "indexes": indexes, "long values": total - table - indexes}
            told = ", ".join(f"{part} {size / rows:.0f}" for part, size in parts.items())
            print(f"size of {name:18} {rows:8} rows  {total / rows:7.0f} bytes a row: {told}")


if __name__ == "__main__":
    main()
