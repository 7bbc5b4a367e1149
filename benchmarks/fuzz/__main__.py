"""Reads damaged pages by the thousand, and tells which of them a reader fails on or takes too long for.

    python -m benchmarks.fuzz [--pages 100000] [--seed 1] [--jobs 2] [--corpus FILE.jsonl.xz ...] [--keep FOLDER]

Two of five pages are those of the corpora, where some are given, the others those of a grammar. Each is read in every
way, by a library's call and by a crawl's worker, and may take two seconds of processor time. Of each kind of fault the
smallest page found is kept. The exit code is 1 where there were faults. `--only NUMBER` reads a single page.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.fuzz.fuzzing import Plan, fuzz
from benchmarks.fuzz.reading import MOST_SECONDS


def main() -> int:
    """Read, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0, help="the number of the first page")
    parser.add_argument("--only", type=int, help="the number of the only page")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=MOST_SECONDS, help="processor time that a page may take")
    parser.add_argument("--corpus", type=Path, nargs="*", default=[])
    parser.add_argument("--corpus-pages", type=int, default=200, help="pages taken of each corpus")
    parser.add_argument("--keep", type=Path, default=Path("output/fuzz"), help="where pages with faults are written")
    options = parser.parse_args()
    first, count = (options.first, options.pages) if options.only is None else (options.only, 1)
    numbers = range(first, first + count)
    plan = Plan(options.seed, options.seconds, tuple(options.corpus), options.corpus_pages, options.keep)
    return int(fuzz(plan, numbers, options.jobs))


if __name__ == "__main__":
    sys.exit(main())
