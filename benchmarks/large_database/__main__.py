"""Times what a crawl, a search and the desk do with a large database of SQLite's, with the plans of its queries.

    python -m benchmarks.large_database FILE [--articles 1000000] [--ledger 10000000] [--plans] [--only desk]

A FILE that does not exist is filled first, see `filling`: a million articles take 18 GB. Each time is the median of
some calls after the first one, which also reads from the disk. Statements that scan a whole table are printed below
what runs them, with `--plans` all of them with their plans.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import event

from benchmarks.large_database.filling import fill
from benchmarks.large_database.operations import of_crawl, of_desk, of_search
from newsextract.storage.database import open_engine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.large_database.operations import Operation

_CALLS = 7
_MOST_SECONDS = 60
"""After which an operation is not called again."""
_SHOWN_CHARS = 200


def main() -> None:
    """Fill the file if it is new, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--articles", type=int, default=1_000_000)
    parser.add_argument("--ledger", type=int, default=10_000_000, help="rows, those of the articles among them")
    parser.add_argument("--only", default="", help="a part of the names of what is measured")
    parser.add_argument("--plans", action="store_true", help="print every statement, with its plan")
    options = parser.parse_args()
    is_new = not options.file.exists()
    engine = open_engine(f"sqlite:///{options.file}")
    if is_new:
        started = time.monotonic()
        fill(engine, options.articles, options.ledger)
        print(f"filled in {time.monotonic() - started:.0f} s: {options.file.stat().st_size / 1e9:.1f} GB")
    engine.dispose()
    traced: list[str] = []
    event.listen(engine, "connect", lambda connection, _: connection.set_trace_callback(traced.append))
    plans = sqlite3.connect(options.file)
    print(f"{'milliseconds':44}{'first':>10}{'median':>10}{'of each':>10}")
    for operation in (*of_crawl(engine), *of_search(engine), *of_desk(f"sqlite:///{options.file}")):
        if options.only in operation.name:
            traced.clear()
            first, median = _times(operation)
            each = f"{median / operation.units:10.2f}" if operation.units > 1 else ""
            print(f"{operation.name:44}{first:10.1f}{median:10.1f}{each}", flush=True)
            _print_plans(plans, traced, shows_all=options.plans)


def _times(operation: Operation) -> tuple[float, float]:
    """Return the milliseconds of the first call, and the median of the others."""
    taken: list[float] = []
    while len(taken) < _CALLS and sum(taken) < 1000 * _MOST_SECONDS:
        started = time.perf_counter()
        operation.act()
        taken.append(1000 * (time.perf_counter() - started))
    return taken[0], statistics.median(taken[1:] or taken)


def _print_plans(connection: sqlite3.Connection, traced: Sequence[str], *, shows_all: bool) -> None:
    for shape, statement in {_shape(statement): statement for statement in traced}.items():
        plan = list(_plan(connection, statement))
        if plan and (shows_all or any(line.startswith("SCAN") and "VIRTUAL" not in line for line in plan)):
            print(f"    {shape[:_SHOWN_CHARS]}")
            print("\n".join(f"        {line}" for line in plan))


def _shape(statement: str) -> str:
    """Return a statement without its values, on one line."""
    without_values = re.sub(r"'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b", "?", " ".join(statement.split()))
    return re.sub(r"\?(?:, ?\?)+", "?, …", without_values)


def _plan(connection: sqlite3.Connection, statement: str) -> Iterator[str]:
    """Yield the lines of a statement's plan; none for statements that have none, and for those that indexes make."""
    if statement.lstrip().lower().startswith(("select", "update", "delete", "with", "insert")):
        for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}"):
            yield row[3]


if __name__ == "__main__":
    main()
