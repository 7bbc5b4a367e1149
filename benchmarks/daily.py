"""Crawls a replayed web repeatedly, as a newsroom does every half hour, and checks that the results agree.

    python benchmarks/daily.py SHARED newspaper4k wcxb daniel xmu

SHARED is as for `benchmarks/real_web.py`. The first run must store every article once; the second must fetch no page of
the corpora again, and take under a tenth of the time. Then, each in its own folder, come runs against a server whose
first answers fail or break off and whose second ones succeed: they must miss no article of the first run.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.real_web import ask, crawl, expected_pages, replay
else:
    from real_web import ask, crawl, expected_pages, replay

FAULTS = {"fail": ("--fail", "0.1", "--heal", "2"), "drop": ("--drop", "0.05", "--heal", "2")}
SHARE_OF_TIME = 0.1


def main() -> int:
    """Crawl, print the figures, and return how many checks failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--without-faults", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for what the crawls write (default: a temporary one)")
    options = parser.parse_args()
    files = [options.shared / "corpora" / f"{name}.jsonl.xz" for name in options.corpora]
    expected = expected_pages(files)
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.keep or Path(scratch)).resolve()
        with replay(options.shared, files):
            checks, stored = twice(folder / "quiet", expected)
        for name, faults in FAULTS.items() if not options.without_faults else ():
            with replay(options.shared, files, *faults):
                checks |= with_faults(folder / name, stored, name)
    for what, holds in checks.items():
        print("ok  " if holds else "FAIL", what)
    return sum(not holds for holds in checks.values())


def twice(folder: Path, expected: set[str]) -> tuple[dict[str, bool], set[str]]:
    """Run twice; return the checks, and the URLs of the stored articles."""
    seconds = []
    logs = []
    for _ in range(2):
        started, before = time.monotonic(), len(ask("/_log").splitlines())
        stats = run(folder)
        seconds.append(time.monotonic() - started)
        logs.append(ask("/_log").splitlines()[before:])
        print(f"{seconds[-1]:.1f} s, {len(logs[-1])} requests, states {states(stats)}")
    asked = Counter(logs[0])
    urls, lines = rows(folder), (folder / "output" / "articles.jsonl").read_text("utf-8").count("\n")
    again = expected & set(logs[1])
    checks = {
        f"{len(expected & set(asked))} of {len(expected)} pages of the corpora were fetched": expected <= set(asked),
        "none of them twice": all(asked[url] == 1 for url in expected),
        f"{len(urls)} rows, as many addresses, and {lines} lines": len(urls) == len(set(urls)) == lines,
        f"the second run fetched {len(again)} of them again": not again,
        f"it took {seconds[1] / seconds[0]:.3f} of the time": seconds[1] < SHARE_OF_TIME * seconds[0],
    }
    return checks, set(urls)


def with_faults(folder: Path, stored: set[str], name: str) -> dict[str, bool]:
    """Run once against a server with faults; return checks against `stored`, the URLs of a run without faults."""
    stats = run(folder)
    urls = rows(folder)
    lines = (folder / "output" / "articles.jsonl").read_text("utf-8").count("\n")
    missing = sorted(stored - set(urls) - set(twins(folder)))
    print(f"{name}: states {states(stats)}; missing {missing[:5]}")
    return {
        f"{name}: {len(missing)} articles missing, {len(set(urls) - stored)} more": not missing,
        f"{name}: {len(urls)} rows, as many addresses, and {lines} lines": len(urls) == len(set(urls)) == lines,
    }


def run(folder: Path) -> dict[str, object]:
    """Crawl all sites of the server."""
    folder.mkdir(parents=True, exist_ok=True)
    return crawl(folder, polite=False)


def states(stats: dict[str, object]) -> dict[str, object]:
    """Return the number of pages by state."""
    prefix = "newsextract/state/"
    return {name.removeprefix(prefix): count for name, count in stats.items() if name.startswith(prefix)}


def rows(folder: Path) -> list[str]:
    """Return the URLs of the stored articles."""
    return urls_of(folder, "select url from articles")


def twins(folder: Path) -> list[str]:
    """Return the URLs of pages with the same text as another: which of the two is stored varies."""
    return urls_of(folder, "select url from ledger where state = 'duplicate'")


def urls_of(folder: Path, query: str) -> list[str]:
    """Return the URLs that a query of the crawl's database selects."""
    with closing(sqlite3.connect(folder / "output" / "newsextract.db")) as database:
        return [url for (url,) in database.execute(query)]


if __name__ == "__main__":
    raise SystemExit(main())
